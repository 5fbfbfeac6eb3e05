package import FeedSync

/// The lines of a feed in the configuration, in the file that has them.
package struct FeedLines: Sendable {
    package let feed: String
    /// The configuration file, or one that it includes.
    package let file: ConfigurationFile
    private let environment: [String: String]
    private let configuration: Configuration?

    /// Finds a feed's lines: in the configuration file where nothing else is known.
    ///
    /// - Parameter main: The configuration file.
    /// - Throws: `EditingError` of `words` for a feed that has no lines of its own, of `configuration` for a file that
    ///   is not YAML.
    package init(of feed: String, from main: ConfigurationFile, environment: [String: String]) throws(EditingError) {
        (self.feed, self.environment) = (feed, environment)
        // The file's own feeds can be found even if other parts of the configuration are wrong.
        configuration = try? Configuration.load(
            main.path, environment: environment, allowsCommands: main.mayRunCommands)
        guard let definition = configuration?.feed(named: feed) else {
            file = main
            return
        }
        let own = ConfigurationFile(path: definition.position.file, mayRunCommands: main.mayRunCommands)
        guard try own.editor(of: own.presentText()).names.contains(feed) else {
            throw .words("feed \(feed) is one of an `each` (\(definition.position))", advice: "edit the list there")
        }
        file = own
    }

    /// The feed's definition; nil if the configuration has a mistake.
    var definition: FeedDefinition? { configuration?.feed(named: feed) }

    /// All feeds of the configuration; none if it has a mistake.
    var feeds: [FeedDefinition] { configuration?.feeds ?? [] }

    /// - Parameter file: A file whose feeds do not count.
    /// - Throws: `EditingError` of `words` if another feed has a list for each of the feed's rows.
    func checkNoLists(besides file: String? = nil, advice: String) throws(EditingError) {
        let others = feeds.filter { $0.position.file != file }
        let other =
            others.first { $0.forEach?.feed == feed } ?? others.first { $0.forEach?.ancestors.contains(feed) ?? false }
        guard let other else { return }
        throw .words("feed \(other.name) has a list for each row of \(feed) (\(other.position))", advice: advice)
    }

    /// The file's present text.
    func text() throws(EditingError) -> [UInt8] { try file.presentText() }

    /// Changes the text of the file.
    func edit(_ change: ([UInt8]) throws(EditingError) -> [UInt8]) throws(EditingError) {
        try file.edit(failing: { EditingError($0) }, change)
    }

    /// An editor of a text that has the feed.
    ///
    /// - Throws: `EditingError` of `words` if it does not, with the nearest name.
    func editor(of text: [UInt8]) throws(EditingError) -> ConfigurationEditor {
        let editor = try file.editor(of: text)
        guard editor.names.contains(feed) else {
            let nearest = NearestWord.question(for: feed, among: editor.names)
            throw .words("no such feed: \(feed)\(nearest)", advice: "feedsync feeds  # lists those of \(file.path)")
        }
        return editor
    }

    /// The configuration that a text of the file makes.
    func parsed(_ text: [UInt8]) throws(ConfigurationError) -> Configuration {
        try file.configuration(of: text, environment: environment)
    }
}
