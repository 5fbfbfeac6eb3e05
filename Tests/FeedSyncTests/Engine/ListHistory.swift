import HTTPServer
import ScriptedServer
import SeededGenerator

/// A list and its history as a value: made from a seed, played against the engine, and shortened where it goes wrong.
struct ListHistory: Sendable, CustomStringConvertible {
    /// The pagination of the list.
    enum Style: CaseIterable, Sendable { case page, offset, link, nextURL, cursorOfID, cursorOfOffset, keyset }
    /// The place of the total.
    enum Total: CaseIterable, Sendable { case absent, body, header }
    /// The behaviour behind the last page, or on it.
    enum End: CaseIterable, Sendable { case plain, repeatsLast, notFound, emptyLast, namesItself }
    /// The words on a page that tell if there is more.
    enum Sign: CaseIterable, Sendable { case none, flag, truncated, incomplete }

    /// A change of the list. The numbers choose an item, whatever their size.
    enum Change: Sendable {
        case insert(Int)
        case remove(Int)
        case toTop(Int)
        case move(Int, to: Int)
        case alter(Int)
    }

    /// One sync: the changes right before its requests, counted from 1, and what ends it early.
    struct Run: Sendable {
        var changes: [(request: Int, change: Change)] = []
        /// The number of requests that it may make.
        var budget: Int?
        /// The request that is answered with an error.
        var fails: Int?
        /// The request at which it is cancelled.
        var stops: Int?
    }

    var style: Style
    var mode: String
    var size: Int
    var count: Int
    var isTagged: Bool
    var total: Total
    var end: End
    var sign: Sign
    var hasLimit: Bool
    var prefetch: Int
    var runs: [Run]

    init(
        _ style: Style, _ mode: String, size: Int, count: Int, isTagged: Bool = false, total: Total = .absent,
        end: End = .plain, hasLimit: Bool = false, sign: Sign = .none, prefetch: Int = 1, runs: [Run]
    ) {
        (self.style, self.mode, self.size, self.count, self.runs) = (style, mode, size, count, runs)
        (self.isTagged, self.end, self.prefetch) = (isTagged, end, prefetch)
        (self.total, self.sign, self.hasLimit) = (total, sign, hasLimit)
    }

    init(seed: UInt64) {
        var random = SeededGenerator(seed)
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        style = Style.allCases.randomElement(using: &random) ?? .page
        mode = ["new", "auto", "all"].randomElement(using: &random) ?? "all"
        size = number(1...5)
        count = number(0...size * 7)
        isTagged = number(0...2) > 0
        total = number(0...1) == 0 ? .absent : number(0...1) == 0 ? .body : .header
        end = number(0...1) == 0 ? .plain : End.allCases.randomElement(using: &random) ?? .plain
        sign = number(0...3) > 0 ? .none : Sign.allCases.randomElement(using: &random) ?? .none
        hasLimit = style == .offset && number(0...1) == 0
        prefetch = style == .page || style == .offset ? [1, 1, 3].randomElement(using: &random) ?? 1 : 1
        runs = []
        for _ in 0..<number(1...4) {
            var run = Run()
            for _ in 0..<[0, 1, 1, 2, 3][number(0...4)] {
                let (place, other) = (number(0...60), number(0...60))
                let change: Change =
                    switch number(0...7) {
                    case 0, 1: .insert(0)
                    case 2: mode == "all" || mode == "auto" ? .insert(place) : .insert(0)
                    case 3, 4: .remove(place)
                    case 5: .toTop(place)
                    case 6: .move(place, to: other)
                    default: .alter(place)
                    }
                run.changes.append((number(0...1) == 0 ? 1 : number(1...9), change))
            }
            switch number(0...7) {
            case 0, 1: run.budget = number(3...8)
            case 2: run.fails = number(1...8)
            case 3: run.stops = number(2...8)
            default: break
            }
            runs.append(run)
        }
        adapt()
    }

    /// Leaves out what the style cannot do, and what `new` does not promise to find.
    private mutating func adapt() {
        switch (style, end) {
        case (.page, .plain), (.page, .repeatsLast), (.page, .notFound), (_, .plain): break
        case (.offset, .notFound), (.link, .notFound), (.nextURL, .notFound): break
        case (.nextURL, .emptyLast), (.nextURL, .namesItself): break
        case (.cursorOfID, .emptyLast), (.cursorOfID, .namesItself): break
        default: end = .plain
        }
        let movesFreely = !isByID && mode != "new"
        let isOfNew = mode == "new"
        // The flag of a page that repeats is not heard, as it leads on. New items can make a page repeat, too.
        if end == .repeatsLast || style == .page || style == .offset, sign == .truncated { sign = .none }
        for index in runs.indices {
            runs[index].changes.removeAll { _, change in
                switch change {
                case .toTop, .move: !movesFreely
                case .alter: isOfNew
                case .insert, .remove: false
                }
            }
        }
    }

