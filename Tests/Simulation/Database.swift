internal import Fleet
internal import PostgreSQL
internal import Time

/// The store of a simulation, in a database of its own.
struct Database {
    let uri: String
    let connection: Connection
    private let server: Int

    /// A store with the tables that a worker makes, and nothing in them.
    init(_ name: String, folder: String) async throws {
        let server = "\(folder)/pg"
        try Connection(uri: "postgres://feedsync@/postgres?host=\(server)").execute("CREATE DATABASE \(name)")
        uri = "postgres://feedsync@/\(name)?host=\(server)"
        let first = ProcessFigures.text("\(server)/data/postmaster.pid").split(separator: "\n").first
        self.server = first.flatMap { Int($0) } ?? 0
        let maker = try Worker(uri: uri, name: "maker", groups: GroupLayout([]), takesOver: true)
        try await maker.live()
        await maker.end()
        connection = try Connection(uri: uri)
        // As the connections are that workers commit by.
        try connection.execute("SET feedsync.worker = 'on'")
    }

    /// The processor time of the server so far, in seconds.
    var processorTime: Double { ProcessFigures.processorTime(ofTree: server) }

    /// Stores the feeds as if they had been synced for long, each with a page, and with its last run and its events.
    ///
    /// The feeds' own tables are left out: claims, plans and commits do not touch them.
    func fill(_ model: Model, _ times: FeedTimes) throws {
        // No look at `feed` for each row of `_feed`.
        try connection.execute("SET session_replication_role = replica")
        let columns =
            "name, url, status, no_more_data, generation, item_count, complete, reloaded_at, synced_at, next_due_at"
        try connection.copyIn("COPY feed (\(columns)) FROM STDIN") { writer in
            for host in model.hosts {
                for feed in host.feeds {
                    let startedAt = Self.text(times.lastRound(of: feed))
                    for field in [
                        model.name(of: feed), "\(host.name)/\(feed)", "noMoreData", "t", "1", "20", "t", startedAt,
                        startedAt,
                        Self.text(times.dueAt[feed]),
                    ] { writer.field(field) }
                    try writer.endRow()
                }
            }
        }
        try connection.execute(Self.others)
        for host in model.hosts where host.quota != nil {
            try connection.query("INSERT INTO _quota VALUES ($1, 1, '', 20)", [host.name])
        }
        try connection.execute("SET session_replication_role = DEFAULT; ANALYZE")
    }

    private static let others = """
        INSERT INTO _feed (id, feed, "table", key, key_columns, columns, definition, crawl, found, round_started_at, round_ended_at,
                planned_due_at, quota_origin, quota_credential)
            SELECT n, name, 'feed_' || name, 'id', '["id"]', '[{"name":"id","path":"id","type":"integer"}]',
                'url ' || url || ' every 15m', n, '{"key":"id"}', synced_at, synced_at, next_due_at, split_part(url, '/', 3), 1
            FROM (SELECT *, CAST(substr(name, 2) AS bigint) + 1 AS n FROM feed) f;
        INSERT INTO _crawl (id, feed, mode, generation, started_at, pages, elements, position, complete, ended_at)
            SELECT id, feed, 'new', 1, round_started_at, 1, 20, 20, 1, round_ended_at FROM _feed;
        INSERT INTO _page (id, feed, crawl, request, credential, generation, position, placed, elements, keys, is_first, skipped,
                http_status, etag, fetched_at)
            SELECT id, feed, id, 'GET https://' || quota_origin || '/' || feed, 1, 1, 0, 20, 20,
                '[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]', 1, 0, 200, '"' || md5(feed) || '"', round_ended_at
            FROM _feed;
        INSERT INTO _crawl_page (crawl, number, page, position) SELECT id, 1, id, 0 FROM _feed;
        INSERT INTO run (id, feed, command, started_at, finished_at, outcome, complete, pages, requests)
            SELECT id, feed, 'sync', CAST(round_started_at AS timestamptz), CAST(round_ended_at AS timestamptz), 'unchanged', true, 1, 1
            FROM _feed;
        INSERT INTO event (id, at, feed, run, status, page)
            SELECT 2 * id + k, CAST(round_ended_at AS timestamptz), feed, id,
                CASE k WHEN 0 THEN 'beginHeader' ELSE 'noMoreData' END, 1
            FROM _feed, generate_series(0, 1) k;
        """

    /// A moment in milliseconds since 1970 as PostgreSQL reads it.
    static func text(_ moment: Int64) -> String { Timestamp(milliseconds: moment)?.text ?? "infinity" }

    func number(_ sql: String) throws -> Int { try connection.scalar(sql).flatMap { Int($0) } ?? 0 }
}
