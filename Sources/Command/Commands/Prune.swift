internal import FeedSync
internal import Reports

extension Command {
    /// `prune [FEED...]`
    static let prune = Command(
        "prune", operands: "[FEED...]", count: 0...anyNumber, options: [.dryRun, .oldColumns, .yes],
        summary: "Delete items that are long gone, and give the space back",
        explanation: """
            Deletes the items that the server has not had for longer than `keep` (90 days by default), and runs,
            events and changes of that age. Then makes the store's file as small as it can be, which takes as
            long as copying it. A feed that another process is working on is left out. With --dry-run, prints how many
            items would be deleted.

            With --columns, deletes the columns that the feeds' definitions have no more, in place of items: from the
            table, from the index for searches and from the changes that are kept, so that none of their values is left
            in the file. Backups and copies of the store have them still.
            """,
        example: "feedsync prune"
    ) { session throws(Failure) in
        let configuration = try session.configuration()
        let operands = session.invocation.operands
        let isOfColumns = session.invocation.has(.oldColumns)
        guard !isOfColumns || !operands.isEmpty else {
            throw .usage("prune --columns needs the names of feeds", advice: "feedsync feeds  # lists them")
        }
        let feeds = operands.isEmpty ? configuration.feeds : try session.feeds(of: configuration)
        if let uri = session.sharedStore(configuration) {
            return isOfColumns
                ? try await session.pruneColumns(of: feeds, in: uri, configuration)
                : try await session.pruneItems(of: feeds, in: uri, configuration)
        }
        guard let opened = try await session.storeIfAny(configuration), let path = session.storePath(configuration)
        else {
            session.console.note("nothing stored yet")
            if session.invocation.has(.json) { session.console.print(json: JSONLines.array([])) }
            return .done
        }
        let isTrial = session.invocation.has(.dryRun)
        let pruning = Pruning(session: session, feeds: feeds, retention: configuration.retention)
        let going = try await isOfColumns ? pruning.columns(in: opened) : pruning.items(in: opened)
        guard try pruning.mayGo(going, isTrial: isTrial) else { return .done }
        let store = try await session.reading { () async throws(FeedSyncError) in
            try await Store(path: path, options: Store.Options(access: .existing, keep: configuration.retention))
        }
        return try await pruning.prune(store, columns: isOfColumns)
    }
}

extension Session {
    /// `prune` on a store in PostgreSQL, feed by feed: other feeds of a host stay with its worker. PostgreSQL gives the
    /// space back by itself.
    fileprivate func pruneItems(
        of feeds: [FeedDefinition], in uri: String, _ configuration: Configuration
    ) async throws(Failure) -> ExitCode {
        let isTrial = invocation.has(.dryRun)
        var losses: [Pruning.Loss] = []
        for feed in feeds {
            let store = try await shared.open(uri, for: self, configuration, feeds: [feed.name])
            let pruning = Pruning(session: self, feeds: [feed], retention: configuration.retention)
            if isTrial {
                losses += try await pruning.items(in: store)
            } else if let loss = try await pruning.deleteItems(of: feed, in: store) {
                losses.append(loss)
            }
            try await shared.end()
        }
        guard !invocation.has(.json) else {
            console.print(json: JSONLines.array(losses.map(\.result)))
            return .done
        }
        if losses.allSatisfy({ $0.text == nil }) { console.note("nothing \(isTrial ? "would be" : "was") deleted") }
        for loss in losses {
            guard let text = loss.text else { continue }
            console.print("\(console.palette.name(loss.feed))  \(text) \(isTrial ? "would be deleted" : "deleted")")
        }
        return .done
    }

    /// `prune --columns` on a store in PostgreSQL.
    fileprivate func pruneColumns(
        of feeds: [FeedDefinition], in uri: String, _ configuration: Configuration
    ) async throws(Failure) -> ExitCode {
        var losses: [Pruning.Loss] = []
        for feed in feeds {
            // Each is claimed by itself: its working file is of no use once its columns are gone.
            let store = try await shared.open(uri, for: self, configuration, feeds: [feed.name])
            let pruning = Pruning(session: self, feeds: [feed], retention: configuration.retention)
            let going = try await pruning.columns(in: store)
            if try pruning.mayGo(going, isTrial: invocation.has(.dryRun)) {
                for loss in going { try await dropColumns(loss) }
                losses += going
            }
            try await shared.end()
        }
        if invocation.has(.json), !losses.isEmpty { console.print(json: JSONLines.array(losses.map(\.result))) }
        return .done
    }

    private func dropColumns(_ loss: Pruning.Loss) async throws(Failure) {
        try await shared.dropColumns(loss.columns.map(\.name), of: loss.feed, for: self)
        guard let text = loss.text, !invocation.has(.json) else { return }
        console.print("\(console.palette.name(loss.feed))  \(text) deleted")
    }
}

/// The work of `prune`.
private struct Pruning {
    let session: Session
    let feeds: [FeedDefinition]
    let retention: Retention
    private let now = WallClock.system.seconds

    init(session: Session, feeds: [FeedDefinition], retention: Retention) {
        (self.session, self.feeds, self.retention) = (session, feeds, retention)
    }

