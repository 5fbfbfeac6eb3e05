import Concurrency
import Foundation
import HTTP
import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync
@testable import Upstream

/// A list of numbered items in pages, which moves right before some of its requests.
private final class Moving: Sendable {
    typealias Change = @Sendable (inout [Int]) -> Void

    struct Page: Sendable {
        let request: ServerRequest
        let items: ArraySlice<Int>
        let start: Int
        let total: Int
        let isLast: Bool

        var body: String { "\"items\":[\(items.map { "{\"id\":\($0)}" }.joined(separator: ","))]" }

        /// The page with members and headers, and a 304 if its entity tag still holds.
        func answer(
            _ members: String = "", headers: [(name: String, value: String)] = [], isTagged: Bool = true
        ) -> ServerResponse {
            let text = "{\(members)\(members.isEmpty ? "" : ",")\(body)}"
            guard isTagged else { return .json(text, headers: headers) }
            let etag = "\"\(text.hashValue)\""
            let tagged = headers + [(name: "ETag", value: etag)]
            return request.header("If-None-Match") == etag
                ? .status(304, headers: tagged) : .json(text, headers: tagged)
        }

        /// The page with headers, and a 304 without them if the body is as it was.
        func bodyTagged(_ headers: [(name: String, value: String)]) -> ServerResponse {
            let tagged = answer()
            return tagged.status == 304 ? tagged : answer(headers: headers)
        }
    }

    private let state: Lock<(items: [Int], requests: Int, changes: [Int: Change])>
    let bench: EngineBench

    init(
        _ items: some Sequence<Int>, _ members: String = "sync: {mode: all}", paging: String,
        columns: String = "items: items\nkey: id\ncolumns: {id: id}"
    ) async throws {
        state = Lock((Array(items), 0, [:]))
        bench = try await EngineBench([], members: members, paging: paging, columns: columns)
    }

    /// Serves pages of a size that begin where a request says.
    func serve(
        _ size: Int, from start: @escaping @Sendable (ServerRequest) -> Int?,
        _ answer: @escaping @Sendable (Page) -> ServerResponse
    ) {
        bench.server.route("/things") { [state] request in
            let items = state.withLock { state -> [Int] in
                state.requests += 1
                state.changes[state.requests]?(&state.items)
                return state.items
            }
            guard let start = start(request) else { return .json("{}", status: 410) }
            let page = items.dropFirst(start).prefix(size)
            return answer(
                Page(
                    request: request, items: page, start: start, total: items.count,
                    isLast: start + page.count >= items.count))
        }
    }

    /// Serves pages by their number.
    func serveNumbered(_ size: Int, _ answer: @escaping @Sendable (Page) -> ServerResponse) {
        serve(size, from: { ((Int($0.parameter("page") ?? "") ?? 1) - 1) * size }, answer)
    }

    /// Changes the list now.
    func edit(_ change: Change) { state.withLock { change(&$0.items) } }

    /// Runs a sync, and changes the list before some of its requests, counted from 1.
    ///
    /// - Parameters:
    ///   - most: The number of requests that it may make; nil for any number.
    ///   - hours: The hours by which its clock is ahead.
    @discardableResult
    func sync(_ changes: [Int: Change] = [:], most: Int? = nil, later hours: Int64 = 0) async throws -> RunSummary? {
        state.withLock { ($0.requests, $0.changes) = (0, changes) }
        var options = EngineBench.options
        if let most {
            options.client = Client(userAgent: "feedsync-tests", budget: RequestBudget(requests: most))
        }
        let start = options.wallClock
        options.wallClock = WallClock { start.milliseconds + hours * 3_600_000 }
        return try? await bench.another(options: options).perform(.sync)
    }

    var items: [Int] { state.withLock { $0.items } }

    var requests: Int { state.withLock { $0.requests } }

    var live: [Int] {
        get throws {
            try bench.query("SELECT id FROM things WHERE _removed_at IS NULL ORDER BY _generation DESC, _position")
                .compactMap { Int($0) }
        }
    }

    /// The items that the upstream has and the mirror lacks.
    var missing: Set<Int> {
        get throws { try Set(state.withLock { $0.items }).subtracting(live) }
    }

    var isTrue: Bool { get throws { try live == state.withLock { $0.items } } }

    /// `complete|verified|reason` of the last run.
    var verdict: String {
        get throws { try bench.query("SELECT complete, verified, reason FROM run ORDER BY id DESC LIMIT 1").joined() }
    }

    var removed: [String] { get throws { try bench.query("SELECT id FROM things WHERE _removed_at IS NOT NULL") } }
}

