internal import FeedSync

extension Command {
    /// `prune [FEED...]`
    static let prune = Command(
        name: "prune", operands: "[FEED...]", count: 0...anyNumber, options: [.dryRun, .oldColumns, .yes],
        store: .writes(isUrgent: true),
        summary: "Delete items that are long gone, and give the space back",
        explanation: """
            Deletes the items that have been gone from the server for longer than `keep` (90 days by default), and runs,
            events and changes of that age. Then makes the store's file as small as it can be, which takes as
            long as copying it. A feed that another process is working on is left out. With --dry-run, prints how many
            items would be deleted.

            With --columns, deletes the columns that the feeds' definitions no longer have, in place of items: from the
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
        let pruning = Pruning(session: session, feeds: feeds, configuration: configuration)
        if let uri = session.sharedStore(configuration) {
            return try await isOfColumns ? pruning.columns(inShared: uri) : pruning.items(inShared: uri)
        }
        guard let opened = try await session.storeIfAny(configuration), let path = session.storePath(configuration)
        else {
            session.console.note("nothing stored yet")
            if session.invocation.has(.json) { session.console.print(json: JSONLines.array([])) }
            return .done
        }
        let isTrial = session.invocation.has(.dryRun)
        let going = try await pruning.losses(in: opened, columns: isOfColumns)
        guard try pruning.mayGo(going, isTrial: isTrial) else { return .done }
        let store = try await session.openStore(
            at: path, Store.Options(access: .existing, keep: configuration.retention))
        return try await pruning.prune(store, columns: isOfColumns)
    }
}
