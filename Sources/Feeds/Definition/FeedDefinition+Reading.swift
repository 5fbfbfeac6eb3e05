internal import YAML

extension FeedDefinition {
    /// Reads a feed from YAML text that holds its members alone, as they stand below the feed's name in a file.
    ///
    /// - Parameters:
    ///   - name: The feed's name.
    ///   - yaml: The members.
    ///   - file: What to call the text in errors.
    ///   - allowsCommands: Whether `${command: …}` may be in it, to be run when the feed is used.
    /// - Throws: `ConfigurationError` with every mistake.
    public static func parse(
        name: String, yaml: String, file: String = "feed", allowsCommands: Bool = false
    ) throws(ConfigurationError) -> FeedDefinition {
        let node: Node?
        do throws(YAMLError) {
            node = try Node.parse(yaml, source: file)
        } catch {
            throw ConfigurationError(error)
        }
        let log = Diagnostics()
        let start = Mark(source: file, line: 1, column: 1)
        let position = SourcePosition(start)
        let entry = FeedReader.Entry(name: name, position: position, node: node ?? Node(.mapping([]), mark: start))
        let feed = FeedReader(entry, defaults: FeedDefaults(), log: log).feed()
        var names = FeedNames()
        names.add(feed, log: log)
        if !allowsCommands { feed.refusedCommands().forEach(log.add) }
        try log.throwIfAny()
        return feed
    }
}
