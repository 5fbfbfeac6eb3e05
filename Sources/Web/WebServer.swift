internal import Concurrency
package import FeedSync
internal import Glibc
package import HTTPServer

/// The server of `feedsync serve`: a store as pages and as an API, live.
///
/// - Isolation: any thread.
package final class WebServer: Sendable {
    /// Where it listens.
    package let address: ListenAddress

    private let site: Site
    private let server: SharedServer
    private let following: Task<Void, Never>

    /// Opens the store, and begins to serve it.
    ///
    /// - Throws: `FeedSyncError` if the store or the configuration cannot be used, `ServerError` if nothing can listen there.
    package init(_ settings: WebSettings) async throws {
        let shelf = Shelf(settings)
        try await shelf.open()
        let hub = EventHub()
        let newest = try await shelf.served.pages?.events(last: 1).last?.id ?? 0
        hub.begin(at: newest)
        // The port is known only when the server listens, and what it answers depends on it.
        let handler = Lock<Site?>(nil)
        let server = try SharedServer(settings.address) { request in
            guard let site = handler.withLock({ $0 }) else { return .whole(.status(503)) }
            return await site.answer(request)
        }
        let site = Site(
            settings: settings, shelf: shelf, hub: hub, door: Doorkeeper(server.address, token: settings.token),
            searches: Searches(options: settings.options))
        handler.withLock { $0 = site }
        (self.site, self.server, address) = (site, server, server.address)
        following = Task { await Self.follow(settings, shelf, hub) }
    }

    /// The feeds of the configuration as it stands now, and the store that is written; nil where nothing is.
    package var work: (feeds: [FeedDefinition], store: Store)? {
        get async {
            guard let feeds = await site.shelf.served.configuration?.feeds, let store = await site.shelf.writer else {
                return nil
            }
            return (feeds, store)
        }
    }

    /// Brings a feed up to date, with the engine that the pages use.
    ///
    /// - Throws: `FeedSyncError`.
    package func sync(_ definition: FeedDefinition) async throws(FeedSyncError) {
        _ = try await site.run(.sync, on: definition)
    }

    /// Stops commands after their last committed pages, ends all streams, and closes.
    package func stop() async {
        following.cancel()
        await site.shelf.close()
        await site.searches.close()
        site.hub.finish()
        server.stop()
    }

    /// Tells listeners what is committed, by whichever process, when the store's files say that something is.
    private static func follow(_ settings: WebSettings, _ shelf: Shelf, _ hub: EventHub) async {
        while !Task.isCancelled {
            let path = settings.storePath(await shelf.served.configuration)
            let store = path.map(resolved).map { [$0, $0 + "-wal"] } ?? []
            guard let watch = FileWatch([store, settings.configurationFiles.map(resolved)]) else {
                // A folder that is not there as yet.
                try? await Task.sleep(for: .seconds(1))
                await shelf.refresh(configuration: true)
                await tell(shelf, hub)
                continue
            }
            await shelf.refresh(configuration: false)
            await tell(shelf, hub)
            for await groups in watch.values {
                if groups.contains(1) {
                    // An editor may write a file in several steps.
                    try? await Task.sleep(for: .milliseconds(100))
                    await shelf.refresh(configuration: true)
                    guard settings.storePath(await shelf.served.configuration) == path else { break }
                }
                if groups.contains(0) { await follow(shelf, hub) }
            }
        }
    }

    /// The store was written.
    private static func follow(_ shelf: Shelf, _ hub: EventHub) async {
        await shelf.refresh(configuration: false)
        await tell(shelf, hub)
        // What is written shows a moment later; what comes in that time is told together.
        try? await Task.sleep(for: .milliseconds(30))
        await tell(shelf, hub)
        // A commit that waits for the disk shows when that is done.
        Task {
            for pause in [100, 250] {
                try? await Task.sleep(for: .milliseconds(pause))
                await tell(shelf, hub)
            }
        }
    }

    private static func tell(_ shelf: Shelf, _ hub: EventHub) async {
        guard let store = await shelf.served.pages else { return }
        let most = 500
        while let events = try? await store.events(after: hub.last, limit: most), !events.isEmpty {
            hub.publish(events)
            guard events.count == most else { return }
        }
    }

    /// The file that symbolic links lead to: SQLite's log stands beside that.
    private static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
