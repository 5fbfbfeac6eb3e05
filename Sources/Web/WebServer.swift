internal import Concurrency
package import FeedSync
internal import HTTP
package import HTTPServer
internal import Platform

/// The server of `feedsync serve`: a store as live pages and as an API.
///
/// - Isolation: any thread.
package final class WebServer: Sendable {
    /// The address it listens on.
    package let address: ListenAddress

    private let site: Site
    private let server: SharedServer
    private let following: Task<Void, Never>
    private let trimming: Task<Void, Never>

    /// Opens the store and starts the server.
    ///
    /// - Throws: `FeedSyncError` if the store or the configuration cannot be used, `ServerError` if it cannot listen
    ///   there.
    package init(_ settings: WebSettings) async throws {
        let shelf = Shelf(settings)
        try await shelf.open()
        let hub = EventHub()
        hub.begin(at: try await shelf.served.newestEvent())
        // Before the first page is made, which is to hear of every later commit.
        if let mark = try await shelf.served.pages?.mark() { hub.note(mark) }
        // The port is known only after the server listens, and its responses depend on it.
        let handler = Lock<Site?>(nil)
        let server = try SharedServer(settings.address) { request in
            guard let site = handler.withLock({ $0 }) else { return .whole(.status(503)) }
            return await site.answer(request)
        }
        let pictures = Pictures(in: settings.pictureFolder, client: Self.pictureClient(settings))
        let site = Site(settings, shelf, hub, pictures, address: server.address)
        handler.withLock { $0 = site }
        (self.site, self.server, address) = (site, server, server.address)
        following = Task { await Self.follow(settings, shelf, hub) }
        trimming = Task { await Self.trim(pictures) }
    }

    /// Deletes pictures that are too old, twice a day.
    private static func trim(_ pictures: Pictures) async {
        while !Task.isCancelled {
            await pictures.trim()
            try? await Task.sleep(for: .seconds(43_200))
        }
    }

    /// Pictures delay no feed, and each host gets one request at a time.
    private static func pictureClient(_ settings: WebSettings) -> Client {
        Client(
            userAgent: "feedsync/\(FeedSyncVersion.text)", maximumPerHost: 1,
            caFile: Client.caFile(in: settings.options.environment))
    }

    /// The feeds of the present configuration, and the store that is written; nil if none is.
    package var work: (feeds: [FeedDefinition], store: Store)? {
        get async {
            guard let feeds = await site.shelf.served.configuration?.feeds, let store = await site.shelf.writer else {
                return nil
            }
            return (feeds, store)
        }
    }

    /// The feeds of the present configuration.
    package var feeds: [FeedDefinition] {
        get async { await site.shelf.served.configuration?.feeds ?? [] }
    }

    /// A path that begins one browser's session; nil where none is needed, or none may change anything.
    package func signInPath() -> String? {
        guard !site.settings.isReadOnly || site.settings.access.isPrivate else { return nil }
        return site.door.makeCode().map { "open?code=\($0)" }
    }

    /// Brings a feed up to date as far as it is due, with the engine that the pages use.
    ///
    /// - Throws: `FeedSyncError`.
    package func syncDue(_ definition: FeedDefinition) async throws(FeedSyncError) {
        _ = try await site.shelf.run(.sync, on: definition, isDueOnly: true)
    }

    /// Stops commands after their last committed pages, ends all streams, and closes.
    package func stop() async {
        following.cancel()
        trimming.cancel()
        await site.shelf.close()
        await site.settings.runner?.close()
        await site.searches.close()
        site.hub.finish()
        server.stop()
    }

    /// Publishes commits of any process to listeners when the store's files change.
    private static func follow(_ settings: WebSettings, _ shelf: Shelf, _ hub: EventHub) async {
        var late: Task<Void, Never>?
        defer { late?.cancel() }
        while !Task.isCancelled {
            let watched = await watchedFiles(settings, shelf)
            let hasFolders = (watched.store + settings.configurationFiles).allSatisfy {
                access(WatchedPath($0).folder, F_OK) == 0
            }
            guard hasFolders, let watch = FileWatch([watched.store, watched.configuration]) else {
                // A folder does not exist yet, or no more.
                try? await Task.sleep(for: .seconds(1))
                await shelf.refresh(configuration: true)
                await tell(shelf, hub)
                continue
            }
            // Changes made before the files were watched.
            await shelf.refresh(configuration: true)
            late?.cancel()
            await follow(shelf, hub)
            late = followLate(shelf, hub)
            guard await watchedFiles(settings, shelf) == watched else { continue }
            for await groups in watch.values {
                if groups.contains(1) {
                    // An editor may write a file in several steps.
                    try? await Task.sleep(for: .milliseconds(100))
                    await shelf.refresh(configuration: true)
                    hub.noteOtherChange()
                }
                late?.cancel()
                await follow(shelf, hub)
                late = followLate(shelf, hub)
                let watchesAll = groups.contains(1) ? await watchedFiles(settings, shelf) == watched : true
                guard watchesAll, watch.isCurrent else { break }
            }
        }
    }

    private struct WatchedFiles: Equatable {
        let store: [String]
        let configuration: [String]
    }

    /// The files of the store, and those of the configuration with the folders of included files.
    private static func watchedFiles(_ settings: WebSettings, _ shelf: Shelf) async -> WatchedFiles {
        let (configuration, pages) = (await shelf.served.configuration, await shelf.served.pages)
        // The configuration may name another store by now. The open one is served to the end.
        let path = pages?.path ?? settings.storePath(configuration)
        let store = path.map(FileStamp.resolved).map { [$0, $0 + "-wal"] } ?? []
        let included = configuration?.includes.flatMap(expanded) ?? []
        return WatchedFiles(store: store, configuration: settings.configurationFiles.map(FileStamp.resolved) + included)
    }

    /// Publishes the events after the store was written.
    private static func follow(_ shelf: Shelf, _ hub: EventHub) async {
        await shelf.refresh(configuration: false)
        await tell(shelf, hub)
        // A write shows a moment later. Commits in that time are published together.
        try? await Task.sleep(for: .milliseconds(30))
        await tell(shelf, hub)
    }

    /// Publishes what a commit shows later than its write: it waits for the disk, and no file is written when the disk
    /// is done.
    private static func followLate(_ shelf: Shelf, _ hub: EventHub) -> Task<Void, Never> {
        Task {
            for pause in [0.1, 0.25, 1, 3, 10] {
                guard (try? await Task.sleep(for: .seconds(pause))) != nil else { return }
                // A new store may have been locked when its file was written.
                if await shelf.served.pages == nil { await shelf.refresh(configuration: false) }
                await tell(shelf, hub)
            }
        }
    }

    private static func tell(_ shelf: Shelf, _ hub: EventHub) async {
        // Noted first, so that a commit in the meantime is announced next time.
        if await shelf.takeChange() { hub.noteOtherChange() }
        var hasEvents = false
        if let store = await shelf.served.pages {
            if let mark = try? await store.mark() { hub.note(mark) }
            let most = 500
            while let events = try? await store.events(after: hub.last, limit: most), !events.isEmpty {
                hub.publish(events)
                hasEvents = true
                guard events.count == most else { break }
            }
        }
        hub.announceChanges(hasEvents: hasEvents)
    }

    /// The paths to watch for a path with patterns: the path in all folders that match now, and the folders still to be
    /// created in their parent folders.
    private static func expanded(_ path: String) -> [String] {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard path.hasPrefix("/"), !parts.isEmpty else { return [path, FileStamp.resolved(path)] }
        func folder(_ count: Int) -> String { count == 0 ? "/" : "/" + parts[..<count].joined(separator: "/") }
        let firstPattern = parts.firstIndex { $0.contains { "*?[".contains($0) } } ?? parts.count - 1
        // Begins one folder above the last folder that exists for certain, because that one may be replaced, too.
        var first = max(firstPattern - 1, 0)
        while first > 0, access(folder(first), F_OK) != 0 { first -= 1 }
        var paths: [String] = []
        for count in first..<parts.count {
            for known in folders(folder(count)) { paths.append("\(known == "/" ? "" : known)/\(parts[count])") }
        }
        return paths + [FileStamp.resolved(path)]
    }

    /// The folders that match a pattern now.
    private static func folders(_ pattern: String) -> [String] {
        var found = glob_t()
        defer { globfree(&found) }
        // With a slash at the end, only folders match.
        guard glob("\(pattern)/", 0, nil, &found) == 0 else { return [] }
        return (0..<Int(found.gl_pathc)).compactMap { place in
            found.gl_pathv[place].map { String(String(cString: $0).dropLast()) }
        }
    }
}
