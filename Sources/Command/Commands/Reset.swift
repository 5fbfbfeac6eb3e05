internal import FeedSync

extension Command {
    /// `reset FEED`
    static let reset = Command(
        name: "reset", operands: "FEED", count: 1...1, store: .writes(isUrgent: true, needsItems: false),
        summary: "Forget where a feed stands; the next sync reads everything again",
        explanation: """
            Forgets what the store knows of the server: validators, the places that were reached, the watermark,
            errors and when the feed is due. Items, runs, events and changes stay. Use it if the mirror seems to
            differ from the server.
            """,
        example: "feedsync reset swift-repos"
    ) { session throws(Failure) in
        let configuration = try session.configuration()
        let feed = try session.feeds(of: configuration, partsToo: true)[0]
        let name = feed.forEach?.only ?? feed.name
        let store = try await session.store(configuration, changing: [feed.name])
        let isStored = try await session.reading { () async throws(FeedSyncError) in
            guard let store, let lock = try await store.lock(storedFeed: name, for: "reset") else { return false }
            try await store.reset(name, lock: lock, now: WallClock.system.text)
            return true
        }
        if session.invocation.has(.json) {
            session.print(result: ["feed": name, "is_stored": isStored])
        } else if isStored {
            session.console.print(
                "\(session.console.palette.name(name))  reset; the next sync reads everything again")
        } else {
            session.console.note("\(name): nothing stored yet")
        }
        return .done
    }
}
