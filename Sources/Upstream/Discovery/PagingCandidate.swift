/// A possible pagination of a feed, with its evidence.
struct PagingCandidate: Sendable, Hashable {
    /// The trial of the candidate.
    enum Trial: Sendable, Hashable {
        /// The page itself leads on.
        case follow
        /// By numbers: of the first page, if that is known.
        case page(first: Int?)
        /// By how many items to pass over.
        case offset
        /// By the last item's own value.
        case keyset
    }

    let trial: Trial
    /// The style's members; the number of the first page is added once it is known.
    var members: FlowMapping
    let certainty: Evidence.Certainty
    /// The evidence, in words.
    let evidence: String
    /// True if there is a further page, as far as the candidate shows; false if the sign marks the last one.
    var leadsOn = true
    /// True for a sign of the last page that is alike for several styles: the `next` of another page may be a URL, a
    /// token or a number.
    var isOpen = false
    /// The parameter that it counts by, where it does: two candidates of one parameter would make the same requests.
    var counter: String?

    /// The offset of the first page.
    var offset = 0

    /// True if the first page was requested by its number.
    var isAsked = false

    /// The `pagination` member, in one line.
    func yaml(first: Int? = nil) -> String {
        guard case .page(let known) = trial, let number = first ?? known else { return members.text }
        return members.with("first", number).text
    }
}

/// A YAML mapping in one line, as it is written in a configuration: `{style: page, first: 1}`.
struct FlowMapping: Sendable, Hashable {
    private var members: [FeedEntry.Member] = []

    /// An empty mapping.
    init() {}

    /// The mapping's text.
    var text: String { ConfigurationText.flow(.mapping(members)) }

    /// The mapping with a member more that is text.
    func with(_ name: String, _ text: String?) -> FlowMapping { adding(name, text.map { .text($0) }) }

    /// The mapping with a path more.
    func with(_ name: String, _ path: Path?) -> FlowMapping { with(name, path?.description) }

    /// The mapping with a number more.
    func with(_ name: String, _ number: Int?) -> FlowMapping { adding(name, number.map { .plain("\($0)") }) }

    private func adding(_ name: String, _ value: FeedEntry.Value?) -> FlowMapping {
        var copy = self
        if let value { copy.members.append(FeedEntry.Member(name, value)) }
        return copy
    }
}
