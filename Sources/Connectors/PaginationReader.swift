internal import Feeds
internal import YAML

/// Reads the way from one page to the next.
struct PaginationReader {
    let evaluator: Evaluator
    let schema: StreamSchema

    func read(_ paginator: Component, into feed: inout TranslatedFeed) throws(ConnectorFault) {
        guard paginator.type != "NoPagination" else { return }
        try paginator.refuseCode()
        guard let strategy = try paginator.member("pagination_strategy") else {
            throw paginator.fault(.paginator, "its paginator has no strategy")
        }
        try strategy.refuseCode()
        let size = try readSize(paginator, strategy, into: &feed)
        guard let option = try paginator.member("page_token_option") else {
            throw paginator.fault(.paginator, "its paginator sends the next page's place nowhere")
        }
        let place = try RequestPlace(option, evaluator)
        switch strategy.type {
        case "PageIncrement": try readNumbers(strategy, try parameter(place, option, feed.method), size, into: &feed)
        case "OffsetIncrement":
            let parameter = FeedEntry.Value.text(try parameter(place, option, feed.method))
            feed.pagination = Self.pagination("offset", [.init("param", parameter)] + Self.members(size, "limit"))
        case "CursorPagination": try readCursor(strategy, place, option, size, into: &feed)
        case let type: throw strategy.fault(.paginator, "its paginator is a `\(type ?? "")`")
        }
    }

    private typealias Size = (name: String, count: Int)

    private static func pagination(_ style: String, _ members: [FeedEntry.Member]) -> FeedEntry.Value {
        .mapping([.init("style", .text(style))] + members)
    }

    /// The size of pages, where a paginator's parameter takes it; elsewhere it is sent as it is.
    private func readSize(_ paginator: Component, _ strategy: Component, into feed: inout TranslatedFeed)
        throws(ConnectorFault) -> Size?
    {
        guard let option = try paginator.member("page_size_option"),
            let component = try strategy.member("page_size"), let text = try evaluator.literal(component)
        else { return nil }
        guard let count = Int(text) else {
            throw component.fault(.paginator, "`page_size` is no number that can be sent")
        }
        // Services take a number such as -1 for all items, and their pages have no size then.
        let isSize = PageSize.range.contains(count)
        switch (try RequestPlace(option, evaluator), feed.method) {
        case (.query(let name), "GET") where isSize: return (name, count)
        case (.body(let names), "POST") where isSize: return (Path(names.map { .member($0) }).description, count)
        case (.query(let name), _): feed.query.set(name, .plain("\(count)"))
        case (.header(let name), _): feed.headers.append(.init(name, .text("\(count)")))
        case (.body, _), (.path, _): throw option.fault(.paginator, "the size of pages is sent in a GET's body")
        }
        return nil
    }

    /// The parameter that says which page.
    private func parameter(_ place: RequestPlace, _ option: Component, _ method: String) throws(ConnectorFault)
        -> String
    {
        switch (place, method) {
        case (.query(let name), "GET"): return name
        case (.body(let names), "POST"): return Path(names.map { .member($0) }).description
        case (.header(let name), _):
            throw option.fault(.paginator, "the next page's place is sent in the header `\(name)`")
        case (.path, _): throw option.fault(.paginator, "a page's number is sent as a URL")
        default:
            throw option.fault(
                .paginator,
                "the next page's place is sent in the \(method == "GET" ? "body of a GET" : "query of a POST")")
        }
    }

    private func readNumbers(
        _ strategy: Component, _ parameter: String, _ size: Size?, into feed: inout TranslatedFeed
    ) throws(ConnectorFault) {
        let component = try strategy.member("start_from_page")
        let first = try evaluator.literal(component) ?? "0"
        guard let number = Int(first), number >= 0 else {
            throw ConnectorFault(.paginator, "`start_from_page` is no number", at: component?.mark ?? strategy.mark)
        }
        if component == nil {
            feed.notes.append(
                "pages are counted from 0, as the connector does; an upstream that counts from 1 needs `first: 1`")
        }
        feed.pagination = Self.pagination(
            "page", [.init("param", .text(parameter)), .init("first", .plain("\(number)"))] + Self.members(size))
    }

    private static func members(_ size: Size?, _ name: String = "size") -> [FeedEntry.Member] {
        size.map { [.init("\(name)_param", .text($0.name)), .init(name, .plain("\($0.count)"))] } ?? []
    }

