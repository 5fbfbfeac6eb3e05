/// The failure of a command on a feed.
///
/// Its JSON form is kept in the store's `error` columns. Neither holds a secret: the code that makes an error masks
/// them first.
public struct FeedSyncError: Error, Sendable, Hashable {
    /// The kind of failure, in the words of the `error` columns; each has one exit code.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The user stopped it, or a later command took its place.
        case cancelled
        /// The process that ran it ended before it did.
        case interrupted
        /// The page does not match the definition: not JSON, no items, no item with its key.
        case undecodable
        /// The page leads where no crawl may go: in a circle, or to another origin.
        case unfollowable
        /// The upstream cannot be reached, or fails, or cuts its answers short.
        case unreachable
        /// The upstream answers with another 4xx.
        case rejected
        /// The upstream does not let us in: 401, 403.
        case refused
        /// The upstream says to wait longer than was allowed.
        case limited
        /// Another process works on the feed.
        case locked
        /// The store cannot be opened or written.
        case store
        /// The definition cannot be used as it is.
        case configuration
        /// feedsync itself is wrong.
        case bug

        /// True if the answer to a request is at fault, and the same request would get the same one.
        package var isOfAnswer: Bool { [.undecodable, .unfollowable, .rejected, .refused].contains(self) }

        /// True if a request failed, for good or for now.
        package var isOfRequest: Bool { isOfAnswer || self == .unreachable || self == .limited }

        /// True if other lists of the feed may still succeed.
        package var isOfOneList: Bool { isOfAnswer || self == .unreachable || self == .locked }

        /// True if the user, the environment or a wait ended the run, so that the failure says nothing of a page.
        package var isOfUser: Bool {
            [.cancelled, .interrupted, .limited, .locked, .store, .configuration].contains(self)
        }
    }

    /// The kind of failure.
    public let kind: Kind
    /// The failure and its place, in one or more plain sentences, without the feed's name.
    public let message: String
    /// The next thing to try.
    public let advice: String?
    /// The status of the failed response.
    public let httpStatus: Int?
    /// The URL concerned, secrets masked.
    public let url: String?
    /// True if the upstream says that the token of a delta is too old.
    package var isOfOldToken = false
    /// The failed response, if it is worth keeping.
    package var response: FailedResponse?

    /// An error; `message` and `url` hold no secret.
    public init(_ kind: Kind, _ message: String, advice: String? = nil, httpStatus: Int? = nil, url: String? = nil) {
        self.kind = kind
        self.message = Self.shortened(message)
        self.advice = advice.map(Self.shortened)
        self.httpStatus = httpStatus
        self.url = url.map(Self.shortened)
    }

    /// The most characters of one word: a page cursor or a URL may be as long as an upstream likes.
    private static let longestWord = 200
    /// The most characters of a text.
    private static let longestText = 4_000

    /// The text with long words cut, here for every error, so that none fills a screen or a column of the store.
    ///
    /// Secrets are masked by then: a part of one could not be recognised.
    private static func shortened(_ text: String) -> String {
        guard text.utf8.count > longestWord else { return text }
        var result = ""
        var length = 0
        var total = 0
        for scalar in text.unicodeScalars {
            length = scalar.properties.isWhitespace ? 0 : length + 1
            if length > longestWord {
                if length == longestWord + 1 { result += "…" }
                continue
            }
            total += 1
            guard total <= longestText else { return result + "…" }
            result.unicodeScalars.append(scalar)
        }
        return result
    }

    /// The members in the store's `error` columns.
    package var fields: JSONFields {
        [
            "kind": kind.rawValue,
            "message": message,
            "http_status": httpStatus,
            "url": url,
        ]
    }
}

extension FeedSyncError {
    /// The run was stopped.
    package static var cancelled: FeedSyncError { FeedSyncError(.cancelled, "the command was stopped") }
}

extension FeedSyncError: JSONRecord {}

extension FeedSyncError: CustomStringConvertible {
    /// The message, with the status and the URL where they say more.
    public var description: String {
        guard let url, !message.contains(url) else { return message }
        return "\(message) (\(url))"
    }
}
