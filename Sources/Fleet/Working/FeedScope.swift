internal import PostgreSQL

/// The rows of a store's tables that concern some of its feeds, as SQL of PostgreSQL unless stated otherwise.
struct FeedScope {
    /// Nil for all feeds.
    let feeds: [String]?

    /// The scope, and the feeds that are about to get one of its names: a command was cut off while it renamed them.
    func addingRenamed(_ connection: PostgreSQL.Connection) throws -> FeedScope {
        guard let feeds else { return self }
        let old = try connection.query(
            "SELECT feed FROM _feed WHERE new_name = ANY (CAST($1 AS text[])) AND feed <> ALL (CAST($1 AS text[]))",
            [PostgreSQL.Connection.array(feeds)]
        ).compactMap { $0[0] }
        return FeedScope(feeds: feeds + old)
    }

    /// The number of runs of a feed or a list in a working copy.
    private static let runsKept = 20

    /// The condition for a table that every store has; nil for one that is about no feed.
    func condition(of table: String) -> String? {
        guard feeds != nil else { return nil }
        return switch table {
        case "feed": "name IN (\(names))"
        case "_feed", "feed_part", "_part_ahead", "_column_change": "feed IN (\(names))"
        case "_crawl", "_page", "_response", "_feed_part": isOfList
        case "_crawl_page": "crawl IN (SELECT id FROM _crawl WHERE \(isOfList))"
        case "_quota", "_salt": nil
        default: isOfFeed
        }
    }

    /// The condition for the rows that a sync may need: the latest history, and the part not yet delivered to hooks.
    func recent(of table: String) -> String? {
        switch table {
        case "run": "id IN (SELECT r.id FROM \(latestRuns) UNION ALL SELECT e.run FROM \(untold("event", "event")))"
        case "event":
            """
            id IN (SELECT e.id FROM \(latestRuns) JOIN event e ON e.feed = r.feed AND e.run = r.id
                UNION ALL SELECT e.id FROM \(untold("event", "event")))
            """
        case "_change": "id IN (SELECT e.id FROM \(untold("_change", "change")))"
        case "_section": isOfList
        default: condition(of: table)
        }
    }

    /// The condition for the rows from which the states of feeds follow: their last runs, and the crawls that they are
    /// at. Nil for a table without any.
    func summary(of table: String) -> String? {
        switch table {
        case "feed", "_feed", "feed_part", "_feed_part", "_quota", "_consumer": condition(of: table) ?? "true"
        case "_crawl": currentCrawls
        case "run": "id IN (\(lastRuns))"
        case "event":
            """
            id IN (SELECT e.id FROM (\(lists)) f JOIN run r ON r.feed = f.name AND r.finished_at IS NULL
                JOIN event e ON e.feed = r.feed AND e.run = r.id)
            """
        default: nil
        }
    }

    /// Of each feed, the runs under way, the last one that was not cut off, and the last sync that failed.
    private var lastRuns: String {
        // Each by the index of a feed's runs: there are more runs than a command may look at.
        let runs = { (condition: String) in
            """
            SELECT r.id FROM (\(lists)) f CROSS JOIN LATERAL (
                SELECT id FROM run WHERE run.feed = f.name AND \(condition) ORDER BY finished_at DESC, id DESC LIMIT 1) r
            """
        }
        let failing =
            "SELECT feed FROM _feed WHERE failures > 0 UNION ALL SELECT feed FROM _feed_part WHERE failures > 0"
        return [
            runs("finished_at IS NULL"), runs("outcome IN ('ok', 'unchanged', 'no_more_data', 'failed')"),
            runs("outcome = 'failed' AND command = 'sync' AND f.name IN (\(failing))"),
        ].joined(separator: " UNION ALL ")
    }

    /// Statements that delete history from before a time, one after the other. Each deletes so many rows at most, says
    /// how many it has deleted, and is run until there are no more.
    func pruning(before limit: String, slice: Int) -> [String] {
        let limit = PostgreSQL.Connection.literal(limit)
        let old = [
            (
                "event",
                """
                run r JOIN event e ON e.feed = r.feed AND e.run = r.id
                WHERE r.feed IN (\(lists)) AND r.finished_at < \(limit)
                """
            ),
            ("run", "run e WHERE feed IN (\(lists)) AND finished_at < \(limit)"),
            ("_change", "_change e WHERE feed IN (\(lists)) AND at < \(limit)"),
            ("_column_change", "_column_change e WHERE feed IN (\(names)) AND at < \(limit)"),
        ]
        return old.map { table, rows in
            """
            WITH gone AS (DELETE FROM \(table) WHERE id IN (SELECT e.id FROM \(rows) LIMIT \(slice)) RETURNING 1)
            SELECT count(*) FROM gone
            """
        }
    }

    /// The crawls that the feeds and their lists are at.
    var currentCrawls: String {
        """
        id IN (SELECT crawl FROM _feed WHERE feed IN (\(names)) UNION ALL
            SELECT p.crawl FROM _feed_part p JOIN feed_part l ON l.name = p.feed WHERE l.feed IN (\(names)))
        """
    }

    /// The condition for a table in SQLite that has the feed's or the list's name in `feed`.
    var sqliteCondition: String {
        let owner = "CASE instr(feed, '/') WHEN 0 THEN feed ELSE substr(feed, 1, instr(feed, '/') - 1) END"
        return "\(owner) IN (\(names))"
    }

    private var names: String {
        guard let feeds else { return "SELECT name FROM feed" }
        return feeds.isEmpty ? "NULL" : feeds.map(PostgreSQL.Connection.literal).joined(separator: ", ")
    }

    /// The names of the feeds and of their lists.
    private var lists: String {
        "SELECT name FROM feed WHERE name IN (\(names)) UNION ALL SELECT name FROM feed_part WHERE feed IN (\(names))"
    }

    /// Runs under way come first.
    private var latestRuns: String {
        """
        (\(lists)) f CROSS JOIN LATERAL (
            SELECT id, feed FROM run WHERE run.feed = f.name ORDER BY finished_at DESC LIMIT \(Self.runsKept)) r
        """
    }

    /// The rows not yet delivered to a consumer of a feed's changes.
    private func untold(_ table: String, _ place: String) -> String {
        """
        _consumer c JOIN \(table) e ON e.id > c.\(place) AND split_part(e.feed, '/', 1) = c.feed WHERE c.feed IN (\(names))
        """
    }

    /// Of a feed, or of a list that one has: by the indexes that begin with `feed`, however many feeds there are. What
    /// is known of lists goes with them, but for their history.
    private var isOfList: String {
        guard feeds != nil else { return "true" }
        return """
            feed = ANY (ARRAY(
                SELECT unnest(ARRAY[\(names)]) UNION ALL SELECT name FROM feed_part WHERE feed IN (\(names))))
            """
    }

    /// The condition for a feed, or for its present and former lists, whose names have a slash after the feed's. No
    /// index helps.
    private var isOfFeed: String { "split_part(feed, '/', 1) IN (\(names))" }
}
