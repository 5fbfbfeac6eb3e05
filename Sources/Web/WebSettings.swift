package import FeedSync
package import HTTPServer

/// What is served, and to whom.
package struct WebSettings: Sendable {
    /// Where it listens.
    package var address: ListenAddress
    /// What a client has to know; nil where only this machine reaches the server.
    package var token: String?
    /// Whether nothing is changed: no command is taken, and the store is only read.
    package var isReadOnly = false
    /// Reads the configuration anew; nil if there is none.
    package var configuration: @Sendable () throws(ConfigurationProblem) -> Configuration?
    /// The path of the store, which may follow from the configuration; nil where nothing says it.
    package var storePath: @Sendable (Configuration?) -> String?
    /// Files that the configuration is read from.
    package var configurationFiles: [String] = []
    /// The file that takes new feeds, which need not be there; nil where none is taken.
    package var newFeedsFile: (@Sendable () throws(ConfigurationProblem) -> ConfigurationFile)?
    /// Where pictures are kept; nil where none are shown.
    package var pictureFolder: String?
    /// What runs commands, where the store that is shown is a copy of another; nil where the server's own engines do.
    package var runner: (any CommandRunner)?
    /// What engines work with.
    package var options: EngineOptions

    package init(
        address: ListenAddress, options: EngineOptions,
        configuration: @escaping @Sendable () throws(ConfigurationProblem) -> Configuration?,
        storePath: @escaping @Sendable (Configuration?) -> String?
    ) {
        (self.address, self.options) = (address, options)
        (self.configuration, self.storePath) = (configuration, storePath)
    }
}

/// Why the configuration cannot be used, in lines for people.
package struct ConfigurationProblem: Error, Sendable {
    package let lines: [String]

    package init(lines: [String]) { self.lines = lines }
}