/// Histories of lists that move while they are read, each of which once ended with a wrong row or a wrong word.
@Suite("A history of a list that moves")
struct MovingHistoriesTests {
    @Test(
        "A page whose cursor expired before the proof or the check of missing rows asked for it again fails no sync",
        arguments: ["verify: always", "verify: auto"], [true, false])
    func expiredCursor(verify: String, isTagged: Bool) async throws {
        let list = try await Moving(
            1...16, "sync: {mode: all, \(verify)}", paging: "pagination: {style: cursor, param: c, next: next}")
        let epoch = Lock(0)
        list.serve(
            4,
            from: { request in
                guard let token = request.parameter("c")?.split(separator: ".") else { return 0 }
                return token[0] == "e\(epoch.withLock { $0 })" ? (Int(token[1], radix: 36) ?? 0) / 77 : nil
            }
        ) { page in
            let next = String((page.start + 4) * 77, radix: 36)
            return page.answer(
                page.isLast ? "\"next\":null" : "\"next\":\"e\(epoch.withLock { $0 }).\(next)\"", isTagged: isTagged)
        }
        try await list.sync()
        list.edit { $0.removeSubrange(5...9) }
        // The run ends in the proof, or before the pages beside the missing rows.
        try await list.sync(most: 5)
        epoch.withLock { $0 += 1 }
        for _ in 1...3 { try await list.sync() }
        #expect(try list.isTrue)
        #expect(try list.verdict.hasPrefix("1|"))
    }

    @Test("Pages behind a full last page are found, although a 304 leaves out the header with their number")
    func pagesInHeader() async throws {
        let list = try await Moving(1...20, "", paging: "", columns: "items: items\nkey: id")
        list.serveNumbered(10) { $0.bodyTagged([("X-Total-Pages", "\(($0.total + 9) / 10)")]) }
        try await list.sync()
        #expect(try list.isTrue)
        list.edit { $0 += [21, 22, 23] }
        try await list.sync()
        #expect(try list.isTrue)
    }

    @Test("A page that leads on by a header which a 304 leaves out is read on a day later")
    func grownBehindFirstPage() async throws {
        let list = try await Moving(1...7, "", paging: "", columns: "items: items\nkey: id")
        let url = "\(list.bench.server.url)/things?c="
        list.serve(7, from: { Int($0.parameter("c") ?? "") ?? 0 }) { page in
            page.bodyTagged(page.isLast ? [] : [("Link", "<\(url)\(page.start + 7)>; rel=\"next\"")])
        }
        for _ in 1...2 { try await list.sync() }
        list.edit { $0 += [8, 9] }
        try await list.sync()
        #expect(try list.missing == [8, 9], "the page was not answered with 304")
        try await list.sync(later: 25)
        #expect(try list.isTrue)
    }

    @Test("A list whose last page is gone is read to its end, although a 304 leaves out the links before it")
    func nextInHeader() async throws {
        let list = try await Moving(1...21, paging: "pagination: link")
        let url = "\(list.bench.server.url)/things?page="
        list.serve(10, from: { ((Int($0.parameter("page") ?? "") ?? 1) - 1) * 10 }) { page in
            guard !page.items.isEmpty else { return .json("{}", status: 404) }
            let next = "<\(url)\(page.start / 10 + 2)>; rel=\"next\""
            return page.bodyTagged(page.isLast ? [] : [("Link", next)])
        }
        try await list.sync()
        #expect(try list.isTrue)
        list.edit { $0.removeLast() }
        // The first one fails at the page that is gone.
        for _ in 1...2 { try await list.sync() }
        #expect(try list.isTrue)
        #expect(try list.verdict.hasPrefix("1|"))
    }

