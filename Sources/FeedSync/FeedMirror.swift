internal import Concurrency
internal import HTTP

/// A store with mirrors of feeds, and the engines that keep them.
///
///     let mirror = try await FeedMirror(path: "feeds.db")
///     let feed = try await mirror.feed(definition)
///     try await feed.perform(.sync)
///     for try await repositories in feed.items(as: Repository.self, limit: 10) { … }
///
/// - Isolation: any thread. Neither opening nor reading blocks one of Swift's pool.
public final class FeedMirror: Sendable {
    /// The options of a mirror and its engines.
    public struct Options: Sendable {
        /// True if the store is only read; it must exist then, and no engine can be made. Once its file was replaced, as
        /// by a new backup, reads and sequences throw an error of kind `store`: open the new file with another mirror.
        public var isReadOnly = false
        /// True if a commit survives power failure, not only the end of the process; it waits for the disk then.
        public var isDurable = false
        /// The time for which runs and events are kept.
        public var keep = Retention.standard.standard
        /// The environment variables that `${NAME}` refers to, and that commands get.
        public var environment: [String: String] = [:]
        /// The folder in which relative paths of `${file:PATH}` start and `${command: …}` runs.
        public var folder = "."
        /// The longest wait at an upstream's request; longer ones end the command as `limited`.
        public var longestWait = Duration.seconds(30)
        /// The longest time to wait for another process to release a feed.
        public var lockWait = Duration.zero

        /// Creates options for a store that is created if it does not exist, without environment variables.
        public init() {}
    }

    /// The file's path.
    public let path: String

    package let store: Store
    private let options: EngineOptions
    private let isReadOnly: Bool
    let watch: StoreWatch
    /// Ends when the mirror is closed.
    let closing = Broadcast<Void>(nil)
    private let engines = Lock(Engines())

    private struct Engines: Sendable {
        var byFeed: [String: WeakEngine] = [:]
        var isClosed = false
    }

    private struct WeakEngine: Sendable {
        weak let engine: SyncEngine?
    }

    /// Opens the store, creates it if it does not exist, and migrates an older one.
    ///
    /// - Throws: `FeedSyncError` of kind `store` if the file cannot be opened or written, is no store, or comes from a
    ///   newer feedsync; it is not changed then.
    public convenience init(path: String, options: Options = Options()) async throws(FeedSyncError) {
        var engineOptions = EngineOptions(environment: options.environment, folder: options.folder)
        engineOptions.maxWait = options.longestWait
        engineOptions.wait = options.lockWait
        let access: Store.Access = options.isReadOnly ? .readOnly : .create
        var storeOptions = Store.Options(
            isDurable: options.isDurable, access: access, keep: Retention(options.keep))
        // An observer would otherwise wait forever for changes of a file that nobody writes any more.
        storeOptions.heedsReplacement = true
        let store = try await Store(path: path, options: storeOptions)
        self.init(store, options: engineOptions, isReadOnly: options.isReadOnly)
    }

    package init(_ store: Store, options: EngineOptions, isReadOnly: Bool = false) {
        path = store.path
        self.store = store
        self.options = options
        self.isReadOnly = isReadOnly
        watch = StoreWatch(store, clock: options.clock)
        options.client.run(on: store.executor)
    }

    /// Sets an environment variable to which `${NAME}` refers, for the commands that begin from now on; nil removes it.
    ///
    /// A feed keeps its place when a token changes in this way: its definition stays the same.
    ///
    ///     let definition = try FeedDefinition(
    ///         "issues",
    ///         [
    ///             "preset": "github.issues", "with": ["owner": "swiftlang", "repo": "swift"],
    ///             "auth": ["bearer": "${TOKEN}"],
    ///         ])
    ///     let feed = try await mirror.feed(definition)
    ///     mirror.setVariable("TOKEN", to: newToken)
    public func setVariable(_ name: String, to value: String?) { options.set(value, forVariable: name) }

    /// The feed's engine: the same one for every call while it is referenced or working.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration` if the definition contradicts itself, or another one with the
    ///   same name is in use; `store` if the store cannot be read, is read-only, or is closed.
    public func feed(_ definition: FeedDefinition) async throws(FeedSyncError) -> SyncEngine {
        guard !isReadOnly else {
            throw FeedSyncError(
                .store, "\(path) is open for reading, and feed `\(definition.name)` needs to be written",
                advice: "open the mirror for writing")
        }
        if let engine = try registered(definition, nil) { return engine }
        // Another task may make one meanwhile: the first that is registered is used by all.
        let made = try await SyncEngine(feed: definition, store: store, options: options, watch: watch)
        return try registered(definition, made) ?? made
    }

    /// The registered engine, or else `made`, which it registers.
    private func registered(_ definition: FeedDefinition, _ made: SyncEngine?) throws(FeedSyncError) -> SyncEngine? {
        let engine = try engines.withLock { engines throws(FeedSyncError) -> SyncEngine? in
            guard !engines.isClosed else { throw FeedSyncError(.store, "\(path): the mirror is closed") }
            if let engine = engines.byFeed[definition.name]?.engine { return engine }
            engines.byFeed[definition.name] = made.map(WeakEngine.init(engine:))
            return made
        }
        guard let engine, engine !== made else { return engine }
        let texts = [engine.definition, definition].map { $0.canonicalText(salt: store.salt) }
        guard texts[0] == texts[1] else {
            throw FeedSyncError(
                .configuration, "feed `\(definition.name)` is in use with another definition",
                advice: "let go of its engine first, or give the feed another name")
        }
        return engine
    }

