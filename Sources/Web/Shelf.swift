internal import Concurrency
internal import FeedSync
internal import Platform
internal import Reports

/// The served content: the configuration, the store, and the engines that work on it.
///
/// Pages use connections of their own, so that no reader waits for a commit and no commit for a reader.
actor Shelf {
    private let settings: WebSettings
    private var mirror: FeedMirror?
    private var engines: [String: SyncEngine] = [:]
    private var isClosed = false
    /// The present content for readers.
    private(set) var served = Served()
    /// True if something else is served than at the last `takeChange`.
    private var hasChanged = false

    /// The number of searches at a time: each has a connection and a thread that ranks.
    private static let searchCount = min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1), 4)

    init(_ settings: WebSettings) {
        self.settings = settings
    }

    /// Reads the configuration, and opens the store if it exists or may be created.
    ///
    /// - Throws: `FeedSyncError` of kind `store` if the store cannot be opened, `configuration` if the file is wrong.
    func open() async throws(FeedSyncError) {
        do throws(ConfigurationProblem) {
            served.configuration = try settings.configuration()
            served.problem = nil
        } catch {
            // The previous configuration stays in use.
            served.problem = error.lines
            if mirror == nil, served.pages == nil {
                throw FeedSyncError(.configuration, error.lines.joined(separator: "; "))
            }
        }
        served.version += 1
        try await openStore()
    }

    private func openStore() async throws(FeedSyncError) {
        guard !isClosed, let path = settings.storePath(served.configuration) else { return }
        let isThere = access(path, F_OK) == 0
        if mirror == nil, !settings.isReadOnly, settings.runner == nil, isThere || served.configuration != nil {
            var options = Store.Options()
            if let configuration = served.configuration {
                options = Store.Options(isDurable: configuration.isDurable, keep: configuration.retention)
            }
            let store = try await Store(path: path, options: options)
            // Another call may have opened it meanwhile and begun a command.
            if mirror == nil, !isClosed { mirror = FeedMirror(store, options: settings.options) }
        }
        guard served.pages == nil || served.pages?.reading?.followsFile == false, isThere || mirror != nil else {
            return
        }
        var reading = Store.Options(access: .readOnly)
        reading.heedsWorkLimits = true
        let pages = try await Store(path: path, options: reading)
        var searches: [Store] = []
        let words = SharedVocabularies(
            reader: try await Store(path: path, options: Store.Options(access: .readOnly)))
        var indexes: Set<String> = []
        for _ in 0..<Self.searchCount {
            let search = try await Store(path: path, options: reading)
            indexes.formUnion(try await search.share(words))
            searches.append(search)
        }
        // Makes the first search as fast as later ones.
        words.read(indexes)
        guard served.pages == nil || served.pages?.reading?.followsFile == false else { return }
        // Distinguishes cached values of another connection.
        served.version += 1
        (served.pages, served.searches) = (pages, searches)
    }

    /// Reloads what may have changed: the configuration, and a store that readers cannot follow.
    func refresh(configuration: Bool) async {
        let known = served
        if configuration {
            try? await open()
        } else if served.pages == nil || served.pages?.reading?.followsFile == false {
            try? await openStore()
        }
        served.storeProblem = await served.pages?.fileProblem
        if served.differs(from: known) { hasChanged = true }
    }

    /// True once after something else was served than before, whatever the store's commits say.
    func takeChange() -> Bool {
        defer { hasChanged = false }
        return hasChanged
    }

    /// The engine of a feed, shared as long as the feed's definition stays the same.
    ///
    /// - Throws: `FeedSyncError`.
    func engine(of definition: FeedDefinition) async throws(FeedSyncError) -> SyncEngine {
        if let mirror, let engine = engines[definition.name] {
            let texts = [engine.definition, definition].map { $0.canonicalText(salt: mirror.store.salt) }
            // `canonicalText` does not cover which rows have lists.
            if texts[0] == texts[1], engine.definition.forEach == definition.forEach { return engine }
            engines[definition.name] = nil
        }
        guard let mirror, !isClosed else {
            throw FeedSyncError(.store, "nothing can be stored: the store is only read")
        }
        let engine = try await mirror.feed(definition)
        engines[definition.name] = engine
        return engine
    }

    /// Sends a command to a feed's engine, waits for its end, and delivers the changes.
    ///
    /// - Parameter isDueOnly: True if a sync leaves out the lists that are not due.
    /// - Throws: `FeedSyncError`.
    nonisolated func run(
        _ command: RequestCommand, on definition: FeedDefinition, isDueOnly: Bool = false
    ) async throws(FeedSyncError) -> RunSummary {
        if let runner = settings.runner {
            return try await runner.run(command, on: definition, of: served.configuration)
        }
        let engine = try await engine(of: definition)
        do throws(FeedSyncError) {
            let summary = try await isDueOnly ? engine.syncDue() : engine.perform(command)
            await deliverChanges(of: definition, after: nil)
            return summary
        } catch {
            await deliverChanges(of: definition, after: error)
            throw error
        }
    }

    /// Delivers the changes to the feed's hook, if it has one.
    private nonisolated func deliverChanges(of definition: FeedDefinition, after error: FeedSyncError?) async {
        guard let store = await writer,
            let delivery = ChangeDelivery(of: definition, in: store, options: settings.options),
            let failure = await delivery.deliver(after: error)
        else { return }
        settings.reportHook(failure, definition.name)
    }

    /// The store that engines write; nil if nothing is written.
    var writer: Store? { mirror?.store }

    /// Stops all commands after their last committed pages.
    func close() async {
        isClosed = true
        await mirror?.close()
        engines = [:]
        mirror = nil
    }
}

