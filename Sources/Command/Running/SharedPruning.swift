internal import FeedSync
internal import Reports

/// `prune` on a store in PostgreSQL, feed by feed: other feeds of a host stay with its worker. PostgreSQL gives the
/// space back by itself.
struct SharedPruning {
    let session: Session
    let configuration: Configuration
    let uri: String

    private var console: Console { session.console }

    /// Deletes items that are long gone.
    ///
    /// - Throws: `Failure` if the store cannot be used.
    func items(of feeds: [FeedDefinition]) async throws(Failure) -> ExitCode {
        let isTrial = session.invocation.has(.dryRun)
        var losses: [Pruning.Loss] = []
        for feed in feeds {
            let store = try await session.shared.open(uri, for: session, configuration, feeds: [feed.name])
            let pruning = Pruning(session: session, feeds: [feed], retention: configuration.retention)
            if isTrial {
                losses += try await pruning.items(in: store)
            } else if let loss = try await pruning.deleteItems(of: feed, in: store) {
                losses.append(loss)
            }
            try await session.shared.end()
        }
        guard !session.invocation.has(.json) else {
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

    /// Deletes columns that the definitions no longer have.
    ///
    /// - Throws: `Failure` if the store cannot be used.
    func columns(of feeds: [FeedDefinition]) async throws(Failure) -> ExitCode {
        var losses: [Pruning.Loss] = []
        for feed in feeds {
            // Each is claimed by itself: its working file is of no use once its columns are gone.
            let store = try await session.shared.open(uri, for: session, configuration, feeds: [feed.name])
            let pruning = Pruning(session: session, feeds: [feed], retention: configuration.retention)
            let going = try await pruning.columns(in: store)
            if try pruning.mayGo(going, isTrial: session.invocation.has(.dryRun)) {
                for loss in going { try await dropColumns(loss) }
                losses += going
            }
            try await session.shared.end()
        }
        if session.invocation.has(.json), !losses.isEmpty { console.print(json: JSONLines.array(losses.map(\.result))) }
        return .done
    }

    private func dropColumns(_ loss: Pruning.Loss) async throws(Failure) {
        try await session.shared.dropColumns(loss.columns.map(\.name), of: loss.feed, for: session)
        guard let text = loss.text, !session.invocation.has(.json) else { return }
        console.print("\(console.palette.name(loss.feed))  \(text) deleted")
    }
}