    private func readCursor(
        _ strategy: Component, _ place: RequestPlace, _ option: Component, _ size: Size?,
        into feed: inout TranslatedFeed
    ) throws(ConnectorFault) {
        guard let component = try strategy.member("cursor_value"), let text = component.text else {
            throw strategy.fault(.paginator, "its paginator has no `cursor_value`")
        }
        let expression = try Self.expression(component)
        func unknown() -> ConnectorFault {
            component.fault(.paginator, "the next page's place is worked out by \(Excerpt.quoted(text, limit: 100))")
        }
        guard let expression else { throw unknown() }
        let cursor = RuntimePath(expression)
        // A page without items is the end anyway.
        let signs = try stopSigns(strategy, cursor, &feed.notes).filter { $0 != .more(feed.items) }
        guard !signs.contains(.always) else { return }
        let flags = signs.flags
        if let step = Counting(expression) {
            let parameter = FeedEntry.Value.text(try parameter(place, option, feed.method))
            let pages = (signs + step.signs).pages
            feed.pagination =
                switch step.unit {
                case .pages: Self.pagination("page", [.init("param", parameter)] + Self.members(size) + pages + flags)
                case .items:
                    Self.pagination("offset", [.init("param", parameter)] + Self.members(size, "limit") + flags)
                }
            return
        }
        guard let cursor else { throw unknown() }
        let rest = Self.members(size) + flags
        if let path = pathInLastItem(cursor, of: feed.items) {
            guard !path.segments.isEmpty else { throw unknown() }
            feed.pagination = Self.pagination(
                "keyset",
                [
                    .init("param", .text(try parameter(place, option, feed.method))),
                    .init("from", .text(path.description)),
                ] + rest)
        } else if cursor.isNextLink {
            guard place == .path else { throw unknown() }
            feed.pagination = Self.pagination("link", rest)
        } else {
            guard let path = cursor.path, !path.segments.isEmpty else { throw unknown() }
            let isInHeader = cursor.root == .headers
            guard !isInHeader || path.segments.count == 1 else { throw unknown() }
            let source = FeedEntry.Member(isInHeader ? "header" : "next", .text(path.description))
            feed.pagination =
                place == .path
                ? Self.pagination("next_url", [source] + rest)
                : Self.pagination(
                    "cursor", [.init("param", .text(try parameter(place, option, feed.method))), source] + rest)
        }
    }

    /// The path of the token in a page's last item; nil for a token elsewhere.
    ///
    /// A member that the schema does not name is none of an item: older manifests say `last_record` for the body.
    private func pathInLastItem(_ cursor: RuntimePath, of items: Path) -> Path? {
        guard let path = cursor.pathInLastItem(of: items) else { return nil }
        guard cursor.root == .lastItem, case .member(let name)? = path.segments.first else { return path }
        return schema.has(name) == false ? nil : path
    }

    /// The only expression of a text; nil for another text.
    private static func expression(_ component: Component) throws(ConnectorFault) -> Expression? {
        do throws(ExpressionFault) {
            return try ExpressionText(component.text ?? "").only
        } catch {
            throw component.fault(.expression, "\(Excerpt.quoted(component.text ?? "", limit: 120)): \(error.problem)")
        }
    }

    private func stopSigns(_ strategy: Component, _ cursor: RuntimePath?, _ notes: inout [String])
        throws(ConnectorFault) -> [StopSign]
    {
        guard let component = try strategy.member("stop_condition") else { return [] }
        if let expression = try Self.expression(component), let signs = StopSign.all(expression, cursor: cursor) {
            return signs
        }
        if component.node.scalar?.resolution == .boolean(false) { return [] }
        notes.append(
            "the end of the list is where no further page is named, without "
                + Excerpt.quoted(component.text ?? "", limit: 100))
        return []
    }
}

extension RuntimePath {
    /// True for the `Link` header's next URL, as `requests` parses it.
    fileprivate var isNextLink: Bool {
        guard root == .headers, steps.count == 3, case .member(let header) = steps[0] else { return false }
        return header.lowercased() == "link" && steps[1...] == [.member("next"), .member("url")]
    }
}

extension [StopSign] {
    /// The flags of a paginator.
    fileprivate var flags: [FeedEntry.Member] {
        var members: [FeedEntry.Member] = []
        for sign in self {
            switch sign {
            case .more(let path) where !members.contains { $0.name == "more" }:
                members.append(.init("more", .text(path.description)))
            case .last(let path) where !members.contains { $0.name == "last" }:
                members.append(.init("last", .text(path.description)))
            default: continue
            }
        }
        return members
    }

    /// The number of pages.
    fileprivate var pages: [FeedEntry.Member] {
        for case .pages(let path) in self { return [.init("pages", .text(path.description))] }
        return []
    }
}

/// A cursor that is counted: the page's number and one, or the offset and the number of items.
private struct Counting {
    enum Unit { case pages, items }

    let unit: Unit
    /// The end of the list, as the condition of the expression says it.
    let signs: [StopSign]

    init?(_ expression: Expression) {
        switch expression {
        case .chosen(let value, let condition, .nothing), .chosen(let value, let condition, .text("")):
            guard let inner = Counting(value) else { return nil }
            (unit, signs) = (inner.unit, inner.signs + (StopSign.all(.not(condition), cursor: nil) ?? []))
        case .computedNumber(let counted, "+", let step):
            guard Self.isCounter(counted) else { return nil }
            switch step {
            case .number("1"): unit = .pages
            case .number, .name("last_page_size"): unit = .items
            case let step where RuntimePath(step)?.root == .response: unit = .items
            default: return nil
            }
            signs = []
        default: return nil
        }
    }

    private static func isCounter(_ expression: Expression) -> Bool {
        switch expression {
        case .name("last_page_token_value"), .name("next_page_token"): true
        case .either(let one, _), .filter(let one, "int", _): isCounter(one)
        default: RuntimePath(expression)?.root == .response
        }
    }
}
