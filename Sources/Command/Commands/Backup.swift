internal import FeedSync
internal import Reports

extension Command {
    /// `backup FILE`
    static let backup = Command(
        name: "backup", operands: "FILE", need: "the name of the file to write", count: 1...1, store: .any,
        summary: "Copy the store to a file, while feedsync works",
        explanation: """
            Writes a complete copy of the store as it is at one moment, also while feeds are synced. The copy
            is one file, which needs nothing beside it; it is readable only by you. A file of that name is replaced
            when the copy is complete. If the store is damaged, the older file stays (exit code 73).
            """,
        example: "feedsync backup feedsync-backup.db"
    ) { session throws(Failure) in
        let file = session.invocation.operands[0]
        // It must be a file, because other processes write the store while it is copied.
        guard file != "-" else {
            throw .usage("backup writes to a file, not to stdout", advice: "feedsync backup feedsync-backup.db")
        }
        let configuration = try session.configurationForReading()
        let store: Store? =
            if let uri = session.sharedStore(configuration) {
                try await session.shared.copy(uri, for: session)
            } else {
                try await session.storeIfAny(configuration)
            }
        guard let store else {
            throw .noStore(at: session.storePath(configuration), session.invocation.storeOptions)
        }
        if let failure = Failure.missingFolder(of: file) { throw failure }
        let bytes = try await session.read(try await store.backUp(to: file))
        session.print(
            result: ["file": file, "bytes": bytes], orLine: "\(file)  \(NumberFormat.bytes(bytes))")
        return .done
    }
}
