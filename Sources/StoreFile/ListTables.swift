/// The tables for the state of a list: of a feed, or of the list of a parent's row.
package struct ListTables: Sendable, Hashable {
    /// The public table.
    package let feed: String
    /// feedsync's own table.
    package let state: String

    private static let feeds = ListTables(feed: "feed", state: "_feed")
    private static let parts = ListTables(feed: "feed_part", state: "_feed_part")
}

extension ListTables {
    /// The tables of a list by its name.
    package init(of name: String) {
        self = FeedPart.feed(ofPart: name) == nil ? Self.feeds : Self.parts
    }

    /// The SQL condition that the column `feed` has the name of a feed or of one of its parts, in a form that uses an
    /// index.
    ///
    /// - Parameter name: The feed's name as SQL: a literal, or a parameter with a number.
    package static func isOf(_ name: String) -> String {
        // In byte order, "0" comes right after "/".
        "(feed = \(name) OR feed > \(name) || '/' AND feed < \(name) || '0')"
    }
}