/// A counter for all threads.
private final class Turn: Sendable {
    private let count = Lock(0)

    func next() -> Int {
        count.withLock { count in
            count = (count + 1) & 0xFFFF
            return count
        }
    }
}

/// The content for readers: unchanged while a page is made from it.
struct Served: Sendable {
    /// The configuration; nil while there is none.
    fileprivate(set) var configuration: Configuration?
    /// The reason why the present configuration cannot be used, in lines.
    fileprivate(set) var problem: [String]?
    /// The reason why the rows are not those of the store any more; nil if they are.
    fileprivate(set) var storeProblem: String?
    /// The connection for pages; nil while nothing is stored.
    fileprivate(set) var pages: Store?
    /// The connections for searches, which take longer.
    fileprivate var searches: [Store] = []
    private let turn = Turn()

    /// The connection for the next search; nil while nothing is stored.
    var search: Store? { searches.isEmpty ? nil : searches[turn.next() % searches.count] }
    /// A number that changes whenever the configuration is read.
    fileprivate(set) var version = 0
    let orders = FeedOrders()
    let shapes = RowShapes()

    /// True if pages show another configuration or another problem, or read by another connection, which counts the
    /// store's commits anew.
    fileprivate func differs(from other: Served) -> Bool {
        configuration?.changedAt != other.configuration?.changedAt
            || configuration?.feeds.map(\.name) != other.configuration?.feeds.map(\.name)
            || problem != other.problem || storeProblem != other.storeProblem || pages !== other.pages
    }

    /// The number of the newest event, 0 for none. A page reads it before all else: later events are published to it.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    func newestEvent() async throws(FeedSyncError) -> Int { try await pages?.events(last: 1).last?.id ?? 0 }

    /// The feeds that are configured or stored.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    func feeds() async throws(FeedSyncError) -> [KnownFeed] {
        KnownFeed.all(configuration?.feeds ?? [], try await pages?.feeds() ?? [])
    }

    /// The feed with the given name; nil if there is none.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    func feed(named name: String) async throws(FeedSyncError) -> KnownFeed? {
        let definition = configuration?.feed(named: name)
        let record = try await pages?.feed(named: name)
        guard definition != nil || record != nil else { return nil }
        return KnownFeed(definition: definition, record: record)
    }
}