    @Test("A total that fell is not hidden by a page that is as it was stored, with the total of then")
    func fallBehindNotModified() async throws {
        let list = try await Moving(1...20, paging: "pagination: {style: page, total: total}")
        list.serveNumbered(4) { $0.answer("\"total\":\($0.total)") }
        try await list.sync()
        list.edit { $0.insert(99, at: 16) }
        try await list.sync([5: { $0.remove(at: 5) }])
        #expect(try list.missing.isEmpty || list.verdict.hasSuffix("|0|"))
        try await list.sync()
        #expect(try list.isTrue)
        #expect(try list.verdict == "1|1|")
    }

    @Test(
        "Tokens that hold the place of a page, plainly or in base64, prove nothing of a list that moves",
        arguments: ["page", "json", "relay"])
    func tokensOfPlaces(kind: String) async throws {
        let list = try await Moving(1...48, "", paging: "", columns: "items: items\nkey: id")
        list.serve(
            4,
            from: { request in
                guard let token = request.parameter("cursor") else { return 0 }
                let text = Data(base64Encoded: token).map { String(decoding: $0, as: UTF8.self) } ?? token
                let number = Int((kind == "page" ? token : text).filter(\.isNumber)) ?? 0
                return kind == "relay" ? number + 1 : (number - 1) * 4
            }
        ) { page in
            let next =
                switch kind {
                case "page": "\(page.start / 4 + 2)"
                case "json": Data("{\"page\":\(page.start / 4 + 2)}".utf8).base64EncodedString()
                default: Data("arrayconnection:\(page.start + 3)".utf8).base64EncodedString()
                }
            return page.answer(page.isLast ? "\"next_cursor\":null" : "\"next_cursor\":\"\(next)\"")
        }
        // The search for the pagination takes a request, too.
        try await list.sync([5: { $0.remove(at: 5) }])
        #expect(try !list.missing.isEmpty)
        #expect(try list.verdict.hasPrefix("1|0") || list.verdict == "0|0|drift")
    }

    @Test("Rows that slipped by together are not removed, although the page before shows a row of an older crawl")
    func twoAtOnce() async throws {
        let list = try await Moving(1...10, paging: "pagination: {style: page, total: total}")
        list.serveNumbered(1) { $0.answer("\"total\":\($0.total)") }
        try await list.sync()
        for place in 3...7 {
            let before = try list.live
            try await list.sync([place: { $0.removeSubrange(0...1) }])
            let gone = try Set(list.removed.compactMap { Int($0) })
            #expect(try gone.isDisjoint(with: list.missing), "\(place)")
            #expect(before.count - 2 <= (try list.live.count))
            for _ in 1...2 { try await list.sync() }
            #expect(try list.isTrue)
            list.edit { $0 += [$0.count + 20 + place, $0.count + 40 + place] }
            try await list.sync()
        }
    }

