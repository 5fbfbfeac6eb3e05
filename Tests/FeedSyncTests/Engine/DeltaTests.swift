import Concurrency
import HTTP
import HTTPServer
import ScriptedServer
import SeededGenerator
import Testing

@testable import FeedSync

@Suite("A sync by delta")
struct DeltaTests {
    private func bench(_ list: ChangeLogList, _ sync: String = "", members: String = "") async throws -> EngineBench {
        let bench = try await EngineBench(
            members:
                "sync: {mode: delta, \(sync.isEmpty ? list.rule : sync)}\nremoved: gone\n\(members)\n\(list.members)",
            paging: list.paging, columns: "items: items\nkey: id\ncolumns: {id: id, name: name}")
        for path in ["/things", "/delta"] { bench.server.route(path) { list.answer($0, at: bench.server.url) } }
        return bench
    }

    private func rows(_ bench: EngineBench) throws -> [String] {
        try bench.query("SELECT id, name FROM things WHERE _removed_at IS NULL ORDER BY id")
    }

    private func token(_ bench: EngineBench) throws -> String {
        try bench.query("SELECT coalesce(watermark, '') FROM _feed").first ?? ""
    }

    @Test(
        "A first sync reads every page, later ones what changed since its token, whatever form the token has",
        arguments: ChangeLogList.Form.allCases)
    func changes(form: ChangeLogList.Form) async throws {
        let list = ChangeLogList(form, items: 25)
        let bench = try await bench(list)
        let first = try await bench.sync()
        #expect(first.reason == nil && first.figures.pages == 3, "\(form)")
        #expect(try rows(bench) == list.rows)
        list.edit { state in
            state.set(3, "three")
            state.remove(7)
            state.set(99, "new")
        }
        let count = bench.server.requests.count
        let second = try await bench.sync()
        #expect(bench.server.requests.count == count + 1, "\(form): one request, for what changed")
        #expect(try rows(bench) == list.rows)
        #expect(second.reason == nil && second.figures.items.updated == 1 && second.figures.items.inserted == 1)
        #expect(try bench.query("SELECT id FROM things WHERE _removed_at IS NOT NULL") == ["7"])
        let third = try await bench.sync()
        #expect(third.outcome == .unchanged && third.figures.requests == 1)
        #expect(try bench.feed("complete") == "1")
        #expect(grammarFault(try bench.log) == nil)
    }

    @Test("The token of the first page is kept where each page has one, so that a change meanwhile comes again")
    func tokenOnEachPage() async throws {
        let bench = try await EngineBench(
            members: "sync: {mode: delta, token: {header: ETag}, param: since}", paging: "pagination: {style: page}")
        // Each change takes the next number.
        let changes = Lock((items: (1...25).map { (id: $0, name: "item \($0)", change: $0) }, isMoving: false))
        bench.server.route("/things") { request in
            let page = request.parameter("page").flatMap { Int($0) } ?? 1
            let (items, last) = changes.withLock { changes in
                if page == 2, changes.isMoving {
                    changes.isMoving = false
                    changes.items[2] = (id: 3, name: "three", change: 51)
                }
                return (changes.items, changes.items.map(\.change).max() ?? 0)
            }
            let since = request.parameter("since").flatMap { Int($0) } ?? 0
            let texts = items.filter { $0.change > since }.dropFirst((page - 1) * 10).prefix(10).map {
                "{\"id\":\($0.id),\"name\":\"\($0.name)\"}"
            }
            return .json("{\"items\":[\(texts.joined(separator: ","))]}", headers: [("ETag", "\(last)")])
        }
        try await bench.sync()
        changes.withLock { changes in
            changes.items = changes.items.map { (id: $0.id, name: "again \($0.id)", change: $0.change + 25) }
            changes.isMoving = true
        }
        try await bench.sync()
        #expect(try bench.query("SELECT name FROM things WHERE id = 3") == ["again 3"])
        try await bench.sync()
        #expect(try bench.query("SELECT name FROM things WHERE id = 3") == ["three"])
        #expect(try await bench.sync().outcome == .unchanged)
    }

