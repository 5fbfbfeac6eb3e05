internal import FeedSync

/// The parameters that a pagination sets, and that the feed's query therefore must not have.
struct PageParameters: Sendable {
    private let names: Set<String>
    /// True if the paginator sets the first page itself, as one that counts pages does.
    private let saysFirstPage: Bool

    init(_ pagination: any Paginator) {
        names = Set(pagination.cursorParameters)
        saysFirstPage = pagination.cursorKind == .number
    }

    /// The members of a feed without these parameters in their `query`.
    ///
    /// A number is removed: the pagination was found from that page, and starts there. A token stays in the
    /// URL, where it names the first page until the pagination has another one.
    func withdrawn(from members: [FeedEntry.Member]) -> [FeedEntry.Member] {
        guard case .mapping(let query)? = members.first(where: { $0.name == "query" })?.value else { return members }
        let withdrawn = query.filter { names.contains($0.name) }
        guard !withdrawn.isEmpty else { return members }
        let rest = query.filter { !names.contains($0.name) }
        return members.compactMap { member in
            switch (member.name, member.value) {
            case ("query", _): rest.isEmpty ? nil : .init("query", .mapping(rest))
            case ("url", .text(let url)) where !saysFirstPage: .init("url", .text(Self.url(url, adding: withdrawn)))
            default: member
            }
        }
    }

    private static func url(_ url: String, adding parameters: [FeedEntry.Member]) -> String {
        let address = url.prefix { $0 != "#" }
        let pairs = parameters.flatMap { parameter in
            parameter.value.words.map { word in
                // A reference is encoded when it is resolved.
                let value = word.contains("${") ? word : FormEncoding.encoded(word)
                return "\(FormEncoding.encoded(parameter.name))=\(value)"
            }
        }
        let separator = address.contains("?") ? "&" : "?"
        return address + separator + pairs.joined(separator: "&") + url.dropFirst(address.count)
    }
}

extension FeedEntry.Value {
    /// The values of a parameter, which can be given several times.
    fileprivate var words: [String] {
        switch self {
        case .text(let text), .plain(let text): [text]
        case .list(let values): values.flatMap(\.words)
        case .mapping: []
        }
    }
}
