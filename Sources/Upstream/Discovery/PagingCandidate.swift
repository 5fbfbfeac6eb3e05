/// A way in which a feed may have pages, with what speaks for it.
struct PagingCandidate: Sendable, Hashable {
    /// How the way is tried.
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
    let members: FlowMapping
    let certainty: Evidence.Certainty
    /// What speaks for it, in words.
    let evidence: String
    /// Whether there is a further page, as far as the candidate can tell; false if the sign says that this is the last.
    var leadsOn = true
    /// The parameter that it counts by, where it does: two candidates of one parameter would make the same requests.
    var counter: String?

    /// The offset of the first page.
    var offset = 0

    /// Whether the first page was asked for by its number.
    var isAsked = false

    /// The `pagination` member, in one line.
    func yaml(first: Int? = nil) -> String {
        guard case .page(let known) = trial, let number = first ?? known else { return members.text }
        return members.with("first", number).text
    }
}
