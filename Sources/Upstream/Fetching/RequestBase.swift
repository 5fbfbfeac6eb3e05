internal import Concurrency
internal import HTTP

/// The common part of the requests of all pages.
final class RequestBase: Sendable {
    let parts: ResolvedParts
    /// The feed's `url`.
    let url: WebURL
    /// The fingerprint that distinguishes the credentials from others.
    let fingerprint: Int64
    /// The credentials of which a request carries one; empty where it has but one.
    let choices: [CredentialChoices.Choice]

    init(parts: ResolvedParts, url: WebURL, salt: String) {
        self.parts = parts
        self.url = url
        fingerprint = parts.distinction.fingerprint(salt: salt)
        var seen: Set<Int64> = []
        choices = parts.alternatives.compactMap { alternative in
            let fingerprint = alternative.secrets.fingerprint(salt: salt)
            guard seen.insert(fingerprint).inserted else { return nil }
            return .init(credentials: parts.credentials + alternative.credentials, fingerprint: fingerprint)
        }
    }
}

/// Keeps the base of a run's requests, so that it is worked out once and not for every page.
///
/// - Isolation: any task or thread.
final class KeptRequestBase: Sendable {
    private let kept = Lock<RequestBase?>(nil)
    private let isConstant: Bool

    /// - Parameter definition: The feed. If it refers to a file, which may be replaced while pages come, or needs an
    ///   access token, which expires, nothing is kept.
    init(for definition: FeedDefinition) {
        let references = definition.templates.flatMap(\.references)
        let hasFile = references.contains { if case .file = $0 { true } else { false } }
        isConstant = !hasFile && definition.authentication?.needsToken != true
    }

    /// The base that is kept, or a new one.
    ///
    /// - Throws: the error of `make`; nothing is kept then.
    func base(_ make: () throws(FeedSyncError) -> RequestBase) throws(FeedSyncError) -> RequestBase {
        guard isConstant else { return try make() }
        if let base = kept.withLock({ $0 }) { return base }
        let base = try make()
        kept.withLock { $0 = base }
        return base
    }
}