    /// True if the list is in the order of its ids.
    var isByID: Bool { style == .cursorOfID || style == .keyset }

    /// The definition of its pages.
    var paging: String {
        let total = total == .body ? ", total: total" : ""
        let ahead = prefetch > 1 ? ", prefetch: \(prefetch)" : ""
        return switch style {
        case .page: "pagination: {style: page\(total)\(ahead)}"
        case .offset:
            "pagination: {style: offset\(hasLimit ? ", limit_param: limit, limit: \(size)" : "")\(total)\(ahead)}"
        case .link: "pagination: {style: link\(total)}"
        case .nextURL: "pagination: {style: next_url, next: next\(total)}"
        case .cursorOfID, .cursorOfOffset: "pagination: {style: cursor, param: after, next: next\(total)}"
        case .keyset: "pagination: {style: keyset, param: after, from: id\(total)}"
        }
    }

    var description: String {
        let runs = runs.map { run in
            let changes = run.changes.map { "\($0.request): \($0.change)" }.joined(separator: ", ")
            let ends = [
                run.budget.map { "budget \($0)" }, run.fails.map { "500 at \($0)" }, run.stops.map { "stop at \($0)" },
            ]
            return "  sync [\(changes)] \(ends.compactMap(\.self).joined(separator: ", "))"
        }
        return """
            mode \(mode), \(paging), \(count) items in pages of \(size), \(isTagged ? "ETag" : "no ETag"), \
            total \(total), end \(end), sign \(sign)
            \(runs.joined(separator: "\n"))
            """
    }

    /// The histories that are a step shorter.
    var shorter: [ListHistory] {
        var all: [ListHistory] = []
        func add(_ edit: (inout ListHistory) -> Void) {
            var copy = self
            edit(&copy)
            all.append(copy)
        }
        for index in runs.indices {
            add { $0.runs.remove(at: index) }
            for change in runs[index].changes.indices { add { $0.runs[index].changes.remove(at: change) } }
            if runs[index].budget != nil { add { $0.runs[index].budget = nil } }
            if runs[index].fails != nil { add { $0.runs[index].fails = nil } }
            if runs[index].stops != nil { add { $0.runs[index].stops = nil } }
        }
        if count > 0 { add { $0.count -= 1 } }
        if end != .plain { add { $0.end = .plain } }
        if sign != .none { add { $0.sign = .none } }
        if total != .absent { add { $0.total = .absent } }
        if prefetch > 1 { add { $0.prefetch = 1 } }
        return all
    }
}

/// The list of a history while it is played, and the pages that it serves.
struct PlayedList: Sendable {
    struct Item: Sendable, Hashable {
        let id: Int
        var value = 0
        /// `id|value`, as rows are compared.
        var text: String { "\(id)|\(value)" }
    }

    let history: ListHistory
    private(set) var items: [Item]
    private var lastID: Int
    /// The present run; nil at rest.
    private var run: ListHistory.Run?
    private(set) var requests = 0
    /// The items, as `id|value`, that stood since the run began.
    private(set) var standing: Set<String> = []
    /// The answers of the run.
    private(set) var log: [String] = []

    init(_ history: ListHistory) {
        self.history = history
        let lastID = history.count * 10
        self.lastID = lastID
        items = (0..<history.count).map { Item(id: lastID - $0 * 10) }
        if history.style == .keyset { items.reverse() }
    }

    var texts: [String] { items.map(\.text) }
    var pageCount: Int { max((items.count + history.size - 1) / history.size, 1) }
    /// True while each page says that the upstream left something out.
    var isTruncated: Bool { run != nil && (history.sign == .truncated || history.sign == .incomplete) }

    mutating func begin(_ run: ListHistory.Run?) {
        (self.run, requests, log) = (run, 0, [])
        standing = Set(texts)
        // Changes between two runs happen before the first request.
        for (request, change) in run?.changes ?? [] where request == 1 { apply(change) }
        standing = Set(texts)
    }

