package import HTTP

/// A response that is worth going on with.
package struct FetchedPage: Sendable {
    /// The meaning of a response for the feed.
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

    /// The meaning of the response for the feed.
    package let kind: Kind
    /// The response itself.
    package let response: Response
    /// The last word on each quota, in the order in which they came up.
    package let quota: [QuotaReading]
    /// The original format of the body, before its conversion to JSON.
    package let format: FeedFormat

    package init(kind: Kind, response: Response, quota: [QuotaReading], format: FeedFormat = .json) {
        self.kind = kind
        self.response = response
        self.quota = quota
        self.format = format
    }

    /// The server's clock when it answered, in seconds since 1970.
    package var serverDate: Int64? { response.date }
}

extension FeedSyncError {
    /// The page's request was not sent, because a response to one before spoke against it.
    package static var heldBack: FeedSyncError { FeedSyncError(.cancelled, "the request was held back") }
}

/// The activity of a fetch other than waiting for a response; for a progress line.
package enum FetchProgress: Sendable, Hashable {
    /// An attempt failed; the one of this number, counted from 1, comes next. The reason holds no secret.
    case retry(attempt: Int, because: String)
    /// The next request has its turn only then, as the feed's `rate` says.
    case paced(for: Duration)
    /// Nothing happens for so long.
    case waiting(for: Duration)
}
