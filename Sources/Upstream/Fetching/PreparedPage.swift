package import HTTP

/// A page that is ready to be requested. A class, because it is passed on with each result, and is large.
package final class PreparedPage: Sendable {
    /// The request without validators; its credentials are kept apart from its URL and headers.
    package let request: Request
    /// The method, the URL and the body of a POST, with placeholders for secrets: the store's key for the page.
    package let identity: String
    /// 32 bits that distinguish the credentials from others, 0 if there are none.
    package let credentialFingerprint: Int64
    /// The page's cursor, with its secrets concealed; nil for the first.
    package let cursor: PageCursor?
    /// True if the page was computed from the one before, so that it may not exist.
    package let mayBeBeyondEnd: Bool
    /// The secrets that must be neither stored nor shown, also in the page cursor from this page.
    package let secrets: Secrets
    /// The request for the necessary access token; nil if none is needed.
    let tokenRequest: TokenRequest?
    /// The access token among the request's credentials; nil where it has none yet.
    let accessToken: AccessToken?
    /// The credentials of which the request carries one; nil where it has but one.
    package let credentialChoices: CredentialChoices?
    /// True for a request for an access token, whose response is a credential.
    let isForToken: Bool
    /// True if a cancelled task waits for the response once the request is on its way, because it must not get lost.
    let isIndivisible: Bool
    /// The keys of the masked columns, in the columns' order.
    package let maskKeys: [[UInt8]]
    /// The least time from the request to the next one at its origin.
    let interval: Duration?
    /// The number of elements of the previous page with which it begins.
    package let overlap: Int

    init(
        request: Request, identity: String, credentialFingerprint: Int64, cursor: PageCursor?,
        mayBeBeyondEnd: Bool = false, secrets: Secrets, tokenRequest: TokenRequest? = nil,
        accessToken: AccessToken? = nil, credentialChoices: CredentialChoices? = nil, isForToken: Bool = false,
        isIndivisible: Bool = false, maskKeys: [[UInt8]] = [], interval: Duration? = nil, overlap: Int = 0
    ) {
        self.request = request
        self.identity = identity
        self.credentialFingerprint = credentialFingerprint
        self.cursor = cursor
        self.mayBeBeyondEnd = mayBeBeyondEnd
        self.secrets = secrets
        self.tokenRequest = tokenRequest
        self.accessToken = accessToken
        self.credentialChoices = credentialChoices
        self.isForToken = isForToken
        self.isIndivisible = isIndivisible
        self.maskKeys = maskKeys
        self.interval = interval
        self.overlap = overlap
    }
}

extension PreparedPage {
    /// True if validators apply to the page: RFC 9110 has them for GET alone.
    package var mayBeConditional: Bool { request.method == "GET" }

    /// The validators of a response that are worth keeping: none that holds a secret.
    package func validators(of response: Response) -> Validators {
        mayBeConditional ? Validators(of: response).without(secrets) : Validators(etag: nil, lastModified: nil)
    }

    /// A URL for people, secrets masked.
    package func shown(_ url: WebURL) -> String { secrets.mask(url.redacted) }

    /// The first requested origin, as in quota readings.
    package var quotaOrigin: String { secrets.key(for: request.url.origin.description) }

    /// The fingerprints of the credentials that the request may count against.
    package var quotaCredentials: [Int64] { credentialChoices?.fingerprints ?? [credentialFingerprint] }
}

extension PreparedPage: SecretHolder {
    /// The same as `identity`.
    package var description: String { identity }
}
