internal import FeedSync

/// Advice for failures that have none of their own, such as those of the event log.
enum FailureAdvice {
    /// Nil if there is nothing to do.
    static func text(_ error: FeedSyncError, of feed: FeedDefinition?) -> String? {
        switch error.kind {
        case .cancelled, .interrupted: nil
        case .unreachable: "reload later; what is stored stays as it is"
        case .rejected: "compare the request in the definition with what the server takes"
        case .refused: "give the feed credentials that the server takes"
        case .undecodable, .unfollowable: "compare the definition with what the server sends now"
        case .limited: "wait; the server is not asked before it allows that"
        case .locked: "wait until the other process is done"
        case .store: "see if the disk is full, and if the store's file can be written"
        case .configuration: unset(error, of: feed) ?? "mend the mistake in the definition"
        case .bug: "tell the people who make feedsync, with the event log"
        }
    }

    /// The advice for a variable of the definition that the error names; nil for another error.
    private static func unset(_ error: FeedSyncError, of feed: FeedDefinition?) -> String? {
        let names = feed?.templates.flatMap(\.references).compactMap { part in
            if case .environment(let name) = part { name } else { nil as String? }
        }
        return names?.first { error.message.contains("environment variable `\($0)`") }.map {
            "set \($0) where `feedsync serve` runs, and start it again"
        }
    }
}

extension FeedSyncError {
    /// The same error, with advice.
    func advised(_ feed: FeedDefinition) -> FeedSyncError {
        guard advice == nil else { return self }
        return FeedSyncError(
            kind, message, advice: FailureAdvice.text(self, of: feed), httpStatus: httpStatus, url: url)
    }
}