    @Test(
        "The total in the header of a 304 counts: a list that lost a row of its last page is complete",
        arguments: ["new", "all"],
        [("link", true), ("link", false), ("{style: page}", true), ("{style: page}", false)])
    func totalInHeader(mode: String, served: (paging: String, isInNotModified: Bool)) async throws {
        let (paging, isInNotModified) = served
        let list = try await Moving(1...14, "sync: {mode: \(mode)}", paging: "pagination: \(paging)")
        list.serveNumbered(4) { page in
            var headers = [(name: "X-Total-Count", value: "\(page.total)")]
            if paging == "link", !page.isLast {
                headers.append((name: "Link", value: "</things?page=\(page.start / 4 + 2)>; rel=\"next\""))
            }
            let answer = page.answer(headers: headers)
            guard answer.status == 304, !isInNotModified else { return answer }
            return .status(304, headers: headers.filter { $0.name == "Link" })
        }
        try await list.sync()
        list.edit { $0.removeLast() }
        for _ in 1...3 { try await list.sync() }
        #expect(try list.verdict.hasPrefix("1|"))
        if mode == "all" { #expect(try list.isTrue) }
    }

    @Test(
        "A first load over two runs, with a new item at the head in between, asks for few pages twice",
        arguments: ["link", "{style: page}", "{style: next_url, next: next}"])
    func loadInTwoRuns(paging: String) async throws {
        let list = try await Moving(1...80, "", paging: "pagination: \(paging)")
        list.serveNumbered(4) { page in
            let next = "/things?page=\(page.start / 4 + 2)"
            let link = paging == "link" && !page.isLast ? [(name: "Link", value: "<\(next)>; rel=\"next\"")] : []
            return page.answer(page.isLast ? "\"next\":null" : "\"next\":\"\(next)\"", headers: link)
        }
        try await list.sync(most: 8)
        list.edit { $0.insert(100, at: 0) }
        try await list.sync()
        #expect(list.requests <= 21 - 8 + 5, "\(list.requests)")
        #expect(try list.isTrue)
        #expect(try list.verdict.hasPrefix("1|"))
    }

    @Test(
        "An upstream that gives its last page for every page behind it has an end, found with few requests",
        arguments: [20, 18], ["pagination: page", ""])
    func lastPageForEver(count: Int, paging: String) async throws {
        let list = try await Moving(1...count, "", paging: paging, columns: "items: items\nkey: id")
        list.serve(4, from: { min((Int($0.parameter("page") ?? "") ?? 1) - 1, 4) * 4 }) { $0.answer() }
        for run in 1...3 {
            try await list.sync()
            #expect(try list.isTrue)
            #expect(try list.verdict == "1|0|")
            // A full page may be repeated because others came above it: the next one tells. One more request may be on
            // its way by then.
            #expect(list.requests <= (run == 1 && paging.isEmpty ? 11 : 9), "\(list.requests)")
        }
    }

    @Test(
        "Behind an end that came too soon, at what an older run read, no row is removed that the list has",
        arguments: ["link", "{style: next_url, next: next}"], [4, 9, 14])
    func endsTooSoon(paging: String, from: Int) async throws {
        let list = try await Moving(1...24, paging: "pagination: \(paging)")
        let (failing, end) = (Lock(Int.max), Lock(Int.max))
        list.serveNumbered(4) { page in
            let number = page.start / 4 + 1
            guard number != failing.withLock({ $0 }) else { return .status(500) }
            let isLast = page.isLast || number == end.withLock { $0 }
            let next = "/things?page=\(number + 1)"
            let link = paging == "link" && !isLast ? [(name: "Link", value: "<\(next)>; rel=\"next\"")] : []
            return page.answer(isLast ? "\"next\":null" : "\"next\":\"\(next)\"", headers: link)
        }
        try await list.sync()
        for number in [4, 5] {
            failing.withLock { $0 = number }
            try await list.sync([3: { $0.insert($0.remove(at: from), at: 1) }])
        }
        failing.withLock { $0 = .max }
        end.withLock { $0 = 4 }
        try await list.sync()
        end.withLock { $0 = .max }
        for _ in 1...3 {
            try await list.sync()
            #expect(try list.removed.isEmpty)
        }
        #expect(try list.isTrue)
        #expect(try list.verdict.hasPrefix("1|"))
    }

    @Test(
        "A page that is gone when the proof asks for it again fails no sync",
        arguments: ["link", "{style: next_url, next: next}"])
    func goneInProof(paging: String) async throws {
        let list = try await Moving(1...21, "sync: {mode: all, verify: always}", paging: "pagination: \(paging)")
        list.serveNumbered(5) { page in
            guard page.start < page.total else { return .json("{}", status: 404) }
            let next = "/things?page=\(page.start / 5 + 2)"
            let link = paging == "link" && !page.isLast ? [(name: "Link", value: "<\(next)>; rel=\"next\"")] : []
            return page.answer(page.isLast ? "\"next\":null" : "\"next\":\"\(next)\"", headers: link)
        }
        try await list.sync([7: { $0.remove(at: 10) }])
        for _ in 1...3 {
            try await list.sync()
            #expect(try list.verdict.hasPrefix("1|"))
        }
        #expect(try list.isTrue)
    }

    @Test("A cursor that holds an offset proves nothing by its totals", arguments: 4...8)
    func offsetWithTotal(request: Int) async throws {
        let list = try await Moving(1...20, paging: "pagination: {style: cursor, param: c, next: next, total: total}")
        list.serve(
            2,
            from: { request in
                let token = request.parameter("c").flatMap { Data(base64Encoded: $0) }
                return token.map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 } ?? 0
            }
        ) { page in
            let next = Data("\(page.start + 2)".utf8).base64EncodedString()
            let members = "\"total\":\(page.total),\"next\":"
            return page.answer(members + (page.isLast ? "null" : "\"\(next)\""), isTagged: false)
        }
        try await list.sync()
        list.edit { $0.insert(99, at: 8) }
        try await list.sync([request: { $0.remove(at: 1) }])
        #expect(try list.missing.isEmpty || list.verdict.hasSuffix("|0|") || list.verdict == "0|0|drift")
        for _ in 1...2 { try await list.sync() }
        #expect(try list.isTrue)
    }

