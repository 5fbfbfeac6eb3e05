import ScriptedServer
import SeededGenerator
import Testing

@testable import FeedSync

@Suite("Sections and model views")
struct SectionTests {
    private static let columns = "items: items\nkey: id\ncolumns: {id: id, name: name, kind: kind}\nsection: kind"

    private static func item(_ id: Int, _ kind: String?) -> String {
        #"{"id":\#(id),"name":"item \#(id)","kind":\#(kind.map { "\"\($0)\"" } ?? "null")}"#
    }

    @Test("A feed that groups nothing has one section, named NULL")
    func ungrouped() async throws {
        let bench = try await EngineBench()
        try await bench.more(.allPages)
        #expect(try bench.query("SELECT feed, name IS NULL, position, item_count FROM section") == ["things|1|0|35"])
    }

    @Test("Sections are in feed order, with their counts, as items come and move")
    func grouped() async throws {
        let bench = try await EngineBench(
            [Self.item(1, "b"), Self.item(2, "a"), Self.item(3, nil), Self.item(4, "b")], columns: Self.columns)
        try await bench.reload()
        let sql = "SELECT coalesce(name, '-'), position, item_count FROM section ORDER BY position"
        #expect(try bench.query(sql) == ["b|0|2", "a|1|1", "-|2|1"])
        bench.upstream.items = [
            Self.item(2, "c"), Self.item(1, "b"), Self.item(4, "b"), Self.item(3, nil), Self.item(5, "c"),
        ]
        try await bench.reload()
        #expect(try bench.query(sql) == ["c|0|2", "b|1|2", "-|2|1"])
    }

    @Test("A time can be grouped by a span of it")
    func byDay() async throws {
        let columns = "items: items\nkey: id\ncolumns: {id: id}\nsection: {path: at, by: day}"
        let items = ["2026-11-21T01:00:00+02:00", "2026-11-20T10:00:00Z", "soon"].enumerated().map {
            #"{"id":\#($0),"at":"\#($1)"}"#
        }
        let bench = try await EngineBench(items, columns: columns)
        try await bench.reload()
        #expect(
            try bench.query("SELECT name, item_count FROM section ORDER BY position") == ["2026-11-20|2", "soon|1"])
    }

    @Test("A model's view is the union of its feeds, with NULL where one has no such column")
    func modelView() async throws {
        let bench = try await EngineBench(members: "model: thing")
        try await bench.reload()
        let yaml = """
            url: \(bench.server.url)/things
            items: items
            key: id
            columns: {id: id, title: name}
            model: thing
            """
        let other = try FeedDefinition.parse(name: "other-things", yaml: yaml)
        _ = try await bench.another(other).perform(.reload)
        let columns = try bench.query("SELECT name FROM pragma_table_info('thing')")
        #expect(
            columns == [
                "feed", "id", "name", "title", "_section", "_generation", "_position", "_first_seen_at", "_changed_at",
                "_removed_at",
            ])
        #expect(
            try bench.query("SELECT feed, id, name, title FROM thing WHERE id = 1 ORDER BY feed")
                == ["other-things|1||item 1", "things|1|item 1|"])
    }

    @Test("The store's counts are those of its rows, whatever the upstream does between commands")
    func property() async throws {
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed)
        for _ in 0..<12 {
            let kinds = ["a", "b", "c", nil]
            let bench = try await EngineBench(
                (0..<Int.random(in: 0...45, using: &random)).map {
                    Self.item($0, kinds.randomElement(using: &random) ?? nil)
                },
                columns: Self.columns)
            bench.upstream.sendsETag = Bool.random(using: &random)
            var nextID = 1000
            for _ in 0..<12 {
                var items = bench.upstream.items
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    let place = items.isEmpty ? 0 : Int.random(in: 0..<items.count, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0:
                        nextID += 1
                        items.insert(Self.item(nextID, kinds.randomElement(using: &random) ?? nil), at: place)
                    case 1 where !items.isEmpty: items.remove(at: place)
                    case 2 where !items.isEmpty: items.append(items.remove(at: place))
                    case 3 where !items.isEmpty:
                        let id = try #require(items[place].firstMatch(of: #/"id":(\d+)/#)?.1)
                        items[place] = Self.item(try #require(Int(id)), kinds.randomElement(using: &random) ?? nil)
                    default: break
                    }
                }
                bench.upstream.items = items
                let before =
                    try bench.query("SELECT count(*) FROM sqlite_schema WHERE name = 'things'") == ["0"]
                    ? 0 : Int(try bench.query("SELECT count(*) FROM things")[0]) ?? 0
                let isReload = Bool.random(using: &random)
                let error = await bench.engine.error(of: isReload ? .reload : .allPages)
                // A list that shifts by a whole page can look like the same page twice; that is said, not stored.
                #expect(error == nil || error?.kind == .unfollowable, "seed \(seed): \(String(describing: error))")
                #expect(try Int(bench.query("SELECT count(*) FROM things")[0]) ?? 0 >= before, "seed \(seed)")
                #expect(try bench.query("SELECT count(*) FROM things") == [bench.feed("item_count")], "seed \(seed)")
                let counted = try bench.query(
                    """
                    SELECT coalesce(_section, '-'), count(*) FROM
                        (SELECT * FROM things ORDER BY _generation DESC, _position)
                    GROUP BY _section ORDER BY max(_generation * 100000 - _position) DESC
                    """)
                let told = try bench.query("SELECT coalesce(name, '-'), item_count FROM section ORDER BY position")
                #expect(counted == told, "seed \(seed)")
                let doubled = try bench.query(
                    "SELECT count(*) FROM things GROUP BY _generation, _position HAVING count(*) > 1")
                #expect(doubled.isEmpty, "seed \(seed)")
                #expect(grammarFault(try bench.log) == nil, "seed \(seed)")
            }
            // At rest, a crawl of every page leaves the upstream's order.
            for _ in 0..<2 { _ = try? await bench.sync() }
            let upstream = bench.upstreamNames(.max)
            #expect(try bench.names.filter(Set(upstream).contains) == upstream, "seed \(seed)")
            #expect(try bench.query("PRAGMA integrity_check") == ["ok"], "seed \(seed)")
        }
    }
}

extension SyncEngine {
    /// The error that a command ends with; nil if it ends well.
    func error(of command: RequestCommand) async -> FeedSyncError? {
        do throws(FeedSyncError) { _ = try await perform(command) } catch { return error }
        return nil
    }
}
