internal import Concurrency
internal import Glibc
package import MirrorStore
internal import PostgreSQL
internal import SQLite

/// The files of a worker, one for each group that it has claimed: what they commit is committed in PostgreSQL first.
///
/// A file whose group nobody else has changed meanwhile is used again; any other one is filled anew.
package actor WorkingStores {
    private let uri: String
    private let folder: String
    private let keep: Duration
    private var files: [String: File] = [:]
    private var count = 0

    /// So many files stay open for the next claim of their group.
    private static let mostKept = 64

    private struct File {
        let path: String
        let store: Store
        let numbers: NumberBlock
        let progress: WriteThrough.Progress
    }

    /// Files in a folder of the worker's own.
    ///
    /// - Parameter keep: How long runs and events are kept.
    package init(uri: String, folder: String, keep: Duration) {
        self.uri = uri
        self.folder = folder
        self.keep = keep
    }

    /// The group's part of the store, to be worked on until `end(_:)`.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    package func begin(_ claim: Claim) async throws(FeedSyncError) -> Store {
        let name = claim.group.name
        if let file = files[name], file.progress.version == claim.version, try await !isShort(file) {
            try await attach(file.store, claim, file.progress)
            return file.store
        }
        if let outdated = files.removeValue(forKey: name) { remove(outdated) }
        count += 1
        let path = "\(folder)/\(count).db"
        let uri = uri
        let (version, numbers) = try await Store(path: path).copying { target throws(FeedSyncError) in
            do {
                let source = PostgreSQLStore(connection: try PostgreSQL.Connection(uri: uri))
                let numbers = try NumberBlock(of: source.connection)
                let copy = WorkingCopy(source: source, scope: FeedScope(feeds: claim.group.feeds), target: target)
                return (try copy.fill(group: name, block: numbers), numbers)
            } catch {
                throw FeedSyncError(copying: error, path: path)
            }
        }
        // Opened again: it reads its salt when it is opened.
        let store = try await Store(path: path, options: Store.Options(access: .existing, keep: keep))
        let progress = WriteThrough.Progress(version: version)
        try await attach(store, claim, progress)
        files[name] = File(path: path, store: store, numbers: numbers, progress: progress)
        return store
    }

    private func isShort(_ file: File) async throws(FeedSyncError) -> Bool {
        try await file.store.copying { connection throws(FeedSyncError) in
            do { return try file.numbers.isShort(in: connection) } catch {
                throw FeedSyncError(copying: error, path: file.path)
            }
        }
    }

    /// Whether nothing of the claim's group can be stored any more.
    package func hasFailed(_ claim: Claim) -> Bool { files[claim.group.name]?.progress.failure != nil }

    /// Those who have the file open keep what they read until they are gone, too.
    private func remove(_ file: File) {
        for end in ["", "-wal", "-shm", "-lock"] { unlink(file.path + end) }
    }

    private func attach(
        _ store: Store, _ claim: Claim, _ progress: WriteThrough.Progress
    ) async throws(FeedSyncError) {
        let uri = uri
        try await store.copying { connection throws(FeedSyncError) in
            do {
                let target = PostgreSQLStore(connection: try PostgreSQL.Connection(uri: uri))
                let writing = try WriteThrough(connection, to: target, claim: claim, progress: progress)
                connection.companion = writing
            } catch {
                throw FeedSyncError(copying: error, path: claim.group.name)
            }
        }
    }

    /// Commits what is left, and lets go of the group.
    ///
    /// - Returns: Why a commit failed; nil if none did.
    package func end(_ claim: Claim) async -> FeedSyncError? {
        guard let file = files[claim.group.name] else { return nil }
        do throws(FeedSyncError) {
            try await file.store.copying { connection throws(FeedSyncError) in
                do { try connection.transaction {} } catch {
                    throw FeedSyncError(copying: error, path: claim.group.name)
                }
                connection.companion = nil
            }
        } catch {
            file.progress.fail(error)
        }
        let failure = file.progress.failure
        if failure != nil || files.count > Self.mostKept, let dropped = files.removeValue(forKey: claim.group.name) {
            remove(dropped)
        }
        return failure
    }
}
