internal import Feeds
internal import HTTP
internal import Upstream

/// The pages of one list, in their order.
struct RecordedList: Sendable {
    /// The pages, the first one first.
    private(set) var pages: [RecordedExchange]
    /// The settings that the pages show.
    private(set) var findings = Findings()
    /// The way to the next page; nil where it is to be found.
    private(set) var pagination: FeedEntry.Value?
    private(set) var itemCount = 0
    /// The last page's requests for the next one, as it suggests them itself, and the values that may ask for it.
    private var next: [WebURL] = []
    private var sources: [String: Source] = [:]

    /// Parameters that ask for a page by their names.
    private static let pageNames = PagingNames.number.union(PagingNames.offset).union(PagingNames.token)
        .union(["startingafter", "afterid", "sinceid", "lastid", "maxid"])

    init(_ page: RecordedExchange) {
        pages = [page]
        readLastPage()
    }

    /// True if an exchange is the same page again.
    func has(_ exchange: RecordedExchange) -> Bool { pages.contains { $0.isSame(as: exchange.url) } }

    /// True if an exchange is another page of the list.
    func isContinued(by exchange: RecordedExchange) -> Bool {
        guard let last = pages.last, case .json = exchange.content else { return false }
        if let names = last.difference(to: exchange), !names.isEmpty {
            if names.allSatisfy({ Self.pageNames.contains(Self.folded($0)) }) { return true }
            if names.count == 1, let value = exchange.value(of: names[0]), sources[value] != nil { return true }
        }
        return next.contains { exchange.isSame(as: $0) }
    }

    mutating func append(_ exchange: RecordedExchange) {
        pages.append(exchange)
        readLastPage()
    }

    /// The URLs of its last page, and of those that it leads to, without their queries.
    var addresses: [String] { (pages.last.map { [$0.shown] } ?? []) + next.map(RecordedExchange.shown) }

    private mutating func readLastPage() {
        guard let study = pages.last?.study(besides: []) else { return }
        next = study.ways.filter { $0.leadsOn && $0.isCertain }.compactMap { way in
            study.secondRequest(by: way.pagination)?.url
        }
        sources = pages.last.map { Self.sources(of: $0, study) } ?? [:]
    }

    /// Works out the settings; false where the pages show no items.
    mutating func study() -> Bool {
        sort()
        guard case .json = pages[0].content else { return true }
        guard let study = pages[0].study(besides: pages.dropFirst().compactMap(\.json)) else { return false }
        guard study.itemCount > 0, study.isArray || study.findings.items?.keyedBy != nil,
            study.isNamed || pages.count > 1 || study.itemCount > 1
        else { return false }
        findings = study.findings
        itemCount = study.itemCount
        let ways = study.ways.filter(\.leadsOn)
        let followed = ways.first { way in
            guard let next = study.secondRequest(by: way.pagination)?.url else { return false }
            return pages.dropFirst().contains { $0.isSame(as: next) }
        }
        let text = followed?.pagination ?? compared() ?? ways.first { $0.isCertain }?.pagination
        pagination = text.flatMap { try? FeedEntry.Value(yaml: $0) }.map(Self.fromStart)
        return true
    }

    /// Numbered pages in the order of their numbers; others as they came.
    private mutating func sort() {
        let names = Set(pages.flatMap { page in page.parameters.map(\.name) }).filter { name in
            let folded = Self.folded(name)
            return PagingNames.number.contains(folded) || PagingNames.offset.contains(folded)
        }
        guard let name = names.sorted().first else { return }
        let numbers = pages.map { page in page.value(of: name).map { Int($0) } ?? -1 }
        guard numbers.allSatisfy({ $0 != nil }) else { return }
        pages = pages.enumerated().sorted { one, other in
            (numbers[one.offset] ?? 0, one.offset) < (numbers[other.offset] ?? 0, other.offset)
        }.map(\.element)
    }

    /// The pagination that the first two requests differ by.
    private func compared() -> String? {
        guard pages.count > 1, let name = pages[0].difference(to: pages[1]).flatMap({ $0.count == 1 ? $0[0] : nil }),
            let value = pages[1].value(of: name)
        else { return nil }
        let parameter = FeedEntry.Member("param", .text(name))
        func text(_ style: String, _ members: [FeedEntry.Member]) -> String {
            ConfigurationText.flow(.mapping([.init("style", .text(style)), parameter] + members))
        }
        let study = pages[0].study(besides: [])
        switch study.flatMap({ Self.sources(of: pages[0], $0)[value] }) {
        case .member(let path)?: return text("cursor", [.init("next", .text(path.description))])
        case .header(let header)?: return text("cursor", [.init("header", .text(header))])
        case .lastItem(let path)?: return text("keyset", [.init("from", .text(path.description))])
        case nil: break
        }
        guard let number = Int(value) else { return nil }
        if PagingNames.number.contains(Self.folded(name)) {
            let first = pages[0].value(of: name).flatMap { Int($0) } ?? (number == 1 ? 0 : 1)
            return text("page", [.init("first", .plain("\(first)"))])
        }
        return PagingNames.offset.contains(Self.folded(name)) ? text("offset", []) : nil
    }

