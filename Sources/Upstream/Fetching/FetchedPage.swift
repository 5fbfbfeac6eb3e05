public import HTTP

/// A response that is worth going on with.
public struct FetchedPage: Sendable {
    /// What the response is for the feed.
    public enum Kind: Sendable, Hashable {
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
    public let kind: Kind
    /// The response itself.
    public let response: Response
    /// The requests it took, redirects and failed attempts included.
    public let requestCount: Int
    /// The bytes received for them.
    public let byteCount: Int
    /// The last word on each quota, in the order in which they came up.
    public let quota: [QuotaReading]

    package init(kind: Kind, response: Response, requestCount: Int, byteCount: Int, quota: [QuotaReading]) {
        self.kind = kind
        self.response = response
        self.requestCount = requestCount
        self.byteCount = byteCount
        self.quota = quota
    }

    /// The server's clock when it answered, in seconds since 1970.
    public var serverDate: Int64? { response.date }
}

/// Why no page came, with what the attempts cost and told.
public struct FetchFailure: Error, Sendable {
    /// What went wrong, secrets masked.
    public let error: FeedError
    /// The requests made, redirects included as far as they are known.
    public let requestCount: Int
    /// The bytes received.
    public let byteCount: Int
    /// The last word on each quota.
    public let quota: [QuotaReading]
    /// Whether the page's request was not sent, because a response to one before spoke against it.
    package var isHeldBack = false

    package init(error: FeedError, requestCount: Int, byteCount: Int, quota: [QuotaReading], isHeldBack: Bool = false) {
        self.error = error
        self.requestCount = requestCount
        self.byteCount = byteCount
        self.quota = quota
        self.isHeldBack = isHeldBack
    }
}

/// What a fetch is at when it is not simply waiting for a response; for a progress line.
public enum FetchProgress: Sendable, Hashable {
    /// An attempt failed; the one of this number, counted from 1, comes next. The reason holds no secret.
    case retry(attempt: Int, because: String)
    /// Nothing happens for so long.
    case waiting(for: Duration)
}
