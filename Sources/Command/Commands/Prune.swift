internal import FeedSync
internal import Reports

extension Command {
    /// `prune [FEED...]`
    static let prune = Command(
        "prune", operands: "[FEED...]", count: 0...anyNumber, options: [.dryRun],
        summary: "Delete items that are long gone, and give the space back",
        explanation: """
            Deletes the items that the server has not had for longer than `keep` (90 days by default), and runs,
            events and changes of that age. Then makes the store's file as small as it can be, which takes as
            long as copying it. A feed that another process is working on is left out. With --dry-run, prints how many
            items would be deleted.
            """,
        example: "feedsync prune"
    ) { session throws(Failure) in
        let configuration = try session.configuration()
        let feeds = session.invocation.operands.isEmpty ? configuration.feeds : try session.feeds(of: configuration)
        guard let opened = try await session.storeIfAny(configuration), let path = session.storePath(configuration)
        else {
            session.console.note("nothing stored yet")
            if session.invocation.has(.json) { session.console.print(json: JSONLines.array([])) }
            return .done
        }
        let now = WallClock.system.milliseconds
        let age = Int64(clamping: configuration.keep.components.seconds) * 1_000
        guard let limit = Timestamp(milliseconds: now - age)?.text, let time = Timestamp(milliseconds: now)?.text else {
            return .done
        }
        guard !session.invocation.has(.dryRun) else {
            try await session.printPrunable(of: feeds, goneBefore: limit, in: opened)
            return .done
        }
        let store = try await session.reading { () async throws(FeedSyncError) in
            try await Store(path: path, options: Store.Options(access: .existing, keep: configuration.keep))
        }
        var code = ExitCode.done
        var results: [JSONFields] = []
        for feed in feeds {
            let count = try await session.reading { () async throws(FeedSyncError) in
                try await store.prune(feed.name, goneBefore: limit, now: time)
            }
            guard let count else {
                let failure = Failure(
                    .tryLater, ["\(feed.name): another feedsync is using this feed"], advice: "run it again later")
                session.console.report(failure)
                code = .tryLater
                continue
            }
            results.append(["feed": feed.name, "deleted": count])
            if count > 0, !session.invocation.has(.json) {
                session.console.print(
                    "\(session.console.palette.name(feed.name))  \(NumberFormat.count(count, "item")) deleted")
            }
        }
        let bytes = try await session.reading { () async throws(FeedSyncError) in try await store.compact() }
        if session.invocation.has(.json) {
            session.console.print(json: JSONLines.array(results.map(\.result)))
        } else {
            session.console.print("\(NumberFormat.bytes(bytes)) given back")
        }
        return code
    }
}

extension Session {
    /// The number of items that each feed would lose.
    fileprivate func printPrunable(
        of feeds: [FeedDefinition], goneBefore limit: String, in store: Store
    ) async throws(Failure) {
        var results: [JSONFields] = []
        var total = 0
        for feed in feeds {
            let count = try await reading { () async throws(FeedSyncError) in
                try await store.prunableCount(of: feed.name, goneBefore: limit)
            }
            results.append(["feed": feed.name, "deleted": count])
            total += count
            guard count > 0, !invocation.has(.json) else { continue }
            console.print("\(console.palette.name(feed.name))  \(NumberFormat.count(count, "item")) would be deleted")
        }
        if invocation.has(.json) {
            console.print(json: JSONLines.array(results.map(\.result)))
        } else if total == 0 {
            console.note("nothing would be deleted")
        }
    }
}