    /// Stops all commands after their last committed pages, and ends all observations. Commands fail from then on.
    public func close() async {
        let open = engines.withLock { engines -> [SyncEngine] in
            engines.isClosed = true
            defer { engines.byFeed = [:] }
            return engines.byFeed.values.compactMap(\.engine)
        }
        for engine in open { await engine.close() }
        watch.finish()
        closing.finish()
    }
}

extension FeedMirror {
    /// The feeds that have been worked on, in the order of their names.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    public func feeds() async throws(FeedSyncError) -> [FeedRecord] { try await store.feeds() }

    /// The runs of a feed, the newest first; of all feeds if `feed` is nil.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    public func runs(of feed: String? = nil, limit: Int? = nil) async throws(FeedSyncError) -> [RunRecord] {
        try await store.runs(of: feed, limit: limit)
    }

    /// The events after another one, in their order.
    ///
    /// - Parameters:
    ///   - feed: The feed's name; nil for all feeds.
    ///   - id: The number of the last known event; 0 to begin with the first one kept.
    ///   - limit: The maximum number of events; nil for all.
    /// - Throws: `FeedSyncError` of kind `store`.
    public func events(
        of feed: String? = nil, after id: Int = 0, limit: Int? = nil
    ) async throws(FeedSyncError) -> [StatusEvent] {
        try await store.events(of: feed, after: id, limit: limit)
    }

    /// A feed's items as they are stored now, decoded into the caller's type.
    ///
    ///     let popular = try await mirror.storedItems(
    ///         of: "repositories", as: Repository.self, where: [ColumnFilter("stars", .above, "100")],
    ///         sortedBy: [ItemOrder(column: "stars", isDescending: true)], limit: 20)
    ///
    /// - Parameters:
    ///   - feed: The feed's name.
    ///   - type: The type of the rows; `FeedSection.items` describes the properties for columns.
    ///   - section: The section's name, `.some(nil)` for items without one; nil for all sections.
    ///   - filters: The conditions that each item fulfils.
    ///   - order: The columns that sort the items; feed order decides last.
    ///   - offset: The number of items to pass over, from 0.
    ///   - limit: The maximum number of items; nil for all.
    /// - Throws: `FeedSyncError` of kind `configuration` for a column that the feed does not have, `store`, or
    ///   `undecodable`, which names the feed, the column and the row's key.
    public func storedItems<Item: Decodable & Sendable>(
        of feed: String, as type: Item.Type = Item.self, section: String?? = nil, where filters: [ColumnFilter] = [],
        sortedBy order: [ItemOrder] = [], offset: Int = 0, limit: Int? = nil
    ) async throws(FeedSyncError) -> [Item] {
        try await store.items(
            of: feed, as: type, section: section, where: filters, sortedBy: order, offset: offset, limit: limit)
    }

    /// The changes of a feed's items after a place, in their order: new, changed, removed and returned ones.
    ///
    /// - Parameters:
    ///   - feed: The feed's name.
    ///   - place: The place after the last known change; the beginning to read all that are kept.
    ///   - least: The number of changes to read, if there are as many. Those that came with the last one come, too.
    /// - Throws: `FeedSyncError` of kind `store`.
    public func changes(
        of feed: String, after place: ChangePlace = ChangePlace(), least: Int = 1_000
    ) async throws(FeedSyncError) -> ChangeBatch {
        var query = ChangeQuery(feed: feed)
        query.after = place
        return try await store.changeBatch(query, least: max(least, 1))
    }

    /// A feed's sections: as stored now, then again after each page that any engine or process commits.
    ///
    /// A reader that is slower than the pages gets the newest sections. The sequence keeps the store open. It ends when
    /// the mirror is closed or the reader stops, and with an error if the store cannot be read.
    public func sections(of feed: String) -> some AsyncSequence<[FeedSection], FeedSyncError> & Sendable {
        watch.sections(of: feed)
    }

    /// A feed's items decoded into the caller's type, in feed order: as stored now, then again after each change by any
    /// engine or process.
    ///
    /// It ends as `sections(of:)` does, and with an error of kind `undecodable` if a row does not fit.
    /// `FeedSection.items` describes the properties for columns.
    ///
    /// - Parameters:
    ///   - feed: The feed's name.
    ///   - type: The type of the rows.
    ///   - section: The section's name, `.some(nil)` for items without one; nil for all sections.
    ///   - limit: The maximum number of items; nil for all.
    public func items<Item: Decodable & Sendable>(
        of feed: String, as type: Item.Type = Item.self, section: String?? = nil, limit: Int? = nil
    ) -> some AsyncSequence<[Item], FeedSyncError> & Sendable {
        watch.items(of: feed, as: type, section: section, limit: limit)
    }
}

extension StoreWatch {
    private struct Sections: Sendable, Equatable {
        let sections: [FeedSection]
        /// The items of a section may change while the section itself does not.
        let event: Int64
    }

    func sections(of feed: String) -> some AsyncSequence<[FeedSection], FeedSyncError> & Sendable {
        StoreObservation(
            watch: self, feed: feed,
            read: { store throws(FeedSyncError) in
                Sections(
                    sections: try await store.sections(of: feed), event: try await store.lastPageEvent(of: feed))
            }, element: { content throws(FeedSyncError) in content.sections })
    }

    func items<Item: Decodable & Sendable>(
        of feed: String, as type: Item.Type, section: String??, limit: Int?
    ) -> some AsyncSequence<[Item], FeedSyncError> & Sendable {
        StoreObservation(
            watch: self, feed: feed,
            read: { store throws(FeedSyncError) in try await store.rows(of: feed, section: section, limit: limit) },
            element: { page throws(FeedSyncError) in try await page.items(of: feed, as: type) })
    }
}
