import Foundation
import HTTP
import HTTPServer
import SQLite
import ScriptedServer
import SeededGenerator
import Testing
import Threading

@testable import FeedSync

/// A list that changes under whoever reads it, in one of the ways in which upstreams have pages.
private struct MovingList {
    enum Style: String, CaseIterable, Sendable { case page, offset, link, nextURL, cursor, keyset }

    struct Item {
        let id: Int
        var value: Int
        var at: Int
    }

    let style: Style
    let mode: String
    var generator: SeededGenerator
    var items: [Item] = []
    var now = 1_700_000_000
    var lastID = 0
    var isMoving = false
    var totals = false
    let perPage = 3

    init(_ style: Style, _ mode: String, seed: UInt64) {
        self.style = style
        self.mode = mode
        generator = SeededGenerator(seed)
        totals = Bool.random(using: &generator)
        for _ in 0..<Int.random(in: 0...14, using: &generator) { insert() }
    }

    mutating func insert() {
        lastID += 1
        now += Int.random(in: 0...2, using: &generator)
        let item = Item(id: lastID, value: 0, at: now)
        // `all` promises any order, `new` what comes to the head; a list by time is in the order of time.
        let place = mode == "all" ? Int.random(in: 0...items.count, using: &generator) : 0
        items.insert(item, at: mode == "since" ? items.count : place)
    }

    mutating func move() {
        guard isMoving else { return }
        for _ in 0..<Int.random(in: 0...2, using: &generator) {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: insert()
            case 1 where !items.isEmpty: items.remove(at: Int.random(in: 0..<items.count, using: &generator))
            case 2 where !items.isEmpty:
                var item = items.remove(at: Int.random(in: 0..<items.count, using: &generator))
                item.value += 1
                now += Int.random(in: 0...2, using: &generator)
                item.at = now
                let place = mode == "all" ? Int.random(in: 0...items.count, using: &generator) : 0
                items.insert(item, at: mode == "since" ? items.count : place)
            default: break
            }
        }
    }

    mutating func answer(_ request: ServerRequest) -> ServerResponse {
        move()
        if isMoving, Int.random(in: 0..<12, using: &generator) == 0 {
            return .json("{}", status: [500, 503, 404, 200].randomElement(using: &generator) ?? 500)
        }
        let since = request.parameter("since").flatMap { text in
            try? Date(text, strategy: .iso8601).timeIntervalSince1970
        }
        var list = items.filter { item in since.map { Double(item.at) > $0 } ?? true }
        if style == .keyset || style == .cursor { list = behind(list, request.parameter("after")) }
        let start =
            switch style {
            case .page, .link, .nextURL: ((Int(request.parameter("page") ?? "") ?? 1) - 1) * perPage
            case .offset: Int(request.parameter("offset") ?? "") ?? 0
            case .cursor, .keyset: 0
            }
        let page = Array(list.dropFirst(start).prefix(perPage))
        let hasMore = list.count > start + perPage
        let json = page.map { #"{"id":\#($0.id),"value":\#($0.value),"at":"\#(Self.text($0.at))"}"# }
        var members = totals ? "\"total\":\(items.count)," : ""
        var headers: [(name: String, value: String)] = []
        let number = start / perPage + 2
        let query = request.parameter("since").map { "&since=\($0)" } ?? ""
        if hasMore, style == .link {
            headers.append((name: "Link", value: "</things?page=\(number)\(query)>; rel=\"next\""))
        }
        if hasMore, style == .nextURL { members += "\"next\":\"/things?page=\(number)\(query)\"," }
        if hasMore, style == .cursor, let last = page.last { members += "\"next\":\"\(last.id)\"," }
        let body = "{\(members)\"items\":[\(json.joined(separator: ","))]}"
        let tag = "\"\(body.utf8.reduce(5381 as UInt64) { $0 &* 33 &+ UInt64($1) })\""
        headers.append((name: "ETag", value: tag))
        return request.header("If-None-Match") == tag
            ? .status(304, headers: headers) : .json(body, headers: headers)
    }

    /// What comes behind an item that may be gone: those lists are in an order that the item's id tells.
    private func behind(_ list: [Item], _ after: String?) -> [Item] {
        let sorted = list.sorted { $0.id > $1.id }
        guard let after = after.flatMap({ Int($0) }) else { return sorted }
        return sorted.filter { $0.id < after }
    }

    /// The items in the order in which the pages have them.
    var listed: [Item] { style == .keyset || style == .cursor ? behind(items, nil) : items }

    static func text(_ seconds: Int) -> String {
        Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    }

    var pagination: String {
        switch style {
        case .page: totals && mode != "since" ? "{style: page, total: total}" : "page"
        case .offset: "offset"
        case .link: "link"
        case .nextURL: "{style: next_url, next: next}"
        case .cursor: "{style: cursor, param: after, next: next}"
        case .keyset: "{style: keyset, param: after, from: id}"
        }
    }
}

