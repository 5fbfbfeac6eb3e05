internal import PostgreSQL
internal import PostgreSQLStore
internal import SQLite

/// A range of row ids reserved for one working copy.
struct NumberBlock: Sendable {
    private let index: Int64

    private static let size: Int64 = 1 << 24
    /// The number of a store's blocks.
    private static let most = Int64.max / size / 2

    /// The next block of a store.
    init(of connection: PostgreSQL.Connection) throws {
        let index = try connection.scalar("SELECT nextval('_number_block')").flatMap { Int64($0) } ?? 0
        guard (0..<Self.most).contains(index) else {
            throw CopyProblem.refused(
                "the sequence `_number_block` in PostgreSQL stands at \(index), which somebody must have set",
                advice: "set it back with setval, to a number beyond max(id) / \(Self.size) of event")
        }
        self.index = index
    }

    /// Makes the blocks of a store begin after all its ids.
    ///
    /// A sequence that is already beyond them is not changed: another worker may be taking its next block, and would
    /// get one twice.
    static func begin(in connection: PostgreSQL.Connection) throws {
        let highest = CopiedTable.numbered.map { "SELECT max(id) FROM \($0)" }.joined(separator: " UNION ALL ")
        try connection.execute(
            """
            SELECT setval('_number_block', used.block)
            FROM (SELECT coalesce(max(max), 0) / \(size) AS block FROM (\(highest)) n) used
            WHERE used.block > (SELECT last_value FROM _number_block)
            """)
    }

    /// Makes a file give the block's numbers.
    func use(in connection: SQLite.Connection) throws {
        try connection.execute("DELETE FROM sqlite_sequence")
        for table in CopiedTable.numbered {
            try connection.run(
                "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", .text(table), .integer(index * Self.size))
        }
    }

    /// True if a file should get a new block: half of this one is used.
    func isShort(in connection: SQLite.Connection) throws -> Bool {
        try connection.int64("SELECT max(seq) FROM sqlite_sequence") ?? 0 > index * Self.size + Self.size / 2
    }
}
