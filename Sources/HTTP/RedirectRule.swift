/// The redirects that a request follows; any other ends it with an error of kind `refusedRedirect`.
package enum RedirectRule: Sendable, Hashable {
    /// All of them; some turn a POST into a GET (RFC 9110, section 15.4).
    case any
    /// Redirects that keep method and body.
    case sameRequest
    /// Redirects that keep method and body and stay at the credentials' origin, because the body contains one.
    case sameRequestAtOrigin
    /// No redirect: the requested host must answer.
    case none
}