@Suite("A sync, whatever moves under it")
struct SyncPropertyTests {
    static let seeds = (ProcessInfo.processInfo.environment["SYNC_SEEDS"].flatMap { Int($0) } ?? 12)
    static let first = (ProcessInfo.processInfo.environment["SYNC_FIRST_SEED"].flatMap { UInt64($0) } ?? 1)

    @Test(
        "Once the upstream rests, one sync makes the mirror what its mode promises", arguments: ["new", "since", "all"])
    func mirrors(mode: String) async throws {
        for style in MovingList.Style.allCases {
            // What goes by id has no head to which an old item could move.
            if mode != "all", style == .keyset || style == .cursor { continue }
            for seed in Self.first..<Self.first + UInt64(Self.seeds) {
                try await mirrors(MovingList(style, mode, seed: seed), "\(mode) \(style.rawValue) seed \(seed)")
            }
        }
    }

    private func anySync(_ bench: EngineBench) async throws -> RunSummary {
        do {
            return try await bench.engine.perform(.sync)
        } catch {
            return try await bench.engine.perform(.sync)
        }
    }

    private func mirrors(_ start: MovingList, _ name: String) async throws {
        let list = Lock(start)
        let bench = try await EngineBench(
            members:
                "sync: \(start.mode == "since" ? "{mode: since, param: since, from: at, overlap: 1s}" : "{mode: \(start.mode)}")",
            paging: "pagination: \(start.pagination)",
            columns:
                "items: items\nkey: id\ncolumns: {id: id, value: value, at: at}\nresponses: [{status: 404, do: fail}]")
        bench.server.route("/things") { request in list.withLock { $0.answer(request) } }
        var generator = list.withLock { $0.generator }
        var everStored: Set<String> = []
        for _ in 0..<Int.random(in: 1...5, using: &generator) {
            list.withLock { $0.isMoving = true }
            let run = Task { try? await bench.engine.perform(.sync) }
            if Int.random(in: 0..<4, using: &generator) == 0 {
                for _ in 0..<Int.random(in: 0...40, using: &generator) { await Task.yield() }
                run.cancel()
            }
            let summary = await run.value
            list.withLock { $0.isMoving = false }
            let stored = Set(try bench.query("SELECT id FROM things"))
            #expect(stored.isSuperset(of: everStored), "\(name): rows were lost")
            everStored = stored
            _ = summary
        }
        list.withLock {
            $0.isMoving = true; $0.move(); $0.isMoving = false
        }
        // After a refusal, and after a page that seems to lead in a circle, a sync starts with the header.
        var summary = try await anySync(bench)
        // A walk that went on behind a cut may find that what came before it is another list now; and an end where the
        // walk before had more is believed when it comes again.
        for _ in 0..<2 where summary.reason == .cutOff || summary.reason == .cap {
            summary = try await anySync(bench)
        }
        let log = try bench.log
        #expect(grammarFault(log) == nil, "\(name)")
        #expect(summary.reason == nil, "\(name): \(summary)")
        #expect(try bench.feed("complete") == "1", "\(name)")
        let expected = list.withLock { $0.listed }.map { "\($0.id)|\($0.value)" }
        let order = "SELECT id, value FROM things WHERE _removed_at IS NULL ORDER BY _generation DESC, _position"
        let live = try bench.query(order)
        if start.mode == "all" {
            let runs = try bench.query("SELECT command, outcome, complete, reason, pages FROM run")
            #expect(live == expected, "\(name): \(runs)")
        } else {
            let missing = Set(expected).subtracting(live)
            #expect(missing.isEmpty, "\(name): \(missing) of \(expected) in \(live), \(log)")
            if !missing.isEmpty {
                for request in bench.server.requests { print("REQ", request.path, request.query) }
                print(try bench.query("SELECT * FROM run"), try bench.query("SELECT watermark FROM _feed"))
                print(
                    try bench.query("SELECT id, reason, complete, watermark, furthest, pages, server_date FROM _walk"),
                    list.withLock { $0.items })
            }
        }
    }
}
