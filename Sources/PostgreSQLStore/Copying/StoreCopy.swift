internal import Concurrency
internal import MirrorWriter
internal import Platform
internal import PostgreSQL
internal import SQLite
internal import SchemaMigration
package import StoreFile
internal import Time

/// Copies a store from SQLite to PostgreSQL, or back: rows, positions, crawls, validators, history.
///
/// Copied data is read again and compared by a checksum; equal data is left alone, so that an interrupted copy
/// continues.
package enum StoreCopy {
    /// Copies a store.
    ///
    /// - Parameter report: Receives each finished table.
    /// - Throws: `FeedSyncError` of kind `store`. A complete target is unchanged then; the same call continues any
    ///   other one.
    package static func copy(
        from: StoreAddress, to: StoreAddress, report: @escaping @Sendable (CopyReport.Table) -> Void = { _ in }
    ) async throws(FeedSyncError) -> CopyReport {
        switch (from, to) {
        case (.file(let path), .postgreSQL(let uri)): return try await copy(from: path, toURI: uri, report)
        case (.postgreSQL(let uri), .file(let path)): return try await copy(fromURI: uri, to: path, report)
        case (.file, .file):
            throw FeedSyncError(.store, "both are files", advice: "feedsync backup FILE  # copies a store to a file")
        case (.postgreSQL, .postgreSQL):
            throw FeedSyncError(.store, "both are in PostgreSQL", advice: "copy such a store with pg_dump")
        }
    }

    private static func copy(
        from path: String, toURI uri: String, _ report: @escaping @Sendable (CopyReport.Table) -> Void
    ) async throws(FeedSyncError) -> CopyReport {
        let store = try await Store(path: path, options: Store.Options(access: .readOnly))
        return try await store.copying(called: path) { source in
            // Not every damage makes a read fail, and the target may be the last good copy.
            try source.refuseDamage(of: path)
            let target = try StoreDatabase(uri: uri, patience: Self.patience)
            return try PostgreSQLCopy(
                source: source, target: target, now: WallClock.system.text, report: report
            ).run()
        }
    }

    /// By way of a file beside the target, which gets its name when it is whole.
    private static func copy(
        fromURI uri: String, to path: String, _ report: @escaping @Sendable (CopyReport.Table) -> Void
    ) async throws(FeedSyncError) -> CopyReport {
        guard access(path, F_OK) != 0 else {
            throw FeedSyncError(
                .store, "\(path) exists already, and a copy replaces nothing",
                advice: "name another file, or move this one away")
        }
        let part = "\(path).part"
        let isNew = access(part, F_OK) != 0
        let hasBegun = Lock(false)
        let result: CopyReport
        do throws(FeedSyncError) {
            result = try await Store(path: part).filling { target throws(FeedSyncError) in
                do {
                    let source = try StoreDatabase(uri: uri, patience: Self.patience)
                    return try SQLiteCopy(source: source, target: target) { table in
                        hasBegun.withLock { $0 = true }
                        report(table)
                    }.run()
                } catch {
                    throw FeedSyncError(copying: error, path: part)
                }
            }
        } catch {
            // There is nothing to continue.
            if isNew, !hasBegun.withLock({ $0 }) { for end in ["", "-wal", "-shm", "-lock"] { unlink(part + end) } }
            throw error
        }
        guard rename(part, path) == 0 else {
            throw FeedSyncError(
                .store, "cannot name \(part) \(path): \(String(cString: strerror(errno)))",
                advice: "check that you can write to that folder")
        }
        unlink("\(part)-lock")
        return result
    }

    /// A table is read and compared while PostgreSQL waits.
    private static let patience = Duration.seconds(3_600)
}

/// The result of a copy.
package struct CopyReport: Sendable, Hashable {
    /// A table of it.
    package struct Table: Sendable, Hashable {
        package let name: String
        /// The rows that both have now.
        package let rowCount: Int
        /// The checksum that both have now: 32 hexadecimal digits.
        package let checksum: String
        /// True if the table was written; false if the copy had these rows already.
        package let isWritten: Bool
    }

    /// All tables, those of the feeds last.
    package internal(set) var tables: [Table] = []
}
