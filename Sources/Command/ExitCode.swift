internal import FeedSync

/// The exit code of the process, from sysexits.h.
struct ExitCode: Sendable, Hashable {
    let rawValue: Int32

    /// Done, also when nothing was new.
    static let done = ExitCode(rawValue: 0)
    /// `status --fail`, `doctor`: not all is well.
    static let notWell = ExitCode(rawValue: 1)
    /// The command line is wrong.
    static let usage = ExitCode(rawValue: 64)
    /// A page cannot be decoded or followed.
    static let data = ExitCode(rawValue: 65)
    /// The upstream cannot be reached, fails, or rejects the request.
    static let unavailable = ExitCode(rawValue: 69)
    /// A bug in feedsync.
    static let software = ExitCode(rawValue: 70)
    /// The store cannot be opened or written.
    static let store = ExitCode(rawValue: 73)
    /// The results cannot be written.
    static let output = ExitCode(rawValue: 74)
    /// Try later: another process is using the feed, or the upstream asked us to wait.
    static let tryLater = ExitCode(rawValue: 75)
    /// The upstream refuses access.
    static let refused = ExitCode(rawValue: 77)
    /// The configuration is wrong.
    static let configuration = ExitCode(rawValue: 78)

    /// A signal ended it.
    static func signal(_ number: Int32) -> ExitCode { ExitCode(rawValue: 128 + number) }
}

extension ExitCode {
    /// The exit code for an error on a feed.
    init(_ kind: FeedSyncError.Kind) {
        self =
            switch kind {
            case .undecodable, .unfollowable: .data
            case .unreachable, .rejected: .unavailable
            case .refused: .refused
            case .limited, .locked: .tryLater
            case .store: .store
            case .configuration: .configuration
            case .bug: .software
            // Only a signal cancels a command here, and the signal's own code overrides this one.
            case .cancelled, .interrupted: .signal(2)
            }
    }
}

extension [ExitCode] {
    /// The code for several feeds: that of the first failure in order, "try later" only if nothing is worse.
    var combined: ExitCode {
        let failures = filter { $0 != .done }
        return failures.first { $0 != .tryLater } ?? failures.first ?? .done
    }
}
