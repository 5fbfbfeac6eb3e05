internal import Platform
internal import YAML

/// A configuration file: the feeds and where they are kept.
///
/// A mirror does not read it: an app copies `keep`, `isDurable` and `folder` into the mirror's options. An empty
/// `folder` is `.` there. Its environment goes into the options as well as into `load`.
public struct Configuration: Sendable {
    /// The file, as it was named.
    public let file: String
    /// The folder of the file, where relative paths start; empty for the current one.
    public let folder: String
    /// The path of the store; nil where the file names a store in PostgreSQL, which a mirror cannot open.
    public let store: String?
    /// The URI of the store in PostgreSQL as it is written; nil where it is a file.
    package let writtenStore: Template?
    /// The same with its values put in, once that was done.
    package var sharedStore: String?
    /// The feeds in the order of the file.
    public let feeds: [FeedDefinition]
    /// The time for which events and runs are kept.
    public let keep: Duration
    /// True if stored data survives a power failure, too.
    public let isDurable: Bool
    /// The paths, or patterns of them, of the files that it includes.
    package let includes: [String]
    /// The time of the latest change to its files before they were read, in milliseconds since 1970; 0 if it is unknown.
    /// The files are its own, those that it includes, and the presets beside it.
    package let changedAt: Int64

    /// The most that a file may hold, in bytes.
    static let sizeLimit = 16 * 1024 * 1024

    /// Reads a configuration file.
    ///
    /// - Parameters:
    ///   - file: The file's path.
    ///   - environment: The environment variables; only `HOME` counts here, for paths that begin with `~/`.
    ///   - allowsCommands: True if the file may contain `${command: …}`, which runs when a feed is used;
    ///     `ConfigurationSearch` decides it for the file that it found.
    ///   - runsFeeds: False for a caller that makes no requests, who may read a file with commands anyway.
    /// - Throws: `ConfigurationError` with every diagnostic of the file, or with the reason why it cannot be read; a
    ///   file with commands must not be writable by other users.
    public static func load(
        _ file: String, environment: [String: String] = [:], allowsCommands: Bool = false, runsFeeds: Bool = true
    ) throws(ConfigurationError) -> Configuration {
        // Before the text is read: a text that is older than its time would count as the newer one of two.
        let changedAt = changedAt(file)
        let bytes = try bytes(of: file, isOwn: allowsCommands)
        return try parse(
            bytes, file: file, changedAt: changedAt, environment: environment,
            allowsCommands: allowsCommands || !runsFeeds)
    }

    /// The bytes of a configuration file, or of one that belongs to it.
    ///
    /// - Parameter isOwn: True if only the user and root may have write access.
    /// - Throws: `ConfigurationError` with the reason why it cannot be read.
    static func bytes(of file: String, isOwn: Bool) throws(ConfigurationError) -> [UInt8] {
        do throws(FileError) {
            return try FileContents.read(file, limit: sizeLimit, isOwn: isOwn)
        } catch {
            throw ConfigurationError(Diagnostic(position: SourcePosition(file: file), problem: error.problem))
        }
    }

    /// Reads the text of a configuration file; `file` need not exist.
    ///
    /// - Parameter changedAt: The time at which the file had changed last, in milliseconds since 1970; 0 if it is unknown.
    /// - Throws: `ConfigurationError` with every diagnostic; an error of the YAML itself comes alone.
    package static func parse(
        _ bytes: [UInt8], file: String, changedAt: Int64 = 0, environment: [String: String] = [:],
        allowsCommands: Bool = false
    ) throws(ConfigurationError) -> Configuration {
        let node = try Node.ofConfiguration(bytes, source: file)
        let log = Diagnostics()
        // A file without anything in it is a configuration without feeds.
        let empty = Node(.mapping([]), mark: Mark(source: file, line: 1, column: 1))
        let configuration = MappingDecoder(node ?? empty, of: "the configuration", log: log)
            .configuration(file: file, changedAt: changedAt, home: environment["HOME"])
        if !allowsCommands { configuration.feeds.flatMap { $0.refusedCommands() }.forEach(log.add) }
        try log.throwIfAny()
        return configuration
    }

    /// The names of a file's feeds, in spite of other faults; none if it cannot be read.
    package static func feedNames(in file: String) -> [String] {
        guard let bytes = try? FileContents.read(file, limit: sizeLimit),
            let node = try? Node.parse(bytes, source: file)
        else { return [] }
        return WrittenFeeds(of: node, file: file, home: nil, log: Diagnostics()).entries.map(\.name)
            .filter(FeedNames.isValid)
    }

