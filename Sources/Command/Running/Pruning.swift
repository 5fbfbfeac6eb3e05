internal import FeedSync
internal import Reports

/// The work of `prune`.
struct Pruning {
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
