internal import FeedSync

extension Command {
    /// `work`
    static let work = Command(
        name: "work", options: [.jobs, .listen] + Option.requesting, general: [.config, .store, .quiet, .help],
        store: .any, endsGracefully: true, rereadsConfiguration: true,
        summary: "Sync feeds into a store in PostgreSQL, beside other workers",
        explanation: """
            Syncs the feeds of the configuration when they are due, until it is stopped. Their store is in PostgreSQL,
            and any number of workers on any machines may share it: `store: postgres://…` in the configuration, or --store.

            A worker claims the feeds of one host at a time, up to --jobs hosts, those that are due longest first. Each page
            is committed only if the claim is still the worker's. If a worker ends, or is not heard of for 10 seconds,
            others take its feeds.

            While a worker has them, the feeds' rows are in a temporary SQLite file, too. SIGTERM and Ctrl-C end it after
            the pages under way.

            SIGHUP makes it read the configuration again, with its tokens, once the pages under way are stored. A
            configuration with a mistake is reported, and the worker goes on with the one before.

            With --listen, it answers GET /metrics with figures for Prometheus, and GET /health.

            Most other commands work on such a store, too; see Docs/postgresql.md. The rest need a file: feedsync store
            copy makes one.
            """,
        example: "feedsync work --store postgres:///feeds --jobs 16"
    ) { session throws(Failure) in
        let order = try WorkOrder(session)
        let folder = try TemporaryFolder(session.environment, for: "work")
        defer { folder.remove() }
        return try await WorkSession.run(session, order, folder: folder.path)
    }
}