    /// The feed of this name, or nil where there is none; case counts.
    public func feed(named name: String) -> FeedDefinition? {
        feeds.first { $0.name == name }
    }
}

extension MappingDecoder {
    fileprivate func configuration(file: String, changedAt: Int64, home: String?) -> Configuration {
        let folder = FilePath.folder(of: file)
        let place = string("store")
        let isShared =
            place.map { place in ["postgres://", "postgresql://", "${"].contains(where: place.hasPrefix) } ?? false
        let store = isShared ? nil : place.map { FilePath.resolve($0, in: folder, home: home) }
        if let fault = place.flatMap(StoreScheme.fault) {
            report(fault, at: "store")
        } else if let store, store.isEmpty || store.utf8.contains(0) {
            report("`store` is not the path of a file", at: "store")
        }
        let keep = duration("keep", in: .zero...FeedDefinition.longestTime)
        let isDurable = boolean("durable")
        let includes = WrittenFeeds.includes(node("include"), from: file, home: home)
        let changedAt = max(changedAt, Configuration.changedAt(included: includes, beside: file))
        let common = FeedReader.Common(
            defaults: node("defaults").flatMap { defaults($0) }, presets: UserPresets(beside: file))
        _ = node("include")
        let written = WrittenFeeds(
            feeds: node("feeds"), include: node("include"), file: file, home: home, log: log)
        let feeds = feeds(written, common)
        finish()
        return Configuration(
            file: file, folder: folder, store: isShared ? nil : store ?? FilePath.join(folder, "feedsync.db"),
            writtenStore: isShared ? template("store") : nil, feeds: feeds,
            keep: keep ?? Retention.standard.standard, isDurable: isDurable ?? false,
            includes: includes, changedAt: changedAt)
    }

    private func feeds(_ written: WrittenFeeds, _ common: FeedReader.Common) -> [FeedDefinition] {
        var names = FeedNames()
        var feeds = written.entries.map { entry in
            let feed = FeedReader(entry, common: common, log: log).feed()
            names.add(feed, modelPosition: entry.node["model"].map { SourcePosition($0.mark) }, log: log)
            return feed
        }
        FeedTree.connect(&feeds, log: log)
        return feeds
    }

    /// The members that all feeds have in common; one that no feed can have is wrong, and is none.
    private func defaults(_ node: Node) -> Node? {
        guard let pairs = node.pairs else {
            _ = MappingDecoder(node, of: "`defaults`", log: log)
            return nil
        }
        log.share(node.mark.source, node.mark.line...max(node.mark.line, node.lastLine))
        // The members that make a feed itself, which `defaults` cannot set.
        let own: Set<String> = ["url", "preset", "with", "for_each"]
        let known = FeedReader.memberNames.filter { !own.contains($0) }
        let valid = pairs.filter { pair in
            guard let name = pair.key.text, !known.contains(name) else { return true }
            report(
                "unknown member `\(name)` in `defaults`", at: SourcePosition(pair.key.mark), word: name,
                suggestion: NearestWord.suggestion(for: name, among: known))
            return false
        }
        return Node(.mapping(valid), mark: node.mark)
    }
}

extension Node {
    /// The last line on which a part of it begins.
    fileprivate var lastLine: Int {
        switch content {
        case .scalar: mark.line
        case .sequence(let elements): elements.map(\.lastLine).max() ?? mark.line
        case .mapping(let pairs): pairs.map(\.value.lastLine).max() ?? mark.line
        }
    }
}

extension Configuration {
    /// The time at which a file changed last, in milliseconds since 1970; 0 if it is unknown.
    static func changedAt(_ path: String) -> Int64 {
        var status = stat()
        guard stat(path, &status) == 0 else { return 0 }
        let changed = platform_changed_at(&status)
        let (milliseconds, isBeyond) = Int64(changed.tv_sec).multipliedReportingOverflow(by: 1_000)
        return isBeyond ? 0 : max(milliseconds + Int64(changed.tv_nsec / 1_000_000), 0)
    }

    /// The time of the latest change to an included file, or to a file of presets beside `file`, in milliseconds since
    /// 1970; 0 if there are none.
    static func changedAt(included patterns: [String], beside file: String) -> Int64 {
        let presets = FilePath.join(FilePath.join(FilePath.folder(of: file), "presets"), "*.yaml")
        return (patterns + [presets]).flatMap(WrittenFeeds.files).map(changedAt).max() ?? 0
    }
}
