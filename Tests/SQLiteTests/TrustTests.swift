import SQLite
import TemporaryFolder
import Testing

@Suite("Trust in a schema")
struct TrustTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let trigger = """
        CREATE TABLE t (a); CREATE VIRTUAL TABLE f USING fts5(a, content=t);
        CREATE TRIGGER x AFTER INSERT ON t BEGIN INSERT INTO f (rowid, a) VALUES (new.rowid, new.a); END
        """

    @Test("Triggers may write a full-text index where the schema is trusted, and before SQLite 3.41 nowhere else")
    func triggers() throws {
        let path = folder.path("trust.db")
        let trusting = try Connection(path: path, trustsSchema: true)
        try trusting.execute(Self.trigger)
        try trusting.run("INSERT INTO t VALUES ('word')")
        #expect(try trusting.int64("SELECT rowid FROM f WHERE f MATCH 'word'") == 1)
        // Since then, full-text tables are among those that SQLite calls innocuous.
        guard try trusting.int64("SELECT sqlite_version() < '3.41'") == 1 else { return }
        #expect(throws: SQLiteError.self) { try Connection(path: path).run("INSERT INTO t VALUES ('word')") }
    }

    /// The functions that a trigger or view may use only if the schema is trusted. All of them compute, or read and
    /// write the same file: any further ones must be examined before trust can stay.
    @Test("Nothing that the linked SQLite has reaches beyond its file")
    func reach() throws {
        let connection = try Connection(path: ":memory:", trustsSchema: true)
        let innocuous = 0x20_0000
        let direct = 0x8_0000
        var functions: Set<String> = []
        try connection.rows(
            "SELECT name FROM pragma_function_list WHERE flags & \(innocuous) = 0 AND flags & \(direct) = 0"
        ) { row in functions.insert(row.text(at: 0) ?? "") }
        let known: Set = [
            "->", "->>", "bm25", "fts5", "fts5_source_id", "highlight", "match", "matchinfo", "offsets", "optimize",
            "rtreecheck", "rtreedepth", "rtreenode", "snippet",
        ]
        #expect(functions.filter { !known.contains($0) && !$0.hasPrefix("json") } == [])
        var modules: Set<String> = []
        try connection.rows("SELECT name FROM pragma_module_list") { row in modules.insert(row.text(at: 0) ?? "") }
        let knownModules: Set = [
            "dbstat", "fts3", "fts3tokenize", "fts4", "fts4aux", "fts5", "fts5vocab", "json_each", "json_tree",
            "rtree", "rtree_i32", "sqlite_stmt",
            // The pages of the same file, which no trigger and no view may use: https://sqlite.org/dbpage.html
            "sqlite_dbpage",
        ]
        #expect(modules.filter { !knownModules.contains($0) && !$0.hasPrefix("pragma_") } == [])
        #expect(throws: SQLiteError.self) { try connection.execute("SELECT load_extension('x')") }
    }

    @Test("A connection that only takes queries searches full-text indexes")
    func queries() throws {
        let path = folder.path("query.db")
        try Connection(path: path).execute(
            "CREATE VIRTUAL TABLE f USING fts5(a); INSERT INTO f VALUES ('a word')")
        let connection = try Connection(path: path)
        try connection.allowOnlyQueries()
        #expect(try connection.scalar("SELECT highlight(f, 0, '[', ']') FROM f('word')") == "a [word]")
        #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO f VALUES ('more')") }
    }
}
