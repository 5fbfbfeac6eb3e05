internal import HTTP

/// The meaning of a response for the feed. The definition's rules come first, then this table:
///
/// | status | meaning |
/// | --- | --- |
/// | 204, 205 | a page without items |
/// | 202: accepted, and not there yet | tried again, by `RetryPolicy` |
/// | any other 2xx | content |
/// | 304 to validators | not modified |
/// | 304 to none | asked again |
/// | 403 whose quota is spent or with `Retry-After`, 408, 425, 429, 5xx | tried again, by `RetryPolicy` |
/// | 401, any other 403 | refused |
/// | 400, 404, 416, 422 that says that it was asked too often | tried again, as a 429 |
/// | 400, 404, 416, 422 to a page that was worked out, and not the first | the end |
/// | any other 4xx | rejected |
/// | a redirect that leads nowhere | unfollowable |
/// | 101, which nobody asked for | unreachable |
/// | 600 and more, which are none | as 5xx: https://www.rfc-editor.org/rfc/rfc9110#section-15 |
///
/// Paginators with numbered pages compute the next page, and may request one after the last. If the upstream itself led
/// to a page, such an answer is no end, but an expired token or a broken link. Nor is a 404 the end if the page exists
/// by the total; the caller that knows the total decides that.
package enum ResponseDisposition: Equatable {
    /// The page came, or there is none.
    case page(FetchedPage.Kind)
    /// A 304 without a stored page.
    case unaskedNotModified
    /// Trouble that may pass.
    case retry
    /// Trouble that will not, or a rule says so.
    case failure(FeedSyncError.Kind)
    /// The token of a delta is too old.
    case expired

    /// Reads a response.
    ///
    /// - Parameter mayBeBeyondEnd: True for a page that was worked out and is not the first.
    init(of response: Response, isConditional: Bool, mayBeBeyondEnd: Bool = false, rules: [ResponseRule]) {
        if let rule = rules.first(where: { $0.matches(response) }) {
            switch rule.action {
            case .end: self = .page(.end(status: response.status))
            case .empty: self = .page(.empty)
            case .retry: self = .retry
            case .fail: self = .failure(Self.failure(response.status))
            case .expired: self = .expired
            }
            return
        }
        switch response.status {
        case 204, 205: self = .page(.empty)
        // The list is being made: https://www.rfc-editor.org/rfc/rfc9110#status.202
        case 202: self = .retry
        case 200..<300: self = .page(.content)
        case 304: self = isConditional ? .page(.notModified) : .unaskedNotModified
        case 408, 425, 429, 500...: self = .retry
        case 403 where response.isRateLimited: self = .retry
        case _ where Self.saysTooOften(response): self = .retry
        case let status where mayBeBeyondEnd && Self.endStatuses.contains(status):
            self = .page(.beyondEnd(status: status))
        default: self = .failure(Self.failure(response.status))
        }
    }

    /// The answers of upstreams to a page after the last one. 422 is GitHub's to results past the first thousand:
    /// https://docs.github.com/en/rest/search/search#about-search
    private static let endStatuses: Set<Int> = [400, 404, 416, 422]

    /// True for an error that may mean the end, with the words of a 429.
    static func saysTooOften(_ response: Response) -> Bool {
        guard endStatuses.contains(response.status) else { return false }
        return UpstreamText.text(of: response).map { RefusalWords($0).sayTooOften } ?? false
    }

    /// The failure for a status that persisted through every attempt.
    static func failureAfterRetries(_ status: Int) -> FeedSyncError.Kind {
        (200..<300).contains(status) ? .unreachable : failure(status)
    }

    /// The failure for a status that ends the fetch.
    package static func failure(_ status: Int) -> FeedSyncError.Kind {
        switch status {
        case 401, 403: .refused
        case 408, 425, 500..., ..<200: .unreachable
        case 429: .limited
        // A 2xx fails only by a rule of the definition: the upstream says no in the body.
        case 200..<300, 400..<500: .rejected
        default: .unfollowable
        }
    }
}

extension ResponseRule {
    /// True if the rule applies to this response; the body is read only if the status matches.
    fileprivate func matches(_ response: Response) -> Bool {
        guard status == nil || status == response.status else { return false }
        return body.allSatisfy { match in
            BodyProbe.value(of: response.body, at: match.path)?.isWritten(match.value) == true
        }
    }
}
