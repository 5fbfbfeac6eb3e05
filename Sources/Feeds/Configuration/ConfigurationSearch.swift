internal import Glibc

/// Finds the configuration file.
package struct ConfigurationSearch: Sendable {
    /// A configuration file and how it came to be the one.
    package struct Found: Sendable, Hashable {
        /// The path.
        package let path: String
        /// Whether it may run commands, which `Configuration.load` is to be told: not if it is there only because it lies
        /// in the current folder, nor if others may write it.
        package let mayRunCommands: Bool
    }

    private let environment: [String: String]
    private let user: UInt32
    private let status: @Sendable (String) -> FileStatus?

    /// A search with these environment variables, for this user, in a file system that answers with a file's status,
    /// or nil where there is no file.
    init(
        environment: [String: String], user: UInt32, status: @escaping @Sendable (String) -> FileStatus?
    ) {
        self.environment = environment
        self.user = user
        self.status = status
    }

    /// A search of the real file system as the process's user.
    package init(environment: [String: String]) {
        self.init(environment: environment, user: geteuid()) { FileStatus(of: $0) }
    }

    /// The path of the file that `found` tells.
    ///
    /// - Throws: `ConfigurationError`, as `found`.
    package func file(option: String?) throws(ConfigurationError) -> String? { try found(option: option)?.path }

    /// The first of: the file given on the command line, `$FEEDSYNC_CONFIG`, `./feedsync.yaml`,
    /// `$XDG_CONFIG_HOME/feedsync/feedsync.yaml` (`~/.config` where that is not set).
    ///
    /// The first two are taken at their word; reading tells whether they exist.
    ///
    /// - Returns: The file, or nil where there is no configuration.
    /// - Throws: `ConfigurationError` if `./feedsync.yaml` belongs to somebody else or others may write it: a folder one
    ///   happens to be in must not decide where credentials go.
    package func found(option: String?) throws(ConfigurationError) -> Found? {
        if let option { return named(option) }
        if let named = environment["FEEDSYNC_CONFIG"], !named.isEmpty {
            return self.named(named)
        }
        if let local = status("feedsync.yaml") {
            try check(local)
            return Found(path: "feedsync.yaml", mayRunCommands: false)
        }
        guard let personalFile, status(personalFile) != nil else { return nil }
        return named(personalFile)
    }

    private func named(_ path: String) -> Found {
        // Of a file that is not there, reading tells.
        Found(path: path, mayRunCommands: status(path)?.isWritable(onlyBy: user) ?? true)
    }

    /// Where a configuration for all folders is kept; nil without a home.
    package var personalFile: String? {
        // Source: https://specifications.freedesktop.org/basedir-spec/latest/ (relative paths are invalid there).
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
            return FilePath.join(folder, "feedsync/feedsync.yaml")
        }
        guard let home = environment["HOME"], !home.isEmpty else { return nil }
        return FilePath.join(home, ".config/feedsync/feedsync.yaml")
    }

    private func check(_ status: FileStatus) throws(ConfigurationError) {
        let problem: String
        if status.owner != user {
            problem = "belongs to another user; if you trust it, use --config feedsync.yaml"
        } else if status.mode & 0o022 != 0 {
            problem = "can be written by others; run chmod go-w feedsync.yaml, or use --config feedsync.yaml"
        } else {
            return
        }
        throw ConfigurationError(Diagnostic(position: SourcePosition(file: "feedsync.yaml"), problem: problem))
    }
}
