import Concurrency
import Foundation
import HTTP
import HTTPServer
import SQLite
import ScriptedServer
import TemporaryFolder
import Testing

@testable import FeedSync
@testable import MirrorReader
@testable import StoreFile

/// The lists of an upstream, of pages of two items.
private final class Upstream: Sendable {
    private struct Script {
        var lists: [String: [String]] = [:]
        var failures: [String: Int] = [:]
        var asked: [String] = []
        var gate: Gate?
    }

    private let script = Lock(Script())

    func answer(_ request: ServerRequest) -> ServerResponse {
        let path = request.path + (request.parameter("thing").map { "?\($0)" } ?? "")
        let (status, items) = script.withLock { script in
            script.asked.append(path)
            return (script.failures[path], script.lists[path])
        }
        if path.hasSuffix("/things") { script.withLock { $0.gate }?.wait() }
        guard status == nil, let items else { return .status(status ?? 404) }
        let page = Int(request.parameter("page") ?? "") ?? 1
        if let status = script.withLock({ $0.failures["\(path)#\(page)"] }) { return .status(status) }
        return .json("[\(items.dropFirst((page - 1) * 2).prefix(2).joined(separator: ","))]")
    }

    func set(_ path: String, _ items: [String]) { script.withLock { $0.lists[path] = items } }

    /// Lists of things come when the gate is open.
    func hold(_ gate: Gate) { script.withLock { $0.gate = gate } }

    /// Answers a path, or a page as in `/things#2`, with a status; nil for its list.
    func fail(_ path: String, _ status: Int?) { script.withLock { $0.failures[path] = status } }

    func forgetAsked() { script.withLock { $0.asked = [] } }

    var requestCount: Int { script.withLock { $0.asked.count } }

    /// The requested paths, each once.
    var paths: [String] {
        script.withLock { $0.asked.reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
    }
}

/// A feed of owners, each with a list of things, which have labels in turn.
private final class Tree: Sendable {
    private let server: Server
    let upstream: Upstream
    let store: Store
    let folder: TemporaryFolder
    let feeds: [FeedDefinition]
    let twin: SharedTwin?

    init(_ members: String = "", thing: String = "") async throws {
        let upstream = Upstream()
        self.upstream = upstream
        server = try Server { upstream.answer($0) }
        folder = try TemporaryFolder()
        store = try await Store(path: folder.file("store.db"))
        feeds = try Self.feeds(at: server.url, members, thing)
        twin = try await SharedTwin.of(store, feeds: feeds.map(\.name) + ["lists"])
    }

    private static func feeds(at url: String, _ members: String, _ thing: String) throws -> [FeedDefinition] {
        let yaml = """
            defaults: {retries: 0, timeout: 10m, key: id, pagination: {style: page, param: page}}
            feeds:
              owners: {url: "\(url)/owners"}
              things:
                for_each: {feed: owners\(members)}
                url: "\(url)/owners/{owners.name}/things"
            \(thing)
              labels:
                for_each: things
                url: "\(url)/labels"
                query: {thing: "{things.id}"}
            """
        return try Configuration.parse(Array(yaml.utf8), file: "feedsync.yaml").feeds
    }

    deinit {
        server.stop()
        twin?.check()
    }

    func set(_ path: String, _ items: [String]) { upstream.set(path, items) }

    var ownersURL: String { "\(server.url)/owners" }

