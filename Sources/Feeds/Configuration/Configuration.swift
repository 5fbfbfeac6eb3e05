internal import YAML

/// A configuration file: the feeds and where they are kept.
public struct Configuration: Sendable {
    /// The file, as it was named.
    public let file: String
    /// The folder of the file, where relative paths start; empty for the current one.
    public let folder: String
    /// The path of the store.
    public let store: String
    /// The feeds in the order of the file.
    public let feeds: [FeedDefinition]
    /// How long events and runs are kept.
    public let keep: Duration
    /// Whether what is stored survives power failure, too.
    public let isDurable: Bool

    /// How long events and runs are kept if nothing is said: 90 days.
    package static let standardKeep = Duration.seconds(90 * 86_400)
    /// The most that a file may hold, in bytes.
    static let sizeLimit = 16 * 1024 * 1024

    /// Reads a configuration file.
    ///
    /// - Parameters:
    ///   - file: The file's path.
    ///   - environment: The environment variables; only `HOME` counts here, for paths that begin with `~/`.
    ///   - allowsCommands: Whether `${command: …}` may be in it, to be run when a feed is used; `ConfigurationSearch`
    ///     tells for the file that it found.
    /// - Throws: `ConfigurationError` with every diagnostic of the file, or with the reason why it cannot be read.
    public static func load(
        _ file: String, environment: [String: String] = [:], allowsCommands: Bool = false
    ) throws(ConfigurationError) -> Configuration {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try FileContents.read(file, limit: sizeLimit)
        } catch {
            throw ConfigurationError(Diagnostic(position: SourcePosition(file: file), problem: error.problem))
        }
        return try parse(bytes, file: file, environment: environment, allowsCommands: allowsCommands)
    }

    /// Reads the text of a configuration file; what `file` says need not exist.
    ///
    /// - Throws: `ConfigurationError` with every diagnostic; one of the YAML itself comes alone.
    package static func parse(
        _ bytes: [UInt8], file: String, environment: [String: String] = [:], allowsCommands: Bool = false
    ) throws(ConfigurationError) -> Configuration {
        let node: Node?
        do throws(YAMLError) {
            node = try Node.parse(bytes, source: file)
        } catch {
            throw ConfigurationError(error)
        }
        let log = Diagnostics()
        // A file without anything in it is a configuration without feeds.
        let empty = Node(.mapping([]), mark: Mark(source: file, line: 1, column: 1))
        let configuration = MappingDecoder(node ?? empty, of: "the configuration", log: log)
            .configuration(file: file, home: environment["HOME"])
        if !allowsCommands { configuration.feeds.flatMap { $0.refusedCommands() }.forEach(log.add) }
        try log.throwIfAny()
        return configuration
    }

    /// The names of a file's feeds, whatever else is wrong with it; none where it cannot be read.
    package static func feedNames(in file: String) -> [String] {
        guard let bytes = try? FileContents.read(file, limit: sizeLimit),
            let node = try? Node.parse(bytes, source: file)
        else { return [] }
        return (node["feeds"]?.pairs ?? []).compactMap(\.key.text).filter(FeedNames.isValid)
    }

    /// The feed of this name, or nil where there is none; case counts.
    public func feed(named name: String) -> FeedDefinition? {
        feeds.first { $0.name == name }
    }
}

extension MappingDecoder {
    fileprivate func configuration(file: String, home: String?) -> Configuration {
        let folder = FilePath.folder(of: file)
        let store = string("store").map { FilePath.resolve($0, in: folder, home: home) }
        if let store, store.isEmpty || store.utf8.contains(0) {
            report("`store` is not the path of a file", at: "store")
        }
        let keep = duration("keep", in: .zero...FeedDefinition.longestTime)
        let isDurable = boolean("durable")
        let shared = reader("defaults", of: "`defaults`")
        let defaults = shared?.feedDefaults() ?? FeedDefaults()
        shared?.finish()
        let feeds = feeds("feeds", defaults: defaults)
        finish()
        return Configuration(
            file: file, folder: folder, store: store ?? FilePath.join(folder, "feedsync.db"), feeds: feeds,
            keep: keep ?? Configuration.standardKeep, isDurable: isDurable ?? false)
    }

    private func feeds(_ name: String, defaults: FeedDefaults) -> [FeedDefinition] {
        // `feeds:` with nothing below is how a new file begins.
        guard let node = node(name), !node.isNull else { return [] }
        var names = FeedNames()
        return MappingDecoder(node, of: "`feeds`", log: log).entries().map { entry in
            let position = SourcePosition(entry.key.mark)
            let feed = FeedReader(
                FeedReader.Entry(name: entry.name, position: position, node: entry.value), defaults: defaults, log: log
            ).feed()
            names.add(feed, modelPosition: entry.value["model"].map { SourcePosition($0.mark) }, log: log)
            return feed
        }
    }
}
