/// Which redirects a request follows; the others end it with an error of kind `refusedRedirect`.
public enum RedirectRule: Sendable, Hashable {
    /// All of them; some turn a POST into a GET (RFC 9110, section 15.4).
    case any
    /// Those that keep method and body.
    case sameRequest
    /// Those that keep method and body and stay at the origin that the credentials were written for: the body holds one.
    case sameRequestAtOrigin
    /// None: whoever answers is the one that was asked.
    case none
}
