package import FeedSync
package import HTTPServer

/// The settings of the server.
package struct WebSettings: Sendable {
    /// The address to listen on.
    package var address: ListenAddress
    /// The conditions for its users.
    package var access = Access()
    /// True if nothing may change: commands are refused, and the store is only read.
    package var isReadOnly = false
    /// Reads the configuration; nil if there is none.
    package var configuration: @Sendable () throws(ConfigurationProblem) -> Configuration?
    /// The path of the store, which may depend on the configuration; nil if it is unknown.
    package var storePath: @Sendable (Configuration?) -> String?
    /// The files of the configuration.
    package var configurationFiles: [String] = []
    /// The file for new feeds, which need not exist; nil if no feeds can be added.
    package var newFeedsFile: (@Sendable () throws(ConfigurationProblem) -> ConfigurationFile)?
    /// The folder for pictures; nil if none are shown.
    package var pictureFolder: String?
    /// Runs commands if the shown store is a copy of another; nil if the server's own engines run them.
    package var runner: (any CommandRunner)?
    /// Reports an error that kept the changes of a feed from its `on_change`; the second argument is the feed's name.
    package var reportHook: @Sendable (FeedSyncError, String) -> Void = { _, _ in }
    /// The time of a core that the queries of a page may take, and those of an answer to a program.
    package var work = (page: Duration.seconds(2), answer: Duration.seconds(5))
    /// The options of the engines.
    package var options: EngineOptions

    package init(
        address: ListenAddress, options: EngineOptions,
        configuration: @escaping @Sendable () throws(ConfigurationProblem) -> Configuration?,
        storePath: @escaping @Sendable (Configuration?) -> String?
    ) {
        (self.address, self.options) = (address, options)
        (self.configuration, self.storePath) = (configuration, storePath)
    }

    /// Reads the file for new feeds.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration` for a file that must not be used.
    func readNewFeedsFile() throws(FeedSyncError) -> ConfigurationFile {
        do throws(ConfigurationProblem) {
            if let file = try newFeedsFile?() { return file }
        } catch {
            throw FeedSyncError(.configuration, error.lines.joined(separator: "; "))
        }
        throw FeedSyncError(.configuration, "this server adds no feeds")
    }
}

/// The reason why the configuration cannot be used, in lines for people.
package struct ConfigurationProblem: Error, Sendable {
    package let lines: [String]

    package init(lines: [String]) { self.lines = lines }
}

/// The conditions for the users of a server.
package struct Access: Sendable {
    /// Reads the token that changes need, which may be another one by now; nil if everyone who can reach
    /// the server may change something.
    package var token: (@Sendable () -> String?)?
    /// True if reading needs the token, too.
    package var isPrivate = false
    /// The names by which proxies pass requests on, besides the server's own; a name may have a port.
    package var hosts: [String] = []
    /// The addresses of proxies, whose word for a client's address and scheme counts.
    package var proxies: [String] = []
    /// The origins of other sites whose scripts may use the API.
    package var origins: [String] = []
    /// The shortest time that a wrong token takes.
    package var wrongTokenPause = Duration.seconds(1)
    /// Keeps the sessions that ended by signing out over a restart: takes some with the times at which they began, and
    /// the time before which none counts any more; returns all that are kept.
    package var mergeSignOuts: @Sendable (_ ended: [String: Int], _ since: Int) -> [String: Int] = { ended, _ in ended }
    /// Reports wrong tokens.
    package var report: @Sendable (String) -> Void = { _ in }

    package init() {}
}

/// Runs commands on a store of which the server shows a copy.
package protocol CommandRunner: Sendable {
    /// Runs a command. When it returns, the copy has the rows that the command stored.
    ///
    /// - Throws: `FeedSyncError`.
    func run(
        _ command: RequestCommand, on definition: FeedDefinition, of configuration: Configuration?
    ) async throws(FeedSyncError) -> RunSummary

    /// Runs `change` on a store that has the named feeds, for writing, while nothing else changes them. When it
    /// returns, the copy has the change.
    ///
    /// - Parameters:
    ///   - names: The feeds. The configuration may lack some of them.
    ///   - configuration: Nil if it cannot be read.
    /// - Throws: `FeedSyncError`: `locked` if another process works on a feed, `store`.
    func change<Result: Sendable>(
        _ names: [String], of configuration: Configuration?, _ change: @Sendable (Store) async -> Result
    ) async throws(FeedSyncError) -> Result

    /// Stops all commands after their last committed pages.
    func close() async
}
