package import HTTP

/// A page that is ready to be requested.
package struct PreparedPage: Sendable {
    /// The request without validators; its credentials are kept apart from its URL and headers.
    package let request: Request
    /// The method, the URL and the body of a POST, with placeholders for secrets: what the store keys pages by.
    package let identity: String
    /// 32 bits that tell the credentials from others, 0 where there are none.
    package let credentialFingerprint: Int64
    /// Which page, secrets in it concealed; nil for the first.
    package let cursor: PageCursor?
    /// Whether the page was worked out from the one before, so that it may not be there.
    package var mayBeBeyondEnd = false
    /// What must be neither stored nor shown; for the page cursor that comes with this page, too.
    package let secrets: Secrets
    /// How to get the access token that the request needs; nil where it needs none.
    package var tokenRequest: TokenRequest?
    /// The access token among the request's credentials; nil where it has none yet.
    var accessToken: AccessToken?
    /// Whether it is a request for an access token, so that the response is a credential.
    var isForToken = false
    /// The least time from the request to the next one at its origin.
    var interval: Duration?
    /// How many elements of the page before it begins with.
    package var overlap = 0
}

extension PreparedPage {
    /// Whether validators can speak for the page: RFC 9110 has them for GET alone.
    package var mayBeConditional: Bool { request.method == "GET" }

    /// The validators of a response that are worth keeping: none that holds a secret.
    package func validators(of response: Response) -> Validators {
        mayBeConditional ? Validators(of: response).without(secrets) : Validators(etag: nil, lastModified: nil)
    }

    /// A URL for people, secrets masked.
    package func shown(_ url: WebURL) -> String { secrets.mask(url.redacted) }

    /// The origin that is asked first, as quota readings name it.
    package var quotaOrigin: String { secrets.key(for: request.url.origin.description) }
}

extension PreparedPage: CustomStringConvertible, CustomReflectable {
    /// The same as `identity`.
    package var description: String { identity }

    /// A mirror without children, so that `dump` shows no secret.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
