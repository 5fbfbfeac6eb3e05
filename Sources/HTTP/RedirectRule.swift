/// Which redirects a request follows; the others end it with an error of kind `refusedRedirect`.
public enum RedirectRule: Sendable, Hashable {
    /// All of them; some turn a POST into a GET (RFC 9110, section 15.4).
    case any
    /// Those that keep method and body.
    case sameRequest
    /// Those that keep method and body and stay at the credentials' origin: the body contains one.
    case sameRequestAtOrigin
    /// None: the host that was asked must answer.
    case none
}
