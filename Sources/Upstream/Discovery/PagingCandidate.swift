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