    private mutating func apply(_ change: ListHistory.Change) {
        func index(_ number: Int) -> Int { number % max(items.count, 1) }
        switch change {
        case .insert(let place): insert(at: place == 0 ? 0 : index(place))
        case .remove(let place) where !items.isEmpty: items.remove(at: index(place))
        case .toTop(let place) where !items.isEmpty: items.insert(items.remove(at: index(place)), at: 0)
        case .move(let place, let to) where !items.isEmpty:
            let item = items.remove(at: index(place))
            items.insert(item, at: to % (items.count + 1))
        case .alter(let place) where !items.isEmpty: items[index(place)].value += 1
        default: break
        }
        standing.formIntersection(texts)
    }

    private mutating func insert(at place: Int) {
        let ids = Set(items.map(\.id))
        // Between others there may be a free number.
        let between =
            history.isByID && place > 0 ? (items[place].id + 1...items[place].id + 9).first { !ids.contains($0) } : nil
        if between == nil { lastID += 10 }
        items.insert(Item(id: between ?? lastID), at: history.isByID ? 0 : place)
        if history.isByID { items.sort { history.style == .keyset ? $0.id < $1.id : $0.id > $1.id } }
    }

    /// True if the run is to be cancelled now.
    var isStopDue: Bool { run?.stops == requests }

    mutating func answer(_ request: ServerRequest) -> ServerResponse {
        requests += 1
        for (number, change) in run?.changes ?? [] where number == requests && number > 1 { apply(change) }
        let response = run?.fails == requests ? .json("{}", status: 500) : page(request)
        let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        log.append("\(query) -> \(response.status) \(String(decoding: response.body, as: UTF8.self))")
        return response
    }

    private func page(_ request: ServerRequest) -> ServerResponse {
        let size = history.hasLimit ? request.parameter("limit").flatMap { Int($0) } ?? history.size : history.size
        var start = start(of: request)
        if history.end == .repeatsLast, start >= items.count { start = (pageCount - 1) * size }
        if history.end == .notFound, start > 0, start >= items.count { return .json("{}", status: 404) }
        let page = Array(items.dropFirst(start).prefix(size))
        let isLast = start + page.count >= items.count
        var members = history.total == .body ? ["\"total\":\(items.count)"] : []
        var headers = history.total == .header ? [(name: "X-Total-Count", value: "\(items.count)")] : []
        if history.sign == .flag { members.append("\"has_more\":\(!isLast)") }
        if isTruncated {
            // A flag that no page has merely because others follow need not be on the last one.
            if history.sign == .truncated { members.append("\"truncated\":true") }
            if history.sign == .incomplete, start == 0 || !isLast { members.append("\"incomplete_results\":true") }
        }
        let next = next(behind: page, at: start, isLast: isLast, request)
        if history.style == .link, let next { headers.append((name: "Link", value: "<\(next)>; rel=\"next\"")) }
        if history.style != .link, let next { members.append("\"next\":\"\(next)\"") }
        let list = page.map { "{\"id\":\($0.id),\"value\":\($0.value)}" }.joined(separator: ",")
        let body = "{\((members + ["\"items\":[\(list)]"]).joined(separator: ","))}"
        guard history.isTagged else { return .json(body, headers: headers) }
        let link = history.style == .link ? headers.map(\.value).joined() : ""
        let tag = "\"\((body + link).utf8.reduce(5381 as UInt64) { $0 &* 33 &+ UInt64($1) })\""
        headers.append((name: "ETag", value: tag))
        return request.header("If-None-Match") == tag ? .status(304, headers: headers) : .json(body, headers: headers)
    }

    private func start(of request: ServerRequest) -> Int {
        let after = request.parameter("after").flatMap { Int($0) }
        return switch history.style {
        case .page, .link, .nextURL: ((Int(request.parameter("page") ?? "") ?? 1) - 1) * history.size
        case .offset: Int(request.parameter("offset") ?? "") ?? 0
        case .cursorOfOffset: request.parameter("after").flatMap { Int($0.dropFirst()) } ?? 0
        case .cursorOfID: after.map { after in items.firstIndex { $0.id < after } ?? items.count } ?? 0
        case .keyset: after.map { after in items.firstIndex { $0.id > after } ?? items.count } ?? 0
        }
    }

    private func next(behind page: [Item], at start: Int, isLast: Bool, _ request: ServerRequest) -> String? {
        let asked = request.parameter("after") ?? request.parameter("page").map { "/things?page=\($0)" }
        if isLast, history.end == .namesItself { return page.isEmpty ? nil : asked }
        guard !isLast || history.end == .emptyLast && !page.isEmpty else { return nil }
        return switch history.style {
        case .page, .offset, .keyset: nil
        case .link, .nextURL: "/things?page=\(start / history.size + 2)"
        case .cursorOfOffset: "o\(start + page.count)"
        case .cursorOfID: page.last.map { "\($0.id)" }
        }
    }
}
