internal import FeedSync

/// Advice for failures that have none of their own, such as those of the event log.
enum FailureAdvice {
    /// Nil if there is nothing to do.
    static func text(_ kind: FeedSyncError.Kind, of feed: String) -> String? {
        switch kind {
        case .cancelled, .interrupted: nil
        case .unreachable: "reload later; what is stored stays as it is"
        case .rejected: "compare what is asked for with what the server takes: feedsync explain \(feed)"
        case .refused: "give the feed credentials that the server takes: feedsync explain \(feed)"
        case .undecodable, .unfollowable: "look at what the server sent: feedsync explain \(feed) --response"
        case .limited: "wait; the server is not asked before it allows that"
        case .locked: "wait until the other process is done"
        case .store: "look what is wrong with the store: feedsync doctor"
        case .configuration: "see where the mistake is: feedsync check"
        case .bug: "tell the people who make feedsync, with feedsync events \(feed)"
        }
    }

    /// The advice for all kinds, for the script.
    static func all(of feed: String) -> [(kind: String, text: String)] {
        FeedSyncError.Kind.allCases.compactMap { kind in text(kind, of: feed).map { (kind.rawValue, $0) } }
    }
}

extension FeedSyncError {
    /// The same error, with advice.
    func advised(_ feed: String) -> FeedSyncError {
        guard advice == nil else { return self }
        return FeedSyncError(
            kind, message, advice: FailureAdvice.text(kind, of: feed), httpStatus: httpStatus, url: url)
    }
}
