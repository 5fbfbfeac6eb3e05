internal import FeedSync

/// Advice for failures that have none of their own, such as those of the event log.
enum FailureAdvice {
    /// Nil if there is nothing to do.
    static func text(_ kind: FeedSyncError.Kind, of feed: String) -> String? {
        switch kind {
        case .cancelled, .interrupted: nil
        case .unreachable: "reload later; what is stored stays as it is"
        case .rejected: "compare the request in the definition with what the server takes"
        case .refused: "give the feed credentials that the server takes"
        case .undecodable, .unfollowable: "compare the definition with what the server sends now"
        case .limited: "wait; the server is not asked before it allows that"
        case .locked: "wait until the other process is done"
        case .store: "see if the disk is full, and if the store's file can be written"
        case .configuration: "mend the mistake in the definition"
        case .bug: "tell the people who make feedsync, with the event log"
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
