package import HTTP

/// A response that is worth going on with.
package struct FetchedPage: Sendable {
    /// What the response is for the feed.
    package enum Kind: Sendable, Hashable {
        /// A body to decode.
        case content
        /// The page is as the validators know it.
        case notModified
        /// There is no such page: a rule of the definition says so about this status.
        case end(status: Int)
        /// There is no such page: its number was worked out, and a client's error is the answer to it.
        case beyondEnd(status: Int)
        /// A page without items: a response without content, or a rule says so.
        case empty
    }

    /// What the response is for the feed.
    package let kind: Kind
    /// The response itself.
    package let response: Response
    /// The requests it took, redirects and failed attempts included.
    package let requestCount: Int
    /// The bytes received for them.
    package let byteCount: Int
    /// The last word on each quota, in the order in which they came up.
    package let quota: [QuotaReading]

    package init(kind: Kind, response: Response, requestCount: Int, byteCount: Int, quota: [QuotaReading]) {
        self.kind = kind
        self.response = response
        self.requestCount = requestCount
        self.byteCount = byteCount
        self.quota = quota
    }

    /// The server's clock when it answered, in seconds since 1970.
    package var serverDate: Int64? { response.date }
}

/// Why no page came, with what the attempts cost and told.
package struct FetchFailure: Error, Sendable {
    /// What went wrong, secrets masked.
    package let error: FeedSyncError
    /// The requests made, redirects included as far as they are known.
    package let requestCount: Int
    /// The bytes received.
    package let byteCount: Int
    /// The last word on each quota.
    package let quota: [QuotaReading]
    /// Whether the page's request was not sent, because a response to one before spoke against it.
    package var isHeldBack = false

    package init(
        error: FeedSyncError, requestCount: Int, byteCount: Int, quota: [QuotaReading], isHeldBack: Bool = false
    ) {
        self.error = error
        self.requestCount = requestCount
        self.byteCount = byteCount
        self.quota = quota
        self.isHeldBack = isHeldBack
    }
}

/// What a fetch is at when it is not simply waiting for a response; for a progress line.
package enum FetchProgress: Sendable, Hashable {
    /// An attempt failed; the one of this number, counted from 1, comes next. The reason holds no secret.
    case retry(attempt: Int, because: String)
    /// Nothing happens for so long.
    case waiting(for: Duration)
}