    /// The place of a value that asks for the next page.
    private enum Source: Sendable {
        case member(Path)
        case header(String)
        case lastItem(Path)
    }

    /// The values of a page that may ask for the next one, with their places.
    private static func sources(of page: RecordedExchange, _ study: PageStudy) -> [String: Source] {
        guard let body = page.json else { return [:] }
        var sources: [String: Source] = [:]
        func add(_ value: String?, _ source: Source) {
            // A small number may count anything.
            guard let value, value.utf8.count > 3 || !value.isEmpty && Int(value) == nil else { return }
            if sources[value] == nil { sources[value] = source }
        }
        let items = study.findings.items?.path ?? Path([])
        for member in PageEnvelope(of: body, besides: items).members {
            add(member.value.scalar.parameterText, .member(member.path))
        }
        for field in page.responseHeaders.fields { add(field.value, .header(field.name)) }
        guard let last = body.value(at: items)?.elements?.last else { return sources }
        let columns = study.findings.columns
        let keys = study.findings.key.compactMap { name in columns.first { $0.name == name }?.path }
        for path in keys + columns.map(\.path) { add(last.value(at: path)?.scalar.parameterText, .lastItem(path)) }
        return sources
    }

    /// The pagination from the first page of the list, wherever the recording begins.
    private static func fromStart(_ pagination: FeedEntry.Value) -> FeedEntry.Value {
        guard case .mapping(let members) = pagination else { return pagination }
        let isOffset = pagination["style"]?.text == "offset"
        return .mapping(
            members.compactMap { member in
                guard member.name == "first", case .plain(let digits) = member.value else { return member }
                return isOffset ? nil : .init("first", .plain(digits == "0" ? "0" : "1"))
            })
    }

    private static func folded(_ name: String) -> String {
        let inner = name.hasSuffix("]") ? name.split(separator: "[").last?.dropLast() : nil
        return MemberName(inner.map { String($0) } ?? name).folded
    }

    /// The parameter that the pagination sets.
    private var ownParameter: String? { pagination?["param"]?.text }

    /// The members of a feed, the URL first.
    func members(_ given: [String: String], hasColumns: Bool) -> [FeedEntry.Member] {
        let first = pages[0]
        var members: [FeedEntry.Member] = [.init("url", .text(Template.escaped(first.shown)))]
        let own = first.parameters.filter { $0.name != ownParameter }
        let signIn = first.signIn?.members(given, server: first.shown)
        var query = FeedEntry.Member.parameters(own.map { ($0.name, Template.escaped($0.value)) })
        query += signIn?.query ?? []
        var headers = signIn?.headers ?? []
        if let accept = first.accept { headers.append(.init("Accept", .text(Template.escaped(accept)))) }
        if case .feed(let format) = first.content { members.insert(.init("preset", .text(format.rawValue)), at: 0) }
        members.add("query", query)
        members.add("headers", headers)
        if let auth = signIn?.auth { members.append(.init("auth", auth)) }
        members += (try? FeedEntry.Member.members(of: findings, for: .open(), hasColumns: hasColumns)) ?? []
        if let pagination { members.append(.init("pagination", pagination)) }
        return members
    }

    /// The list for people and programs.
    var collection: DescribedCollection {
        let parameters = pages[0].parameters.filter { $0.name != ownParameter }.map { "\($0.name)=\($0.value)" }
        return DescribedCollection(
            path: pages[0].shown + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&")),
            findings: findings, pagination: pagination, signIn: pages[0].signIn, needs: [],
            summary: "\(pages.count.counted("page")) recorded")
    }
}

extension RecordedExchange {
    /// The body; nil for what is not JSON.
    var json: JSONValue? { if case .json(let body) = content { body } else { nil } }

    /// The settings that the page shows; nil for one without items.
    func study(besides others: [JSONValue]) -> PageStudy? {
        guard let json else { return nil }
        let address = FeedEntry.Member("url", .text(url.text.replacing("{", with: "%7B").replacing("}", with: "%7D")))
        let lines = FeedEntry(name: "x", members: [address]).lines.joined(separator: "\n")
        guard let feed = (try? Configuration.parse(Array("feeds:\n\(lines)\n".utf8), file: ""))?.feeds.first else {
            return nil
        }
        let page = PageStudy.Page(request: Request(url), headers: responseHeaders, body: json)
        return try? PageStudy(feed, first: page, others: others)
    }
}
