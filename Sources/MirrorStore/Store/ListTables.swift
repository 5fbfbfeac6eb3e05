/// The tables that hold what is known of a list: of a feed, or of the part of one that a parent's row has.
struct ListTables: Sendable, Hashable {
    /// What everybody may read.
    let feed: String
    /// What is ours.
    let state: String

    private static let feeds = ListTables(feed: "feed", state: "_feed")
    private static let parts = ListTables(feed: "feed_part", state: "_feed_part")

    private init(feed: String, state: String) {
        (self.feed, self.state) = (feed, state)
    }

    /// Those of a list by its name.
    init(of name: String) {
        self = FeedPart.feed(ofPart: name) == nil ? Self.feeds : Self.parts
    }

    /// The SQL condition that a column `feed` has the name of a feed or of one of its parts, so that an index finds them.
    ///
    /// - Parameter name: The feed's name as SQL: a literal, or a parameter with a number.
    static func isOf(_ name: String) -> String {
        // In the order of bytes, "0" comes right behind "/".
        "(feed = \(name) OR feed > \(name) || '/' AND feed < \(name) || '0')"
    }
}
