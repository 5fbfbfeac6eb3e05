internal import FeedSync
internal import Reports

/// The work of `prune`.
struct Pruning {
    let session: Session
    let feeds: [FeedDefinition]
    let configuration: Configuration
    private let now = WallClock.system.seconds

    private var console: Console { session.console }

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

    /// The data that each feed would lose.
    func losses(in store: Store, columns isOfColumns: Bool) async throws(Failure) -> [Loss] {
        var losses: [Loss] = []
        for feed in feeds {
            guard let loss = try await isOfColumns ? columns(of: feed, in: store) : items(of: feed, in: store) else {
                continue
            }
            losses.append(loss)
        }
        return losses
    }

    private func items(of feed: FeedDefinition, in store: Store) async throws(Failure) -> Loss? {
        guard let limit = configuration.retention.limit(of: feed.name, at: now) else { return nil }
        let count = try await session.read(try await store.prunableCount(of: feed.name, goneBefore: limit))
        return Loss(feed: feed.name, items: count)
    }

    private func columns(of feed: FeedDefinition, in store: Store) async throws(Failure) -> Loss {
        let columns = try await session.read(try await store.oldColumns(of: feed))
        return Loss(feed: feed.name, old: columns)
    }

    /// Says what goes, once the user agrees that columns do.
    ///
    /// - Returns: False for a trial, or if nothing is to go.
    func mayGo(_ losses: [Loss], isTrial: Bool) throws(Failure) -> Bool {
        let isOfColumns = session.invocation.has(.oldColumns)
        var isGoing = !isTrial && (!isOfColumns || losses.contains { $0.text != nil })
        if isGoing, isOfColumns, try !isSure(of: losses) {
            console.note("nothing was deleted")
            isGoing = false
        } else {
            tell(losses, isTrial: isTrial)
        }
        if !isGoing, session.invocation.has(.json) {
            console.print(json: JSONLines.array(isTrial ? losses.map(\.result) : []))
        }
        return isGoing
    }

    private func isSure(of losses: [Loss]) throws(Failure) -> Bool {
        let texts = losses.compactMap { loss in loss.text.map { "\(loss.feed) would lose \($0)" } }
        return try session.isSure(of: "delete these columns?", because: texts.joined(separator: ", "))
    }

    /// Prints the data that goes: as the result of a trial, or as a note before it goes.
    private func tell(_ losses: [Loss], isTrial: Bool) {
        guard losses.contains(where: { $0.text != nil }) else {
            if isTrial || session.invocation.has(.oldColumns) { console.note("nothing would be deleted") }
            return
        }
        for loss in losses {
            if isTrial {
                tell(loss, "would be deleted")
            } else if let text = loss.text {
                console.note("\(loss.feed): deleting \(text)")
            }
        }
    }

    /// Prints what a feed loses or has lost, if anything, unless the result is JSON.
    private func tell(_ loss: Loss, _ end: String) {
        guard let text = loss.text, !session.invocation.has(.json) else { return }
        console.print("\(console.palette.name(loss.feed))  \(text) \(end)")
    }

    /// Deletes the data, prints what went, and makes the file small.
    func prune(_ store: Store, columns isOfColumns: Bool) async throws(Failure) -> ExitCode {
        var code = ExitCode.done
        var losses: [Loss] = []
        for feed in feeds {
            guard let loss = try await isOfColumns ? dropColumns(of: feed, in: store) : deleteItems(of: feed, in: store)
            else {
                console.report(
                    Failure(
                        .tryLater, ["\(feed.name): another feedsync is using this feed"], advice: "run it again later"))
                code = .tryLater
                continue
            }
            losses.append(loss)
            tell(loss, "deleted")
        }
        let space = try await session.read(try await store.compact())
        if session.invocation.has(.json) {
            console.print(json: JSONLines.array(losses.map(\.result)))
        } else {
            console.print("\(NumberFormat.bytes(space.freed)) given back")
        }
        if isOfColumns, space.isRead {
            console.report(
                Failure(
                    .tryLater, ["another program reads the store, whose log may still have the values"],
                    advice: "feedsync prune  # once no other program reads it"))
            code = .tryLater
        }
        return code
    }

    private func deleteItems(of feed: FeedDefinition, in store: Store) async throws(Failure) -> Loss? {
        guard let limit = configuration.retention.limit(of: feed.name, at: now),
            let time = Timestamp(sinceEpoch: now)?.text
        else {
            return Loss(feed: feed.name)
        }
        let count = try await session.read(try await store.prune(feed.name, goneBefore: limit, now: time))
        return count.map { Loss(feed: feed.name, items: $0) }
    }

    private func dropColumns(of feed: FeedDefinition, in store: Store) async throws(Failure) -> Loss? {
        let columns = try await session.read(try await store.dropOldColumns(of: feed))
        return columns.map { Loss(feed: feed.name, old: $0) }
    }
}

/// `prune` on a store in PostgreSQL, feed by feed: other feeds of a host stay with its worker. PostgreSQL gives the
/// space back by itself.
extension Pruning {
    /// Deletes items that are long gone.
    ///
    /// - Throws: `Failure` if the store cannot be used.
    func items(inShared uri: String) async throws(Failure) -> ExitCode {
        let isTrial = session.invocation.has(.dryRun)
        var losses: [Loss] = []
        for feed in feeds {
            let store = try await session.shared.open(uri, for: session, configuration, feeds: [feed.name])
            let loss = try await isTrial ? items(of: feed, in: store) : deleteItems(of: feed, in: store)
            if let loss { losses.append(loss) }
            try await session.shared.end()
        }
        guard !session.invocation.has(.json) else {
            console.print(json: JSONLines.array(losses.map(\.result)))
            return .done
        }
        if losses.allSatisfy({ $0.text == nil }) { console.note("nothing \(isTrial ? "would be" : "was") deleted") }
        for loss in losses { tell(loss, isTrial ? "would be deleted" : "deleted") }
        return .done
    }

    /// Deletes columns that the definitions no longer have.
    ///
    /// - Throws: `Failure` if the store cannot be used.
    func columns(inShared uri: String) async throws(Failure) -> ExitCode {
        var losses: [Loss] = []
        for feed in feeds {
            // Each is claimed by itself: its working file is of no use once its columns are gone.
            let store = try await session.shared.open(uri, for: session, configuration, feeds: [feed.name])
            let loss = try await columns(of: feed, in: store)
            if try mayGo([loss], isTrial: session.invocation.has(.dryRun)) {
                try await session.shared.dropColumns(loss.columns.map(\.name), of: loss.feed, for: session)
                tell(loss, "deleted")
                losses.append(loss)
            }
            try await session.shared.end()
        }
        if session.invocation.has(.json), !losses.isEmpty { console.print(json: JSONLines.array(losses.map(\.result))) }
        return .done
    }
}