    func owner(_ id: Int, _ name: String, at: Int = 0) -> String { #"{"id":\#(id),"name":"\#(name)","at":\#(at)}"# }

    @discardableResult
    func sync(
        _ name: String, _ command: RequestCommand = .sync, dueOnly: Bool = false, requests: Int? = nil,
        thing: String? = nil
    ) async throws -> RunSummary {
        let feeds = try thing.map { try Self.feeds(at: server.url, "", $0) } ?? feeds
        let feed = try #require(feeds.first { $0.name == name })
        var options = EngineBench.options
        if let requests {
            options.client = Client(userAgent: "feedsync-tests", budget: RequestBudget(requests: requests))
        }
        upstream.forgetAsked()
        let engine = try await SyncEngine(feed: feed, store: store, options: options)
        return try await dueOnly ? engine.syncDue() : engine.perform(command)
    }

    func failure(_ name: String) async throws -> FeedSyncError {
        do {
            let summary = try await sync(name)
            throw FeedSyncError(.bug, "the command succeeded: \(summary)")
        } catch let error as FeedSyncError {
            return error
        }
    }

    func query(_ sql: String) throws -> [String] {
        try Connection(path: store.path, access: .readOnly).lines(sql)
    }

    /// Stops the server.
    func stop() { server.stop() }

    func execute(_ sql: String) throws { try Connection(path: store.path, access: .readWrite).execute(sql) }

    /// The paths requested since the last sync began, each once.
    var paths: [String] { upstream.paths }
}

@Suite("A feed for each row of another", .timeLimit(.minutes(10))) struct ForEachTests {
    private func tree(_ members: String = "", thing: String = "") async throws -> Tree {
        let tree = try await Tree(members, thing: thing)
        tree.set("/owners", [tree.owner(1, "ann"), tree.owner(2, "b/ob c"), tree.owner(3, "cid")])
        tree.set("/owners/ann/things", [1, 2, 3].map { #"{"id":\#($0),"title":"a"}"# })
        // A slash is one in the path, too, and a space is encoded.
        tree.set("/owners/b/ob c/things", [3, 4].map { #"{"id":\#($0),"title":"b"}"# })
        tree.set("/owners/cid/things", [])
        for id in 1...4 { tree.set("/labels?\(id)", [#"{"id":"l\#(id)"}"#]) }
        try await tree.sync("owners")
        return tree
    }

    @Test("A feed for each row has the lists of all rows in one table, keyed by row and item, to any depth")
    func oneTable() async throws {
        let tree = try await tree()
        let summary = try await tree.sync("things")
        #expect(summary.itemCount == 5 && summary.reason == nil)
        let rows = try tree.query("SELECT owners_id, id, title FROM things ORDER BY 1, 2")
        #expect(rows == ["1|1|a", "1|2|a", "1|3|a", "2|3|b", "2|4|b"])
        #expect(try tree.query("SELECT item_count, complete FROM feed WHERE name = 'things'") == ["5|1"])
        #expect(
            try tree.query("SELECT name, parent_key, item_count, complete FROM feed_part ORDER BY 1")
                == ["things/1|1|3|1", "things/2|2|2|1", "things/3|3|0|1"])
        #expect(try tree.query("SELECT item_count FROM section WHERE feed = 'things'") == ["5"])
        // With a store in PostgreSQL, the view is there.
        if !SharedTwin.isWanted {
            #expect(try tree.query("SELECT key FROM change WHERE feed = 'things' AND kind = 'new'").count == 5)
        }
        try await tree.sync("labels")
        #expect(
            try tree.query("SELECT things_owners_id, things_id, id FROM labels ORDER BY 1, 2")
                == ["1|1|l1", "1|2|l2", "1|3|l3", "2|3|l3", "2|4|l4"])
        #expect(try tree.query("SELECT name FROM feed_part WHERE feed = 'labels' LIMIT 1") == ["labels/1/1"])
    }

    @Test("Lists that run at once find columns together: each path has its own, and what one widens is wide for all")
    func columnsAtOnce() async throws {
        let tree = try await tree(thing: "    pagination: {style: page, param: page, prefetch: 4}")
        tree.set("/owners/ann/things", [#"{"id":1,"owner":{"login":"ann"},"value":1}"#])
        tree.set("/owners/b/ob c/things", [#"{"id":1,"owner_login":"bob","value":"text"}"#])
        tree.set("/owners/cid/things", [#"{"id":1}"#])
        let gate = Gate()
        tree.upstream.hold(gate)
        async let run = tree.sync("things")
        await gate.arrived(3)
        gate.open()
        _ = try await run
        let columns = try tree.query(
            """
            SELECT json_extract(value, '$.path'), json_extract(value, '$.name') FROM _feed, json_each(columns)
            WHERE feed = 'things'
            """)
        for (path, row) in [("owner.login", "1|ann"), ("owner_login", "2|bob")] {
            let name = try #require(columns.first { $0.hasPrefix("\(path)|") }?.dropFirst(path.count + 1))
            #expect(try tree.query("SELECT owners_id, \(name) FROM things WHERE \(name) IS NOT NULL") == [row])
        }
        #expect(try tree.query("SELECT value FROM things WHERE typeof(value) = 'text' ORDER BY 1") == ["1", "text"])
    }

    @Test("A column that several lists bring, or have no more, is one change of the feed that has the lists")
    func columnChanges() async throws {
        let tree = try await Tree()
        tree.set("/owners", [tree.owner(1, "a"), tree.owner(2, "b")])
        for (name, id) in [("a", 1), ("b", 2)] { tree.set("/owners/\(name)/things", [#"{"id":\#(id),"title":"x"}"#]) }
        for feed in ["owners", "things"] { try await tree.sync(feed) }
        for (name, id) in [("a", 1), ("b", 2)] { tree.set("/owners/\(name)/things", [#"{"id":\#(id),"label":"x"}"#]) }
        try await tree.sync("things")
        #expect(
            try tree.query("SELECT feed, kind, \"column\" FROM _column_change ORDER BY id")
                == ["things|new|label", "things|gone|title"])
    }

    @Test("A list that fails does not keep the others from going on; how many do is said")
    func oneFails() async throws {
        let tree = try await tree()
        tree.upstream.fail("/owners/ann/things", 403)
        let error = try await tree.failure("things")
        #expect(error.kind == .refused)
        #expect(error.message.hasPrefix("1 of 3 lists failed; things/1: "))
        #expect(try tree.query("SELECT id FROM things ORDER BY 1") == ["3", "4"])
        #expect(try tree.query("SELECT complete, error IS NULL FROM feed WHERE name = 'things'") == ["0|0"])
        #expect(try tree.query("SELECT name FROM feed_part WHERE error IS NOT NULL") == ["things/1"])
        #expect(try tree.query("SELECT failures FROM _feed_part ORDER BY feed") == ["1", "0", "0"])
        tree.upstream.fail("/owners/ann/things", nil)
        #expect(try await tree.sync("things").reason == nil)
        #expect(try tree.query("SELECT count(*) FROM things") == ["5"])
    }

    private static let removedByEvent = "SELECT feed, status, removed FROM event WHERE removed > 0 AND feed <> 'owners'"

    @Test("A list that is gone loses its items after one 410 or two 404s, and the run does not fail")
    func listIsGone() async throws {
        for status in [404, 410] {
            let tree = try await tree()
            try await tree.sync("things")
            tree.upstream.fail("/owners/ann/things", status)
            if status == 404 {
                let first = try await tree.sync("things")
                #expect(first.reason == .cutOff && first.outcome.isSuccess && first.figures.items.removed == 0)
                #expect(first.notices.contains { $0.hasPrefix("things/1: not found; its items") }, "\(first.notices)")
                #expect(try tree.query("SELECT item_count, complete FROM feed WHERE name = 'things'") == ["5|0"])
            }
            try await expectGone(tree)
        }
    }

    @Test("A list that was not found once and comes back keeps its items")
    func listComesBack() async throws {
        let tree = try await tree()
        try await tree.sync("things")
        for _ in 1...2 {
            tree.upstream.fail("/owners/ann/things", 404)
            #expect(try await tree.sync("things").reason == .cutOff)
            tree.upstream.fail("/owners/ann/things", nil)
            #expect(try await tree.sync("things").reason == nil)
            #expect(try tree.query("SELECT item_count, complete FROM feed WHERE name = 'things'") == ["5|1"])
        }
    }

    @Test("Two answers that a list is not found are not two in a row if it was loaded in between")
    func notInARow() async throws {
        let tree = try await tree()
        try await tree.sync("things")
        tree.upstream.fail("/owners/ann/things", 404)
        #expect(try await tree.sync("things").reason == .cutOff)
        tree.upstream.fail("/owners/ann/things", nil)
        try await tree.sync("things", .reload)
        tree.upstream.fail("/owners/ann/things", 404)
        #expect(try await tree.sync("things").reason == .cutOff)
        #expect(try tree.query("SELECT item_count, complete FROM feed WHERE name = 'things'") == ["5|0"])
    }

    private func expectGone(_ tree: Tree) async throws {
        let summary = try await tree.sync("things")
        #expect(summary.reason == nil && summary.outcome == .ok && summary.figures.items.removed == 3)
        #expect(summary.figures.requests == tree.upstream.requestCount)
        #expect(try tree.query(Self.removedByEvent) == ["things/1|endHeader|3"])
        #expect(try tree.query("SELECT id FROM things WHERE _removed_at IS NULL ORDER BY 1") == ["3", "4"])
        #expect(try tree.query("SELECT item_count, complete FROM feed WHERE name = 'things'") == ["2|1"])
        tree.upstream.fail("/owners/ann/things", nil)
        try await tree.sync("things")
        #expect(try tree.query("SELECT count(*) FROM things WHERE _removed_at IS NULL") == ["5"])
    }

    @Test("A page that is gone further down is a failure of its list, and takes no items along")
    func pageIsGone() async throws {
        let tree = try await tree()
        try await tree.sync("things")
        tree.upstream.fail("/owners/ann/things#2", 410)
        tree.set("/owners/ann/things", [3, 1, 2].map { #"{"id":\#($0),"title":"x"}"# })
        let error = try await tree.failure("things")
        #expect(error.message.hasPrefix("1 of 3 lists failed; things/1: ") && error.httpStatus == 410)
        #expect(try tree.query("SELECT count(*) FROM things WHERE _removed_at IS NULL") == ["5"])
        #expect(try tree.query("SELECT name FROM feed_part WHERE error IS NOT NULL") == ["things/1"])
        let other = try await self.tree()
        try await other.sync("things", .reload)
        other.upstream.fail("/owners/ann/things#2", 410)
        await #expect(throws: FeedSyncError.self) { try await other.sync("things", .nextPage) }
    }

    @Test("Items go with their row, and come back with it")
    func rowGoes() async throws {
        let tree = try await tree()
        try await tree.sync("things")
        tree.set("/owners", [tree.owner(2, "b/ob c"), tree.owner(3, "cid")])
        try await tree.sync("owners")
        let summary = try await tree.sync("things")
        #expect(summary.outcome == .ok && summary.figures.items.removed == 3)
        #expect(
            try tree.query("SELECT outcome, removed FROM run WHERE feed = 'things' ORDER BY id DESC LIMIT 1") == [
                "ok|3"
            ])
        #expect(try tree.query(Self.removedByEvent) == ["things/1|endHeader|3"])
        #expect(
            try tree.query("SELECT status FROM event WHERE feed = 'things/1' ORDER BY id DESC LIMIT 2") == [
                "endHeader", "beginHeader",
            ])
        #expect(
            try tree.query("SELECT owners_id, id FROM things WHERE _removed_at IS NULL ORDER BY 1, 2") == [
                "2|3", "2|4",
            ])
        #expect(try tree.query("SELECT name FROM feed_part ORDER BY 1") == ["things/2", "things/3"])
        #expect(try tree.query("SELECT item_count, complete FROM feed WHERE name = 'things'") == ["2|1"])
        #expect(
            try tree.query("SELECT key FROM change WHERE feed = 'things' AND kind = 'removed'") == [
                "[1,1]", "[1,2]", "[1,3]",
            ])
        tree.set("/owners", [tree.owner(1, "ann"), tree.owner(2, "b/ob c"), tree.owner(3, "cid")])
        try await tree.sync("owners")
        try await tree.sync("things")
        #expect(try tree.query("SELECT count(*) FROM things WHERE _removed_at IS NULL") == ["5"])
    }

    @Test("A row that moves up behind the cut of its feed's crawl keeps its items")
    func movesUpBehindTheCut() async throws {
        let tree = try await tree()
        let names = (1...16).map { "n\($0)" }
        for (index, name) in names.enumerated() {
            tree.set("/owners/\(name)/things", [index, 100 + index].map { #"{"id":\#($0)}"# })
        }
        var owners = names.enumerated().map { tree.owner($0 + 1, $1) }
        tree.set("/owners", owners)
        try await tree.sync("owners")
        try await tree.sync("things")
        // A crawl of every page is cut, and a row of its last pages moves up to what it has read.
        _ = try? await tree.sync("owners", requests: 4)
        owners.insert(owners.remove(at: 13), at: 2)
        tree.set("/owners", owners)
        try await tree.sync("owners")
        try await tree.sync("things")
        for feed in ["owners", "things"] {
            #expect(try tree.query("SELECT count(*) FROM \(feed) WHERE _removed_at IS NOT NULL") == ["0"])
        }
        #expect(
            try tree.query("SELECT item_count FROM feed WHERE name IN ('owners', 'things') ORDER BY name") == [
                "16", "32",
            ])
    }

    @Test("Only rows that the condition chooses have lists, and a row that it chooses no more counts as gone")
    func condition() async throws {
        let tree = try await tree(#", where: "name <> 'cid' AND at < 5""#)
        try await tree.sync("things")
        #expect(tree.paths == ["/owners/ann/things", "/owners/b/ob c/things"])
        tree.set("/owners", [tree.owner(1, "ann", at: 7), tree.owner(2, "b/ob c"), tree.owner(3, "cid")])
        try await tree.sync("owners")
        try await tree.sync("things")
        #expect(try tree.query("SELECT id FROM things WHERE _removed_at IS NULL ORDER BY 1") == ["3", "4"])
    }

    @Test(
        "Rows never asked for come first, then those that changed; those that did not cost no request before they are due"
    )
    func order() async throws {
        let tree = try await tree(", when: at")
        try await tree.sync("things")
        tree.set(
            "/owners",
            [tree.owner(1, "ann"), tree.owner(3, "cid", at: 1), tree.owner(2, "b/ob c"), tree.owner(9, "new")])
        tree.set("/owners/new/things", [])
        try await tree.sync("owners")
        try await tree.sync("things")
        #expect(tree.paths == ["/owners/new/things", "/owners/cid/things"])
        try await tree.sync("things")
        #expect(tree.paths == [])
        try await tree.sync("things", dueOnly: true)
        #expect(tree.paths == [])
    }

    @Test("Due lists alone are requested on demand")
    func due() async throws {
        let tree = try await tree()
        try await tree.sync("things")
        try await tree.sync("things", dueOnly: true)
        #expect(tree.paths == [])
        try tree.execute("UPDATE feed_part SET next_due_at = '2020-01-01T00:00:00.000Z' WHERE name = 'things/2'")
        try await tree.sync("things", dueOnly: true)
        #expect(tree.paths == ["/owners/b/ob c/things"])
    }

    @Test(
        "The lists that are due longest come first; those that are due in the same hour come in the store's order",
        arguments: [
            ("05:10", ["/owners/ann/things", "/owners/cid/things", "/owners/b/ob c/things"]),
            ("04:59", ["/owners/cid/things", "/owners/ann/things", "/owners/b/ob c/things"]),
        ])
    func dueOrder(third: String, paths: [String]) async throws {
        let tree = try await tree()
        try await tree.sync("things")
        for (id, time) in [("3", third), ("1", "05:50"), ("2", "06:00")] {
            try tree.execute(
                "UPDATE feed_part SET next_due_at = '2020-01-01T\(time):00.000Z' WHERE name = 'things/\(id)'")
        }
        try await tree.sync("things", dueOnly: true)
        #expect(tree.paths == paths)
    }

    @Test("A value of a row leads to no other host, and to no other place of its own")
    func hostile() async throws {
        let definition = try #require(
            try Configuration.parse(
                Array(
                    """
                    feeds:
                      a: {url: "https://one.example/a"}
                      b: {for_each: a, url: "{a.u}", auth: {bearer: "${T}"}, allow_origins: ["https://two.example"]}
                      c: {for_each: a, url: "https://one.example/{a.u}/x"}
                    """.utf8), file: "x.yaml"
            ).feeds.dropFirst().first)
        let row = { (text: String) in
            ParentRow(
                key: [FeedPart.KeyColumn(name: "a_id", value: .integer(1))],
                values: [ParentColumn(feed: "a", name: "u"): text])
        }
        #expect(try definition.part(for: row("https://ONE.example:443/x")).url.description.hasSuffix("/x"))
        for url in [
            "https://two.example/", "https://three.example/", "file:///etc/passwd", "https://one.example@evil/", "x",
        ] {
            #expect(throws: FeedSyncError.self, "\(url)") { try definition.part(for: row(url)) }
        }
    }

    @Test(
        "A definition that contradicts itself is refused, and the error says why",
        arguments: [
            ("for_each: nobody\n    url: https://x/{nobody.id}", "there is no feed `nobody`"),
            ("for_each: b\n    url: https://x/{b.id}", "goes through its own rows"),
            ("for_each: a\n    url: https://x/y", "asks for the same list for each row"),
            ("for_each: a\n    url: https://x/{c.id}", "names no column of `a`"),
            ("for_each: a\n    url: https://x/{a.id}/{c.d.e}", "names no column of `a`"),
            ("for_each: a\n    url: https://{a.id}/y", "has a column in its host"),
            ("for_each: a\n    url: https://x{a.id}/y", "has a column in its host"),
        ])
    func refused(members: String, words: String) throws {
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration.parse(
                Array("feeds:\n  a: {url: https://x/a}\n  b:\n    \(members)\n".utf8), file: "x.yaml")
        }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test("A column that the rows lack is an error of the configuration, with the nearest one, as often as one tries")
    func unknownColumn() async throws {
        let tree = try await tree(", when: att")
        for _ in 1...2 {
            let error = try await tree.failure("things")
            #expect(error.kind == .configuration)
            #expect(error.message == "the items of `owners` have no column `att`; did you mean `at`?")
        }
    }

    @Test("A condition that SQLite cannot use is an error of the configuration that quotes it")
    func brokenCondition() async throws {
        for condition in ["nmae = 'x'", "at <"] {
            let tree = try await tree(#", where: "\#(condition)""#)
            let error = try await tree.failure("things")
            #expect(error.kind == .configuration)
            #expect(error.message.contains("SQLite cannot use the `where` of `for_each`, `\(condition)`"), "\(error)")
        }
    }

    @Test("After three lists in a row that cannot be reached, the others are left for the next run")
    func unreachable() async throws {
        let tree = try await Tree()
        tree.set("/owners", (1...6).map { tree.owner($0, "o\($0)") })
        try await tree.sync("owners")
        tree.stop()
        let error = try await tree.failure("things")
        #expect(error.kind == .unreachable)
        #expect(try tree.query("SELECT count(*) FROM run WHERE feed GLOB 'things/*'") == ["3"])
    }

    @Test("Lists of several hosts are asked at once; a host that cannot be reached holds up no other")
    func hosts() async throws {
        let tree = try await Tree()
        let servers = try (0..<3).map { _ in try ScriptedServer() }
        let gates = servers[0...1].map { $0.gate() }
        for (number, server) in servers.enumerated() {
            server.route("/list") { _ in
                if number < 2 { gates[number].wait() }
                return .json(#"[{"id":"of \#(number)"}]"#)
            }
        }
        // Four rows of a host that is gone by then stand before the others.
        let urls = (1...4).map { "\(servers[2].url)/list?\($0)" } + servers[0...1].map { "\($0.url)/list" }
        tree.set("/owners", urls.enumerated().map { #"{"id":\#($0),"name":"n","list":"\#($1)"}"# })
        try await tree.sync("owners")
        servers[2].stop()
        let origins = servers.map { "\"\($0.url)\"" }.joined(separator: ", ")
        let yaml = """
            defaults: {retries: 0, timeout: 10m, key: id, pagination: none}
            feeds:
              owners: {url: "\(tree.ownersURL)"}
              lists: {for_each: owners, url: "{owners.list}", allow_origins: [\(origins)]}
            """
        let lists = try #require(try Configuration.parse(Array(yaml.utf8), file: "feedsync.yaml").feed(named: "lists"))
        let run = Task {
            try await SyncEngine(feed: lists, store: tree.store, options: EngineBench.options).perform(.sync)
        }
        // Both are under way; neither has an answer.
        for gate in gates { await gate.arrived() }
        for gate in gates { gate.open() }
        let error = await #expect(throws: FeedSyncError.self) { try await run.value }
        #expect(error?.message.hasPrefix("3 of 6 lists failed") == true, "\(error?.message ?? "")")
        #expect(try tree.query("SELECT id FROM lists ORDER BY id") == ["of 0", "of 1"])
        for server in servers { server.stop() }
    }

    @Test("A list that failed waits longer each time, and the others do not")
    func backOff() async throws {
        let tree = try await tree()
        tree.upstream.fail("/owners/ann/things", 403)
        for _ in 1...3 { _ = try await tree.failure("things") }
        let due =
            "SELECT cast(24 * (julianday(next_due_at) - julianday('now')) AS integer) FROM feed_part ORDER BY name"
        // Fifteen minutes, doubled for each failure after the first, and up to a tenth more.
        #expect(try tree.query(due) == ["1", "0", "0"])
        _ = try await tree.sync("things", dueOnly: true)
        #expect(tree.paths == [])
    }

    @Test("Observers of a feed get the pages of its lists")
    func observed() async throws {
        let tree = try await tree()
        #expect(try await tree.store.lastPageEvent(of: "things") == 0)
        try await tree.sync("things")
        let event = try await tree.store.lastPageEvent(of: "things")
        #expect(try tree.query("SELECT max(id) FROM event WHERE feed GLOB 'things/*'") == ["\(event)"])
    }

    @Test("Values may be in headers and bodies, too, and none of them makes another request of it")
    func request() throws {
        let yaml = """
            feeds:
              a: {url: "https://one.example/a"}
              b:
                for_each: a
                url: "https://one.example/${T}/{a.u}?x={ and y=}"
                method: POST
                body: {v: ["{a.u}", 1, null, true], w: "{ no column }"}
                headers: {X-Of: "of {a.u}"}
            """
        let feeds = try Configuration.parse(Array(yaml.utf8), file: "x.yaml").feeds
        let row = { (text: String) in
            ParentRow(
                key: [FeedPart.KeyColumn(name: "a_id", value: .text("a/b"))],
                values: [ParentColumn(feed: "a", name: "u"): text])
        }
        let part = try feeds[1].part(for: row("é 1"))
        #expect(part.name == "b/a%2Fb")
        #expect(part.url.description == "https://one.example/${T}/%C3%A9%201?x={ and y=}")
        #expect(part.headers.map(\.value.description) == ["of é 1"])
        let body = try part.body?.resolved { $0.value.description }
        #expect(body?.json == #"{"v":["é 1",1,null,true],"w":"{ no column }"}"#)
        // The common lines of the parts are made once for all of them.
        let common = try feeds[1].part(for: row("other")).commonLines(salt: "salt")
        #expect(part.canonicalText(salt: "salt", common: common) == part.canonicalText(salt: "salt"))
        for text in ["..", ".", "a\r\nX-Other: 1"] {
            #expect(throws: FeedSyncError.self, "\(text)") { try feeds[1].part(for: row(text)) }
        }
    }

    @Test("A changed definition changes the lists one by one, and the model's view follows")
    func changed() async throws {
        let tree = try await tree()
        try await tree.sync("things")
        let summary = try await tree.sync("things", thing: "    model: thing\n    raw: true")
        #expect(summary.reason == nil && summary.figures.items.inserted == 0)
        #expect(try tree.query("SELECT count(*) FROM thing WHERE feed = 'things'") == ["5"])
        #expect(try tree.query("SELECT count(*) FROM things WHERE _raw IS NOT NULL") == ["5"])
        let error = await #expect(throws: FeedSyncError.self) {
            try await tree.sync("things", thing: "    key: title")
        }
        #expect(error?.kind == .configuration && error?.message.contains("`key` differs") == true)
    }

    @Test("A parent without rows has no lists, and that is said")
    func noRows() async throws {
        let tree = try await Tree()
        let before = try await tree.sync("things")
        #expect(before.notices == ["`owners` has no rows to ask for yet"])
        tree.set("/owners", [])
        try await tree.sync("owners")
        #expect(try await tree.sync("things").figures.requests == 0)
    }

    @Test("Reload and more go to the list of each row that they concern")
    func otherCommands() async throws {
        let tree = try await tree()
        try await tree.sync("things", .reload)
        #expect(try tree.query("SELECT count(*) FROM things") == ["4"])
        tree.upstream.fail("/owners/cid/things", 404)
        try await tree.sync("things", .reload)
        try await tree.sync("things", .nextPage)
        #expect(try tree.query("SELECT count(*) FROM things") == ["5"])
        while try await tree.sync("things", .nextPage).outcome != .noMoreData {}
        #expect(try await tree.sync("things", .nextPage).figures.requests == 0)
    }

    @Test("A run that ends in the midst goes on with the lists that were not asked yet, and nothing starves")
    func budget() async throws {
        let tree = try await tree()
        var asked: [String] = []
        for _ in 1...5 {
            _ = try? await tree.sync("things", requests: 3)
            asked += tree.paths
        }
        #expect(Set(asked).count == 3)
        #expect(try tree.query("SELECT count(*) FROM things") == ["5"])
    }
}
