import SQLite
import TemporaryFolder
import Testing

@Suite("The rows that were written")
struct ChangeRecorderTests {
    private let folder: TemporaryFolder
    private let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        connection = try folder.connect()
        try connection.execute(
            """
            CREATE TABLE numbered (id INTEGER NOT NULL, a ANY, PRIMARY KEY (id)) STRICT;
            CREATE TABLE named (a ANY, name TEXT NOT NULL, part ANY NOT NULL, PRIMARY KEY (part, name)) STRICT;
            CREATE TABLE keyless (a ANY) STRICT;
            CREATE TABLE other (id INTEGER PRIMARY KEY) STRICT;
            INSERT INTO numbered VALUES (1, 'a'), (2, 'b');
            INSERT INTO named VALUES (1, 'x', 1);
            """)
    }

    private func recorder() -> ChangeRecorder { ChangeRecorder(on: connection) { $0 != "other" } }

    @Test(
        "A written row is reported once, by its key, and as new or not",
        arguments: [
            ("INSERT INTO numbered VALUES (3, 0)", ["3": true]),
            ("UPDATE numbered SET a = 0 WHERE id = 1", ["1": false]),
            ("DELETE FROM numbered", ["1": false, "2": false]),
            ("INSERT INTO numbered VALUES (3, 0); UPDATE numbered SET a = 1 WHERE id = 3", ["3": true]),
            ("INSERT INTO numbered VALUES (3, 0); DELETE FROM numbered WHERE id = 3", ["3": true]),
            ("DELETE FROM numbered WHERE id = 1; INSERT INTO numbered VALUES (1, 0)", ["1": false]),
            ("REPLACE INTO numbered VALUES (1, 0)", ["1": false]),
            ("INSERT INTO numbered VALUES (1, 0) ON CONFLICT DO UPDATE SET a = excluded.a", ["1": false]),
            ("INSERT INTO numbered VALUES (1, 0) ON CONFLICT DO NOTHING", [:]),
            ("UPDATE numbered SET id = 9 WHERE id = 1", ["1": false, "9": true]),
        ])
    func numbers(sql: String, rows: [String: Bool]) throws {
        let recorder = recorder()
        try connection.execute(sql)
        let told = try recorder.take()
        #expect(told.keys.sorted() == (rows.isEmpty ? [] : ["numbered"]))
        let found = (told["numbered"] ?? []).map { ("\($0.key.values[0].integer ?? -1)", $0.isNew) }
        #expect(found.count == rows.count)
        #expect(Dictionary(uniqueKeysWithValues: found) == rows)
        #expect(try recorder.take().isEmpty)
    }

    @Test("A key has its columns in the table's order, and an UPDATE of a key reports the old and the new one")
    func severalColumns() throws {
        let recorder = recorder()
        try connection.execute("UPDATE named SET name = 'y'; INSERT INTO named VALUES (1, 'z', 2.5)")
        #expect(
            try recorder.take()["named"] == [
                ChangedRow(key: .values(["x", 1]), isNew: false), ChangedRow(key: .values(["y", 1]), isNew: true),
                ChangedRow(key: .values(["z", 2.5]), isNew: true),
            ])
    }

    @Test("Keys that look alike but have other bytes are different rows")
    func looksAlike() throws {
        let recorder = recorder()
        let keys: [Value] = ["\u{e9}", "e\u{301}"]
        for key in keys { try connection.run("INSERT INTO named VALUES (1, ?, 1)", key) }
        #expect(try recorder.take()["named"]?.count == 2)
    }

    @Test("A number and its text are different keys")
    func numberAndText() throws {
        let recorder = recorder()
        for part in [.integer(7), "7"] as [Value] { try connection.run("INSERT INTO named VALUES (1, 'n', ?)", part) }
        #expect(try recorder.take()["named"]?.map(\.key.values) == [["n", 7], ["n", "7"]])
    }

    @Test("A row that a savepoint undid is reported, although it is not there")
    func undone() throws {
        struct Refusal: Error {}
        let recorder = recorder()
        try connection.transaction {
            try? connection.savepoint {
                try connection.execute("INSERT INTO numbered VALUES (3, 0)")
                throw Refusal()
            }
        }
        #expect(try recorder.take()["numbered"] == [ChangedRow(key: .number(3), isNew: true)])
        #expect(try connection.int64("SELECT count(*) FROM numbered WHERE id = 3") == 0)
    }

    @Test("Tables that are not wanted, without a key, or temporary are left out")
    func leftOut() throws {
        let recorder = recorder()
        try connection.execute(
            """
            INSERT INTO keyless VALUES (1); INSERT INTO other VALUES (1);
            CREATE TEMP TABLE numbered (id INTEGER PRIMARY KEY); INSERT INTO temp.numbered VALUES (7)
            """)
        #expect(try recorder.take().isEmpty)
    }

    @Test(
        "A table that was created again with another key is named, and its later rows are reported", arguments: 0..<20)
    func madeAgain(_: Int) throws {
        let recorder = recorder()
        try connection.execute(
            """
            INSERT INTO numbered VALUES (3, 0); DROP TABLE numbered;
            CREATE TABLE numbered (a ANY, b ANY, name TEXT PRIMARY KEY) STRICT; INSERT INTO numbered VALUES (1, 2, 'n')
            """)
        #expect(try recorder.take().isEmpty)
        #expect(recorder.remade == ["numbered"])
        try connection.execute("INSERT INTO numbered VALUES (1, 2, 'm')")
        #expect(try recorder.take() == ["numbered": [ChangedRow(key: .values(["m"]), isNew: true)]])
        #expect(recorder.remade.isEmpty)
    }

    @Test("Rows are reported after a column was added, and after a new table was rolled back")
    func grown() throws {
        let recorder = recorder()
        try connection.execute("INSERT INTO numbered VALUES (3, 0); ALTER TABLE numbered ADD COLUMN more ANY")
        #expect(try recorder.take() == ["numbered": [ChangedRow(key: .number(3), isNew: true)]])
        try connection.execute(
            """
            BEGIN; SAVEPOINT part; DROP TABLE numbered; CREATE TABLE numbered (id ANY PRIMARY KEY) STRICT;
            INSERT INTO numbered VALUES ('x'); ROLLBACK TO part; INSERT INTO numbered (id, a) VALUES (4, 0); COMMIT
            """)
        let told = try recorder.take()["numbered"] ?? []
        #expect(recorder.remade == ["numbered"] || told.contains(ChangedRow(key: .number(4), isNew: true)))
        try connection.execute("INSERT INTO numbered (id, a) VALUES (5, 0)")
        #expect(try recorder.take() == ["numbered": [ChangedRow(key: .number(5), isNew: true)]])
    }

    @Test("Nothing is recorded any more once the recorder is gone")
    func gone() throws {
        var first: ChangeRecorder? = recorder()
        try connection.execute("INSERT INTO numbered VALUES (3, 0)")
        #expect(try first?.take().count == 1)
        first = nil
        try connection.execute("INSERT INTO numbered VALUES (4, 0)")
        let second = recorder()
        #expect(try second.take().isEmpty)
    }
}
