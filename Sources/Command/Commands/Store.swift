internal import FeedSync
internal import Platform
internal import PostgreSQLStore
internal import Reports
internal import Text

extension Command {
    /// `store copy FROM TO`
    static let store = Command(
        name: "store", operands: "copy FROM TO", need: "`copy`, a store, and where to copy it", count: 3...3,
        general: [.json, .quiet, .help], store: .any,
        summary: "Copy the store to PostgreSQL, or back to a file",
        explanation: """
            Copies everything: rows, history, and what the next sync starts from, so that it costs what it would have cost
            without the move. One of FROM and TO is a SQLite file, the other a database:
            postgres://USER@HOST:PORT/DATABASE. What the URI leaves open is taken from the environment and ~/.pgpass, as
            psql does.

            Each table is read again after it was written, and compared by a checksum. Tables that are equal already are
            left as they are: after an interruption, run the same command again. A copy in PostgreSQL that is complete is
            brought up to date in one transaction; a file that exists is never replaced.

            Other programs may read the copy in PostgreSQL. Once workers or `sync` use it as their store, it is a store of
            its own, and no file is copied to it any more.
            """,
        example: "feedsync store copy feedsync.db postgres:///feeds"
    ) { session throws(Failure) in
        let operands = session.invocation.operands
        guard operands[0] == "copy" else {
            throw .unknown("command of `store`", operands[0], among: ["copy"], advice: "feedsync help store")
        }
        for address in operands[1...2] { try session.check(address: address) }
        let (from, to) = (StoreAddress(operands[1]), StoreAddress(operands[2]))
        if case .file(let path) = from, Platform.access(path, F_OK) != 0, errno == ENOENT {
            throw .noStore(at: path, " --store \(ShellWord.quoted(path))")
        }
        if case .file(let path) = to, let failure = Failure.missingFolder(of: path) { throw failure }
        let console = session.console
        let copied = try await session.read(
            try await StoreCopy.copy(from: from, to: to) { table in
                guard table.isWritten, table.rowCount > 0 else { return }
                console.note("\(table.name): \(NumberFormat.count(table.rowCount, "row")) copied")
            })
        let tables = copied.tables.filter { $0.rowCount > 0 || $0.isWritten }
        var table = Table([
            .init(title: "TABLE") { $0.name($1) }, .init(title: "ROWS", isNumber: true), "CHECKSUM", "STATE",
        ])
        for own in tables {
            table.add([
                own.name, NumberFormat.count(own.rowCount), own.checksum, own.isWritten ? "copied" : "equal already",
            ])
        }
        session.list(
            tables.map {
                ["table": $0.name, "rows": $0.rowCount, "checksum": $0.checksum, "copied": $0.isWritten] as JSONFields
            }
        ) { console.print(table) }
        return .done
    }
}