    @Test("A delta that names an item once for each of its changes has its last state")
    func severalChanges() async throws {
        let bench = try await EngineBench(
            members: "sync: {mode: delta, token: token, param: since}", paging: "pagination: none")
        bench.server.route("/things") { request in
            switch request.parameter("since") {
            case nil: .json(#"{"token":"a","items":[{"id":1,"name":"one"},{"id":2,"name":"two"}]}"#)
            case "a": .json(#"{"token":"b","items":[{"id":2,"name":"deux"},{"id":2,"name":"zwei"}]}"#)
            default: .json(#"{"token":"b","items":[]}"#)
            }
        }
        try await bench.sync()
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.query("SELECT name FROM things ORDER BY id") == ["one", "zwei"])
        try await bench.sync()
        #expect(bench.server.requests.last?.parameter("since") == "b")
    }

    @Test("A token is kept with the last page, never before, and a delta that was cut off goes on")
    func cut() async throws {
        let list = ChangeLogList(.parameter, items: 25)
        let bench = try await bench(list)
        list.edit { $0.answersBeforeFailure = 2 }
        _ = try await bench.failure(.sync)
        #expect(try token(bench) == "")
        list.edit { $0.answersBeforeFailure = nil }
        try await bench.sync()
        let known = try token(bench)
        list.edit { state in
            for id in 1...25 { state.set(id, "again \(id)") }
            state.remove(4)
            state.answersBeforeFailure = 1
        }
        _ = try await bench.failure(.sync)
        #expect(try token(bench) == known)
        list.edit { $0.answersBeforeFailure = nil }
        try await bench.sync()
        #expect(try token(bench) != known)
        #expect(try rows(bench) == list.rows)
        #expect(try bench.feed("complete") == "1")
    }

    @Test("A token that is too old leads to a full crawl in the same run, and nothing is removed before that has ended")
    func expired() async throws {
        let list = ChangeLogList(.parameter, items: 25)
        let bench = try await bench(list)
        try await bench.sync()
        list.edit { state in
            state.remove(5)
            state.forgetChanges()
            state.answersBeforeFailure = 2
        }
        _ = try await bench.failure(.sync)
        #expect(try rows(bench).count == 25, "the full crawl was cut off")
        #expect(try token(bench) == "")
        list.edit { $0.answersBeforeFailure = nil }
        try await bench.sync()
        #expect(try rows(bench) == list.rows)
        #expect(try token(bench) != "")
        list.edit { $0.forgetChanges() }
        let summary = try await bench.sync()
        #expect(summary.outcome == .unchanged || summary.outcome == .ok)
        #expect(summary.notices.contains { $0.contains("no longer knows the token") })
        #expect(grammarFault(try bench.log) == nil)
        #expect(try bench.feed("complete, error") == "1|")
    }

    @Test("`expired` says which responses mean that a token is too old; any other failure leaves the token")
    func expiredRule() async throws {
        for (rule, isTold) in [("", false), (", expired: [{status: 400, body: {error.code: stale}}]", true)] {
            let list = ChangeLogList(.parameter, items: 5)
            list.edit { $0.goneStatus = 400 }
            let bench = try await bench(list, "\(list.rule)\(rule)")
            try await bench.sync()
            list.edit { $0.forgetChanges() }
            let known = try token(bench)
            if isTold {
                try await bench.sync()
                #expect(try token(bench) != known)
            } else {
                #expect(try await bench.failure(.sync).httpStatus == 400)
                #expect(try token(bench) == known)
            }
        }
    }

    @Test("A list without a token says so, and is read whole each time")
    func withoutToken() async throws {
        let list = ChangeLogList(.parameter, items: 5)
        let bench = try await bench(list, "token: nothing, param: token")
        for _ in 0..<2 {
            let notices = try await bench.sync().notices
            #expect(notices.contains { $0.contains("no page has a token at `nothing`") })
        }
        #expect(try rows(bench) == list.rows)
    }

    @Test("A URL of another origin is not followed as a token")
    func otherOrigin() async throws {
        let list = ChangeLogList(.url, items: 5)
        let bench = try await bench(list)
        list.edit { $0.origin = "https://elsewhere.test" }
        try await bench.sync()
        #expect(try await bench.failure(.sync).kind == .unfollowable)
    }

    @Test("A token that has a credential in it is stored without")
    func credential() async throws {
        let list = ChangeLogList(.url, items: 5)
        list.edit { $0.suffix = "&key=s3cret" }
        let bench = try await bench(list, members: "auth: {query: {key: s3cret}}")
        try await bench.sync()
        #expect(try !token(bench).contains("s3cret"))
        list.edit { $0.set(3, "three") }
        try await bench.sync()
        #expect(bench.server.requests.last?.parameter("key") == "s3cret")
        #expect(try rows(bench) == list.rows)
    }

    @Test(
        "A mirror by delta is the list, whatever changes while it is read, wherever runs are cut off, and whenever tokens expire",
        arguments: ChangeLogList.Form.allCases)
    func property(form: ChangeLogList.Form) async throws {
        for seed in 1...4 as ClosedRange<UInt64> {
            let random = Lock(SeededGenerator(seed))
            let number = { @Sendable (range: ClosedRange<Int>) in random.withLock { Int.random(in: range, using: &$0) }
            }
            let list = ChangeLogList(form, items: 40)
            let bench = try await bench(list)
            for _ in 0..<12 {
                let failure = number(0...1) == 0 ? number(0...4) : nil
                let isOld = number(0...4) == 0
                list.edit { state in
                    state.answersBeforeFailure = failure
                    if isOld { state.forgetChanges() }
                    state.beforeAnswer = { state in
                        for _ in 0..<number(0...2) {
                            let id = number(1...50)
                            if number(0...3) == 0 { state.remove(id) } else { state.set(id, "name \(number(1...9))") }
                        }
                    }
                }
                _ = try? await bench.engine.perform(.sync)
                #expect(grammarFault(try bench.log) == nil)
            }
            list.edit { ($0.beforeAnswer, $0.answersBeforeFailure) = (nil, nil) }
            for _ in 0..<3 { try await bench.sync() }
            #expect(try rows(bench) == list.rows, "\(form) seed \(seed)")
            #expect(try bench.feed("complete") == "1", "\(form) seed \(seed)")
        }
    }

    @Test(
        "A rule that cannot be followed is refused when it is read",
        arguments: [
            "mode: delta", "mode: delta, token: t, param: p, header: h", "mode: delta, token: {path: t}",
            "mode: delta, token: t, from: at", "mode: new, token: t", "mode: all, expired: [{status: 410}]",
            "mode: delta, token: t, expired: [{status: 410, do: end}]",
        ])
    func mistakes(rule: String) {
        #expect(throws: ConfigurationError.self) {
            try FeedDefinition.parse(name: "things", yaml: "url: https://upstream.test/\nsync: {\(rule)}")
        }
    }
}
