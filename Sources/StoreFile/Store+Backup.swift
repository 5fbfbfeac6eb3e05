internal import Glibc
internal import SQLite

// Copies of a store's file while others work on it.
extension Store {
    /// Writes a copy of the store at one moment, while others work on it. The copy is a single file.
    ///
    /// An existing file is replaced when the copy is complete.
    ///
    /// - Returns: The copy's size in bytes.
    /// - Throws: `FeedSyncError` of kind `store`.
    package func backUp(to file: String) throws(FeedSyncError) -> Int {
        guard !StoreFiles.areSame(file, path) else {
            throw FeedSyncError(.store, "\(file) is the store itself", advice: "name another file")
        }
        guard FileStamp(path: "\(file)-wal") == nil else {
            throw FeedSyncError(
                .store, "\(file) is a database that a program has open: \(file)-wal is beside it",
                advice: "name another file")
        }
        let ownFiles = ["-lock", "-wal", "-shm"].map { FileStamp.resolved(path) + $0 }
        guard !ownFiles.contains(FileStamp.resolved(file)), StoreFiles.mayBecomeBackup(file) else {
            throw FeedSyncError(
                .store, "\(file) exists and is not a database, so it is not replaced",
                advice: "name another file")
        }
        let part = "\(file).part-\(getpid())"
        defer { unlink(part) }
        do {
            // Only its owner may read it, as with the store.
            guard mknod(part, S_IFREG | 0o600, 0) == 0 else { throw Self.failure("create", part) }
            try copy(to: part)
            guard rename(part, file) == 0 else { throw Self.failure("replace", file) }
            return FileStamp(path: file)?.size ?? 0
        } catch {
            throw FeedSyncError(storing: error, path: file)
        }
    }

    private func copy(to file: String) throws {
        try transactions.closeGroup()
        let copy = try Connection(path: file, access: .readWrite)
        try connection.copyAll(to: copy)
        // Without a log, the copy is one file.
        try copy.execute("PRAGMA journal_mode = DELETE")
        try reading?.check()
    }

    private static func failure(_ what: String, _ path: String) -> FeedSyncError {
        FeedSyncError(
            .store, "cannot \(what) \(path): \(String(cString: strerror(errno)))",
            advice: "check that you can write to that folder")
    }
}
