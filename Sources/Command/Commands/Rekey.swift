internal import FeedSync
internal import Reports

extension Command {
    /// `rekey FEED`
    static let rekey = Command(
        name: "rekey", operands: "FEED", count: 1...1, store: .writes(isUrgent: true),
        summary: "Give the stored items of a feed the key that the configuration has now",
        explanation: """
            Rebuilds the feed's table after you have changed `key` in the configuration, in one transaction.
            Items and history stay. Fails, and changes nothing, if items have no value for the new key or
            several share one. The next sync reads everything again.
            """,
        example: "feedsync rekey swift-repos"
    ) { session throws(Failure) in
        let configuration = try session.configuration()
        let feed = try session.feeds(of: configuration)[0]
        let store = try await session.store(configuration, changing: [feed.name])
        var result: KeyChange.Result?
        do throws(FeedSyncError) {
            if let store, let lock = try await store.lock(storedFeed: feed.name, for: "rekey") {
                result = try await store.rekey(feed, lock: lock, now: WallClock.system.text)
            }
        } catch {
            throw Failure(error, feed: feed.name)
        }
        let name = feed.name
        if session.invocation.has(.json) {
            session.print(result: ["feed": name, "key": result?.key, "row_count": result?.rowCount])
        } else if let result, let count = result.rowCount {
            session.console.print(
                "\(session.console.palette.name(name))  \(NumberFormat.count(count, "item")) now identified by "
                    + "\(result.key.joined(separator: ", ")); the next sync reads everything again")
        } else {
            session.console.note(
                result == nil ? "\(name): nothing stored yet" : "\(name): the items have that key already")
        }
        return .done
    }
}
