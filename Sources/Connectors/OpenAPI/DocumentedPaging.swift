internal import Feeds
internal import Upstream

/// The pagination that an operation's parameters and response say together.
struct DocumentedPaging {
    private let parameters: [DocumentedParameter]

    /// The largest page to ask for where a description allows more.
    private static let mostItems = 1_000

    init(_ parameters: [DocumentedParameter]) { self.parameters = parameters.filter { $0.place == .query } }

    /// The value of a parameter in the request for a first page; nil for one that asks for no page.
    static func firstValue(of parameter: DocumentedParameter) -> String? {
        // A time is not a page, whatever its name; neither is a plain `since`.
        guard !parameter.isTime else { return nil }
        let isNamed = { (names: Set<String>) in Self.isNamed(parameter, names) }
        if isForToken(parameter) { return "" }
        if isNamed(PagingNames.number) { return parameter.firstNumber.map { "\($0)" } }
        if isNamed(PagingNames.size) { return "1" }
        if isNamed(keysets) { return "" }
        if isNamed(PagingNames.offset.subtracting(["first"])) { return "0" }
        return nil
    }

    /// True if a parameter takes a token by its name, as far as its type allows one.
    static func isForToken(_ parameter: DocumentedParameter) -> Bool {
        let tokens = PagingNames.token.subtracting(["offset", "nextoffset", "end"])
        return !parameter.isTime
            && (isNamed(parameter, tokens) || parameter.isText && isNamed(parameter, PagingNames.number))
    }

    /// True if the folded name of a parameter, or the last part of it in brackets, is one of these.
    private static func isNamed(_ parameter: DocumentedParameter, _ names: Set<String>) -> Bool {
        let inner = parameter.name.split(separator: "[").last?.prefix { $0 != "]" } ?? ""
        return names.contains(MemberName(parameter.name).folded) || names.contains(MemberName(String(inner)).folded)
    }

    /// Parameters that take the key of a page's last item by their name alone; others take a token.
    private static let keysets: Set<String> = ["startingafter", "afterid", "sinceid", "lastid"]

    /// The `pagination` member; nil where the document leaves it open.
    func pagination(of study: PageStudy) -> FeedEntry.Value? {
        for way in study.ways where way.leadsOn {
            let pagination = try? FeedEntry.Value(yaml: way.pagination)
            guard case .mapping(let members)? = pagination else { continue }
            let style = pagination?["style"]?.text
            let parameter = pagination?["param"]?.text
            if let parameter, !parameters.contains(where: { $0.name == parameter }) { continue }
            if style == "keyset" {
                let name = MemberName(parameter ?? "").folded
                guard Self.keysets.contains(name), study.keyCertainty != .guess else { continue }
            }
            return .mapping(members + size(for: style))
        }
        return nil
    }

    /// The members that ask for large pages, where the document says how large they may be.
    private func size(for style: String?) -> [FeedEntry.Member] {
        let named = parameters.first { Self.isNamed($0, PagingNames.size) }
        guard let named, let largest = named.largest, largest > 1 else { return [] }
        let count = FeedEntry.Value.plain("\(min(largest, Self.mostItems))")
        guard style == "offset" else { return [.init("size_param", .text(named.name)), .init("size", count)] }
        return (named.name == "limit" ? [] : [.init("limit_param", .text(named.name))]) + [.init("limit", count)]
    }
}
