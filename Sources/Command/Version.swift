internal import FeedSync

extension Command {
    /// `--version`; it has no command name.
    static let version = Command(
        "version", summary: "Print the version", explanation: "", example: "feedsync --version"
    ) { session throws(Failure) in
        session.console.print("feedsync \(FeedSyncVersion.text)")
        return .done
    }
}