    /// Serves pages in the order of the ids that begin behind one.
    private func serveBehindID(_ list: Moving, _ size: Int, descending: Bool, style: String = "cursor") {
        list.serve(size, from: { _ in 0 }) { all in
            let after = all.request.parameter("after").flatMap { Int($0) }
            let items = list.items.sorted { descending ? $0 > $1 : $0 < $1 }
            let rest = items.drop { id in after.map { descending ? id >= $0 : id <= $0 } ?? false }
            let page = rest.prefix(size)
            let last = page.last.map { "\($0)" } ?? ""
            let isLast = rest.count <= size
            let link =
                style == "link" && !isLast ? [(name: "Link", value: "</things?after=\(last)>; rel=\"next\"")] : []
            let next = isLast ? "null" : "\"\(last)\""
            return Moving.Page(request: all.request, items: page, start: 0, total: items.count, isLast: isLast)
                .answer("\"total\":\(items.count),\"next\":\(next)", headers: link)
        }
    }

    @Test("A short list that ended below its total is read as a whole again in mode auto")
    func autoBelowTotal() async throws {
        let list = try await Moving(
            (1...11).map { $0 * 10 }.filter { $0 != 90 }, "",
            paging: "pagination: {style: cursor, param: after, next: next, total: total}")
        serveBehindID(list, 2, descending: true)
        try await list.sync(most: 3)
        list.edit { $0.append(90) }
        for _ in 1...3 { try await list.sync() }
        #expect(try list.missing.isEmpty)
        #expect(try list.verdict.hasPrefix("1|"))
    }

    @Test("A list in ascending order is continued at its end although an item came at its head")
    func backfill() async throws {
        let list = try await Moving(
            (2...12).map { $0 * 10 }, "sync: {mode: new}", paging: "pagination: {style: keyset, param: after, from: id}"
        )
        serveBehindID(list, 2, descending: false)
        try await list.sync()
        list.edit { $0 += [1, 130, 140, 150, 160, 170] }
        try await list.sync()
        #expect(try list.missing.isEmpty)
    }

    @Test("A page to which a newer head leads has its first item, though the crawl's last page ended with it")
    func newHead() async throws {
        let list = try await Moving(1...14, paging: "pagination: {style: keyset, param: after, from: id}")
        serveBehindID(list, 4, descending: true)
        try await list.sync()
        list.edit { $0.append(15) }
        try await list.sync(most: 1)
        list.edit { $0.append(16) }
        // There are no requests left to read the pages of the earlier runs again.
        try await list.sync(most: 5)
        #expect(try list.verdict == "1|0|")
        for _ in 1...2 { try await list.sync() }
        #expect(try list.verdict == "1|1|")
    }

    @Test("A proof that goes on in another run covers no page that only the earlier run asked for again")
    func proofOverRuns() async throws {
        let list = try await Moving(
            (1...24).map { $0 * 10 }, "sync: {mode: new, verify: always}", paging: "pagination: link")
        serveBehindID(list, 2, descending: true, style: "link")
        try await list.sync(most: 16)
        list.edit { $0.append(205) }
        try await list.sync()
        #expect(try list.missing.isEmpty || list.verdict.hasSuffix("|0|"))
    }

