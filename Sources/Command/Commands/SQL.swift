internal import FeedSync
internal import PostgreSQLStore

extension Command {
    /// `sql QUERY`
    static let sql = Command(
        name: "sql", operands: "QUERY", need: "a query, in quotes", count: 1...1, options: RowFormat.options,
        store: .any, isForResults: true,
        summary: "Run an SQL query on the store",
        explanation: """
            Prints the result of one query on all tables of the store. Nothing can be changed: only queries are run.
            The formats are those of `feedsync show`. In JSON, columns that are Booleans or JSON in a feed's
            definition are so in the result, too. A store in PostgreSQL runs PostgreSQL's SQL.

            Each feed has a table of its name, with `_` for `-`; `feed`, `run`, `event` and `change` tell of the
            feeds.
            """,
        example: "feedsync sql 'SELECT name, item_count FROM feed'"
    ) { session throws(Failure) in
        let format = try RowFormat(session.invocation, isTerminal: session.console.width != nil)
        let sql = session.invocation.operands[0]
        let configuration = try session.configurationForReading()
        if let uri = session.sharedStore(configuration) {
            try session.query(sql, of: uri, in: format)
            return .done
        }
        guard let store = try await session.storeIfAny(configuration) else {
            throw .noStore(at: session.storePath(configuration), session.invocation.storeOptions)
        }
        session.console.startPager()
        do throws(QueryError) {
            let printed = try await store.read(sql: sql, into: RowPrinter(session.console, format, choice: .all))
            session.console.noteSkipped(printed.skipped)
        } catch {
            let advice = "feedsync sql 'SELECT name FROM sqlite_schema'  # lists the tables"
            throw Failure(
                error, of: sql, option: nil, advice: await session.nearestTable(to: error, in: store) ?? advice)
        }
        return .done
    }
}

extension Session {
    /// Prints the result of a query on a store in PostgreSQL.
    ///
    /// - Throws: `Failure` with exit codes 64 and 73.
    fileprivate func query(_ sql: String, of uri: String, in format: RowFormat) throws(Failure) {
        console.startPager()
        do throws(QueryError) {
            let printer = RowPrinter(console, format, choice: .all)
            console.noteSkipped(try StoreQuery.read(sql: sql, uri: uri, into: printer).skipped)
        } catch {
            let advice = "feedsync sql 'SELECT table_name FROM information_schema.tables'  # lists the tables"
            throw Failure(error, of: sql, option: nil, advice: advice)
        }
    }

    /// Advice on a table that there is not: the table that was probably meant; nil for other errors.
    fileprivate func nearestTable(to error: QueryError, in store: Store) async -> String? {
        let start = "no such table: "
        guard case .invalid(let message) = error, message.hasPrefix(start),
            let feeds = try? await store.feeds()
        else { return nil }
        let tables = feeds.map { $0.name.replacing("-", with: "_") } + feeds.compactMap(\.model)
        let own = ["feed", "section", "run", "event", "change", "quota"]
        let nearest = NearestWord.suggestion(for: String(message.dropFirst(start.count)), among: tables + own)
        return nearest.map { "feedsync sql 'SELECT * FROM \($0)'" }
    }
}