    /// The data that a feed loses.
    struct Loss: JSONRecord {
        let feed: String
        var items = 0
        /// The columns; nil where items go.
        var old: [OldColumn]?

        var columns: [OldColumn] { old ?? [] }

        var fields: JSONFields {
            guard let old else { return ["feed": feed, "deleted": items] }
            let columns = old.map { column -> JSONFields in ["column": column.name, "values": column.count] }
            return ["feed": feed, "columns": columns]
        }

        /// The data in words; nil for none.
        var text: String? {
            guard old != nil else { return items == 0 ? nil : NumberFormat.count(items, "item") }
            let texts = columns.map { "\($0.name) (\(NumberFormat.count($0.count, "value")))" }
            return texts.isEmpty ? nil : "\(texts.count == 1 ? "column" : "columns") \(texts.joined(separator: ", "))"
        }
    }

    /// The items that each feed would lose.
    func items(in store: Store) async throws(Failure) -> [Loss] {
        var losses: [Loss] = []
        for feed in feeds {
            guard let limit = retention.limit(of: feed.name, at: now) else { continue }
            let count = try await session.reading { () async throws(FeedSyncError) in
                try await store.prunableCount(of: feed.name, goneBefore: limit)
            }
            losses.append(Loss(feed: feed.name, items: count))
        }
        return losses
    }

    /// The columns that each feed would lose.
    func columns(in store: Store) async throws(Failure) -> [Loss] {
        var losses: [Loss] = []
        for feed in feeds {
            let columns = try await session.reading { () async throws(FeedSyncError) in
                try await store.oldColumns(of: feed)
            }
            losses.append(Loss(feed: feed.name, old: columns))
        }
        return losses
    }

    /// Says what goes, and asks before columns do.
    ///
    /// - Returns: False for a trial, or if nothing is to go.
    func mayGo(_ losses: [Loss], isTrial: Bool) throws(Failure) -> Bool {
        tell(losses, isTrial: isTrial)
        guard !isTrial else {
            if session.invocation.has(.json) { session.console.print(json: JSONLines.array(losses.map(\.result))) }
            return false
        }
        guard session.invocation.has(.oldColumns) else { return true }
        if losses.contains(where: { !$0.columns.isEmpty }), try session.isSure(of: "delete these columns?") {
            return true
        }
        if session.invocation.has(.json) { session.console.print(json: JSONLines.array([])) }
        return false
    }

    /// Prints the data that goes: as the result of a trial, or as a note before it goes.
    func tell(_ losses: [Loss], isTrial: Bool) {
        let console = session.console
        guard losses.contains(where: { $0.text != nil }) else {
            if isTrial || session.invocation.has(.oldColumns) { console.note("nothing would be deleted") }
            return
        }
        for loss in losses {
            guard let text = loss.text else { continue }
            guard isTrial else {
                console.note("\(loss.feed): deleting \(text)")
                continue
            }
            guard !session.invocation.has(.json) else { continue }
            console.print("\(console.palette.name(loss.feed))  \(text) would be deleted")
        }
    }

    /// Deletes the data, prints what went, and makes the file small.
    func prune(_ store: Store, columns isOfColumns: Bool) async throws(Failure) -> ExitCode {
        var code = ExitCode.done
        var losses: [Loss] = []
        for feed in feeds {
            guard let loss = try await isOfColumns ? dropColumns(of: feed, in: store) : deleteItems(of: feed, in: store)
            else {
                session.console.report(
                    Failure(
                        .tryLater, ["\(feed.name): another feedsync is using this feed"], advice: "run it again later"))
                code = .tryLater
                continue
            }
            losses.append(loss)
            guard let text = loss.text, !session.invocation.has(.json) else { continue }
            session.console.print("\(session.console.palette.name(feed.name))  \(text) deleted")
        }
        let space = try await session.reading { () async throws(FeedSyncError) in try await store.compact() }
        if session.invocation.has(.json) {
            session.console.print(json: JSONLines.array(losses.map(\.result)))
        } else {
            session.console.print("\(NumberFormat.bytes(space.freed)) given back")
        }
        if isOfColumns, space.isRead {
            session.console.report(
                Failure(
                    .tryLater, ["another program reads the store, whose log may still have the values"],
                    advice: "feedsync prune  # once no other program reads it"))
            code = .tryLater
        }
        return code
    }

    func deleteItems(of feed: FeedDefinition, in store: Store) async throws(Failure) -> Loss? {
        guard let limit = retention.limit(of: feed.name, at: now), let time = Timestamp(sinceEpoch: now)?.text else {
            return Loss(feed: feed.name)
        }
        let count = try await session.reading { () async throws(FeedSyncError) in
            try await store.prune(feed.name, goneBefore: limit, now: time)
        }
        return count.map { Loss(feed: feed.name, items: $0) }
    }

    private func dropColumns(of feed: FeedDefinition, in store: Store) async throws(Failure) -> Loss? {
        let columns = try await session.reading { () async throws(FeedSyncError) in
            try await store.dropOldColumns(of: feed)
        }
        return columns.map { Loss(feed: feed.name, old: $0) }
    }
}
