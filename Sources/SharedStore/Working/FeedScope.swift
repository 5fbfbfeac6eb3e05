internal import PostgreSQL

/// Which rows of a store's tables are about some of its feeds.
struct FeedScope {
    let feeds: [String]

    /// The condition for a table that every store has, in SQL of PostgreSQL; nil for one that is about no feed.
    func condition(of table: String) -> String? {
        switch table {
        case "feed": "name IN (\(names))"
        case "_feed", "feed_part", "_part_ahead": "feed IN (\(names))"
        case "_crawl_page": "crawl IN (SELECT id FROM _crawl WHERE \(isOfFeed))"
        case "_quota", "_salt": nil
        default: isOfFeed
        }
    }

    private var names: String { feeds.map(PostgreSQL.Connection.literal).joined(separator: ", ") }

    /// Of a feed, or of a list of one, whose name has a slash behind the feed's.
    private var isOfFeed: String { "split_part(feed, '/', 1) IN (\(names))" }
}
