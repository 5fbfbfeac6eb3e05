/// Which feedsync this is.
enum Version {
    /// As in tags of the repository.
    static let number = "0.1.0"
}

extension Command {
    /// `--version`; no word calls it.
    static let version = Command(
        "version", summary: "Print the version", explanation: "", example: "feedsync --version"
    ) { session throws(Failure) in
        session.console.print("feedsync \(Version.number)")
        return .done
    }
}
