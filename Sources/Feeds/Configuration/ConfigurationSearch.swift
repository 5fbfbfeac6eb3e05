internal import Platform

/// Finds the configuration file.
package struct ConfigurationSearch: Sendable {
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

    /// The path of the file from `found`.
    ///
    /// - Throws: `ConfigurationError`, as `found`.
    package func file(option: String?) throws(ConfigurationError) -> String? { try found(option: option)?.path }

    /// The first of: the file given on the command line, `$FEEDSYNC_CONFIG`, `./feedsync.yaml`,
    /// `$XDG_CONFIG_HOME/feedsync/feedsync.yaml` (`~/.config` if that is not set).
    ///
    /// The first two are not checked here; reading reports a missing file.
    ///
    /// - Returns: The file, or nil if there is no configuration.
    /// - Throws: `ConfigurationError` if `./feedsync.yaml` belongs to another user or others may write it: the current
    ///   folder must not decide where credentials go.
    package func found(option: String?) throws(ConfigurationError) -> ConfigurationFile? {
        if let option { return named(option) }
        if let named = environment["FEEDSYNC_CONFIG"], !named.isEmpty {
            return self.named(named)
        }
        if let local = status("feedsync.yaml") {
            try check(local)
            return ConfigurationFile(path: "feedsync.yaml")
        }
        guard let personalFile, status(personalFile) != nil else { return nil }
        return named(personalFile)
    }

    private func named(_ path: String) -> ConfigurationFile {
        // Reading reports a missing file.
        ConfigurationFile(path: path, mayRunCommands: status(path)?.isWritable(onlyBy: user) ?? true)
    }

    /// The path of the configuration for all folders; nil without a home.
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