    @Test("A sync that only removes the last row says so", arguments: ["{style: page}", "link"])
    func onlyRemoves(paging: String) async throws {
        let list = try await Moving(1...9, paging: "pagination: \(paging)")
        list.serveNumbered(4) { page in
            let next = "</things?page=\(page.start / 4 + 2)>; rel=\"next\""
            return page.answer(headers: paging == "link" && !page.isLast ? [(name: "Link", value: next)] : [])
        }
        try await list.sync()
        list.edit { $0.removeLast() }
        var removals: [RunOutcome] = []
        for _ in 1...2 {
            if let run = try await list.sync(), run.figures.items.removed > 0 { removals.append(run.outcome) }
        }
        #expect(removals == [.ok])
    }

    @Test(
        "A total that counts items which say that they are gone leaves no crawl incomplete",
        arguments: ["new", "auto"], [44, 3])
    func totalWithRemoved(mode: String, count: Int) async throws {
        let list = try await Moving(
            1...count, "sync: {mode: \(mode)}\nremoved: {path: gone}", paging: "pagination: {style: page, total: total}"
        )
        list.serveNumbered(4) { page in
            let items = page.items.map { "{\"id\":\($0),\"gone\":\($0 == 2)}" }.joined(separator: ",")
            return .json("{\"total\":\(page.total),\"items\":[\(items)]}")
        }
        for _ in 1...3 {
            try await list.sync()
            #expect(try list.verdict.hasPrefix("1|"))
        }
        #expect(try list.live.count == count - 1)
    }

    @Test("A head that lost an item while a list without totals and tags was read makes the crawl incomplete")
    func headMovedUp() async throws {
        let list = try await Moving(1...24, "", paging: "pagination: link")
        list.serveNumbered(4) { page in
            let next = "</things?page=\(page.start / 4 + 2)>; rel=\"next\""
            return page.answer(headers: page.isLast ? [] : [(name: "Link", value: next)], isTagged: false)
        }
        try await list.sync([4: { $0.remove(at: 1) }])
        #expect(try list.verdict == "0|0|drift")
        try await list.sync()
        #expect(try list.isTrue)
    }

    @Test(
        "A page that repeats the one before, because as many items came above it, is not the end",
        arguments: ["{style: page}", "link", "{style: cursor, param: page, next: next}"], [1, 3])
    func pushedDownByAPage(paging: String, size: Int) async throws {
        let list = try await Moving(1...size * 6, "", paging: "pagination: \(paging)")
        list.serveNumbered(size) { page in
            let next = "\(page.start / size + 2)"
            let link = "</things?page=\(next)>; rel=\"next\""
            return page.answer(
                page.isLast || !paging.contains("next") ? "" : "\"next\":\"\(next)\"",
                headers: page.isLast || paging != "link" ? [] : [(name: "Link", value: link)], isTagged: false)
        }
        try await list.sync([4: { $0.insert(contentsOf: 100..<100 + size, at: 0) }])
        #expect(try list.missing.isEmpty)
        #expect(try list.verdict.hasPrefix("1|"))
    }

    @Test(
        "A list whose pages always repeat an item loses the rows that go once it rests",
        arguments: ["{style: next_url, next: next}", "link", "{style: cursor, param: page, next: next}"])
    func constantRepeats(paging: String) async throws {
        let list = try await Moving(1...24, paging: "pagination: \(paging)")
        // Of each second page the first item is the last one of the page before.
        list.serve(
            5,
            from: { request in
                let index = (Int(request.parameter("page") ?? "") ?? 1) - 1
                return index * 5 - (index + 1) / 2
            }
        ) { page in
            let number = (Int(page.request.parameter("page") ?? "") ?? 1) + 1
            let link = "</things?page=\(number)>; rel=\"next\""
            let next = paging.contains("cursor") ? "\(number)" : "/things?page=\(number)"
            return page.answer(
                page.isLast || paging == "link" ? "" : "\"next\":\"\(next)\"",
                headers: page.isLast || paging != "link" ? [] : [(name: "Link", value: link)], isTagged: false)
        }
        try await list.sync()
        list.edit { $0.remove(at: 12) }
        for _ in 1...3 { try await list.sync() }
        #expect(try Set(list.live) == Set(list.items))
        #expect(try list.verdict.hasPrefix("1|0"))
    }
}
