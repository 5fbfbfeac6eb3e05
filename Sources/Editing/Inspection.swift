package import FeedSync
internal import Reports

/// The findings of an inspection, and the members to write to the file.
package struct Inspection: Sendable {
    /// The members to write.
    package let members: [FeedEntry.Member]
    /// The parameters that the found pagination sets in every request.
    let ownParameters: PageParameters
    private let discovered: DiscoveryResult

    init(members: [FeedEntry.Member], discovered: DiscoveryResult) {
        self.members = members
        self.discovered = discovered
        ownParameters = PageParameters(discovered.definition.pagination)
    }

    /// The preset of a feed of RSS or Atom, which keeps what the upstream drops; nil for other feeds, for those whose
    /// pages are counted, and where the user said what such a preset says.
    func preset(for entry: FeedEntry) -> [FeedEntry.Member]? {
        guard let format = definition.format, format == .rss || format == .atom, !writesColumns,
            definition.pagination.cursorKind != .number
        else { return nil }
        let said: Set = ["preset", "format", "items", "key", "pagination", "columns"]
        guard !entry.members.contains(where: { said.contains($0.name) }) else { return nil }
        // Its view has the name `post`.
        let model: [FeedEntry.Member] = entry.name.lowercased() == "post" ? [.init("model", .plain("null"))] : []
        return [.init("preset", .text(format.rawValue))] + model
    }

    private var writesColumns: Bool { members.contains { $0.name == "columns" } }

    /// The feeds that the URL names, where it is a web page's and not a feed's.
    var alternates: [AlternateLink] { discovered.alternates }

    /// True if a second page was requested and received.
    var hasSecondPage: Bool { discovered.pages > 1 }

    /// The findings, with their certainty and evidence.
    package var evidence: [Evidence] { discovered.evidence }

    /// The number of items on the first page.
    package var itemCount: Int { discovered.itemCount }

    /// The feed's definition with the findings in it.
    package var definition: FeedDefinition { discovered.definition }

    /// The first items: for each the values of the definition's columns, as JSON; nil for none.
    package var sample: [[String?]] { discovered.sample }

    /// The figures of it, in words.
    package var summary: String {
        let items = NumberFormat.count(discovered.itemCount, "item")
        let requests = NumberFormat.count(discovered.cost.requestCount, "request")
        return "\(items) on the first page; \(requests), \(NumberFormat.bytes(discovered.cost.byteCount))"
    }

    /// Of items that there are and that the feed will not have.
    package var warning: String? {
        discovered.missing.map { missing in
            "\(NumberFormat.count(discovered.itemCount)) of \(NumberFormat.count(missing.total, "item")): "
                + "`\(missing.place)` says there are more, but no way to get them was found; add `pagination` to the feed"
        }
    }

    /// The consequence of each missing finding for the feed.
    package var hints: [String] {
        guard discovered.itemCount > 0 else {
            return ["the rest is worked out as soon as a page has items"]
        }
        guard discovered.evidence.contains(where: { $0.subject == .pagination && $0.found == nil }) else { return [] }
        guard discovered.definition.part == nil else {
            return ["this list has one page; the first longer one will show how it continues"]
        }
        return [
            "this page counts as the whole list; if there is more, add `pagination` to the feed; "
                + "if not, --paginate none saves the search"
        ]
    }

    /// The settings that needed no discovery, because the draft or its preset has them.
    package var given: [(subject: Evidence.Subject, said: String)] {
        let definition = discovered.definition
        let said: [(subject: Evidence.Subject, said: String?)] = [
            (.items, definition.items?.description ?? "the body"),
            (.key, definition.key.isEmpty ? nil : definition.key.joined(separator: ", ")),
            (.columns, NumberFormat.count(definition.columns.count, "column")),
            (.pagination, definition.pagination.canonicalText),
        ]
        return said.compactMap { subject, said in
            guard let said, !discovered.evidence.contains(where: { $0.subject == subject }) else { return nil }
            return (subject, said)
        }
    }

    /// A finding on one line, with the names and types of at most `most` columns.
    package func found(_ finding: Evidence, most: Int = .max) -> String? {
        guard finding.subject == .columns, finding.found != nil else { return finding.found }
        let columns = discovered.definition.columns
        let shown = columns.prefix(most).map { $0.name + ($0.type.map { " \($0.rawValue)" } ?? "") }
        let others = columns.count - shown.count
        return shown.joined(separator: ", ") + (others > 0 ? " and \(NumberFormat.count(others)) more" : "")
    }
}

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
