internal import YAML

extension FeedDefinition {
    /// Reads a feed from YAML text that holds its members alone, as they stand below the feed's name in a file.
    ///
    /// - Parameters:
    ///   - name: The feed's name.
    ///   - yaml: The members.
    ///   - file: What to call the text in errors.
    ///   - allowsCommands: Whether `${command: …}` may be in it, to be run when the feed is used.
    /// - Throws: `ConfigurationError` with every diagnostic.
    public static func parse(
        name: String, yaml: String, file: String = "feed", allowsCommands: Bool = false
    ) throws(ConfigurationError) -> FeedDefinition {
        let node: Node?
        do throws(YAMLError) {
            node = try Node.parse(yaml, source: file)
        } catch {
            throw ConfigurationError(error)
        }
        let start = Mark(source: file, line: 1, column: 1)
        return try read(name, node ?? Node(.mapping([]), mark: start), at: start, allowsCommands: allowsCommands)
    }

    /// A feed defined in Swift, with the members of a configuration file, their names and their checks.
    ///
    ///     let feed = try FeedDefinition(
    ///         "releases",
    ///         ["preset": "github.releases", "url": "https://api.github.com/repos/\(owner)/\(name)/releases"])
    ///
    /// - Parameters:
    ///   - name: The feed's name.
    ///   - members: The members below the name in a file.
    ///   - allowsCommands: True if it may contain `${command: …}`, which runs when the feed is used.
    /// - Throws: `ConfigurationError` with every diagnostic.
    public init(_ name: String, _ members: Value, allowsCommands: Bool = false) throws(ConfigurationError) {
        // No file, and so no line.
        let start = Mark(source: "feed", line: 0, column: 0)
        if let twice = members.repeatedName {
            throw ConfigurationError(
                Diagnostic(position: SourcePosition(start), problem: "`\(twice)` stands twice in feed `\(name)`"))
        }
        self = try Self.read(name, members.node(at: start), at: start, allowsCommands: allowsCommands)
    }

    private static func read(
        _ name: String, _ node: Node, at start: Mark, allowsCommands: Bool
    ) throws(ConfigurationError) -> FeedDefinition {
        let log = Diagnostics()
        let entry = FeedReader.Entry(name: name, position: SourcePosition(start), node: node)
        let feed = FeedReader(entry, log: log).feed()
        var names = FeedNames()
        names.add(feed, log: log)
        FeedTree.check(feed, log: log)
        if !allowsCommands { feed.refusedCommands().forEach(log.add) }
        try log.throwIfAny()
        return feed
    }
}
