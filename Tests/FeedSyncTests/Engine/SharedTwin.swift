import Concurrency
import Foundation
import PostgreSQL
import PostgreSQLServer
import SQLite
import StoreFile
import Testing

@testable import Fleet
@testable import PostgreSQLStore

/// A store in PostgreSQL in which a test's store commits first, as a worker's does.
///
/// With `ENGINE_STORE=postgresql` in the environment, each test of the engine has one, and at its end both have the
/// same rows.
final class SharedTwin: Sendable {
    private let uri: String
    private let path: String
    private let claim: Claim
    private let isWrittenByHand = Lock(false)
    private let attached = Lock<[Store]>([])

    static let isWanted = ProcessInfo.processInfo.environment["ENGINE_STORE"] == "postgresql"

    private static let database = Result { try PostgreSQLServer.database() }

    /// That of a store; nil unless it is wanted.
    ///
    /// - Parameter feeds: The feeds that the store is for.
    static func of(_ store: Store, feeds: [String]) async throws -> SharedTwin? {
        guard isWanted else { return nil }
        let twin = try SharedTwin(path: store.path, feeds: feeds)
        try await twin.attach(to: store)
        return twin
    }

    private init(path: String, feeds: [String]) throws {
        self.path = path
        let schema = "s" + UUID().uuidString.filter { $0 != "-" }.lowercased()
        let database = try Self.database.get()
        uri = "\(database)&options=-csearch_path%3D\(schema)"
        try PostgreSQL.Connection(uri: database).execute("CREATE SCHEMA \(schema)")
        let store = StoreDatabase(connection: try PostgreSQL.Connection(uri: uri))
        try store.migrate(now: "2026-11-21T02:20:11.123Z")
        let row = try store.connection.query(
            "INSERT INTO _claim (\"group\", feeds, worker) VALUES ('twin', '{}', 1) RETURNING fence, version"
        )[0]
        let numbers = row.map { $0.flatMap { Int64($0) } ?? 0 }
        claim = Claim(group: FeedGroup(name: "twin", feeds: feeds), fence: numbers[0], version: numbers[1])
    }

    deinit {
        // Each connection has what has it; the store goes with the task.
        for store in attached.withLock({ $0 }) {
            Task { try? await store.copying { $0.companion = nil } }
        }
    }

    /// Makes another connection's commits to the same file in PostgreSQL first.
    func attach(to store: Store) async throws {
        let (uri, claim) = (uri, claim)
        attached.withLock { $0.append(store) }
        try await store.copying { connection throws(FeedSyncError) in
            do {
                connection.companion = try WriteThrough(
                    connection, to: ConnectionPool(uri: uri, limit: 2, jobs: 1), claims: [claim],
                    progress: WriteThrough.Progress(version: claim.version))
            } catch {
                throw FeedSyncError(.store, "\(error)")
            }
        }
    }

    /// The test writes the file itself, past the store: PostgreSQL learns nothing of that.
    func forget() { isWrittenByHand.withLock { $0 = true } }

    /// Expects both stores to have the same rows.
    func check() {
        guard !isWrittenByHand.withLock({ $0 }) else { return }
        do {
            let store = StoreDatabase(connection: try PostgreSQL.Connection(uri: uri))
            let file = try SQLiteFile(path: path)
            for name in CopiedTable.fixed + (try file.feedTables()) where name != "_salt" {
                guard let table = try store.table(name) else {
                    let count = try file.count(name)
                    if count > 0 { Issue.record("PostgreSQL has no \(name), and the file has \(count) rows of it") }
                    continue
                }
                let (own, shared) = (try file.rows(of: table), try store.allRows(of: table))
                guard own != shared else { continue }
                Issue.record(
                    "\(name) differs: \(own.subtracting(shared)) in the file, \(shared.subtracting(own)) in PostgreSQL")
            }
        } catch {
            Issue.record("the stores cannot be compared: \(error)")
        }
    }
}

/// The file of a store, as it is.
private struct SQLiteFile {
    private let connection: SQLite.Connection

    init(path: String) throws { connection = try SQLite.Connection(path: path, access: .readOnly) }

    func feedTables() throws -> [String] { try StoredFeed.all(in: connection).map(\.table) }

    func count(_ table: String) throws -> Int64 {
        try connection.int64("SELECT count(*) FROM \"\(table)\"") ?? 0
    }

    func rows(of table: CopiedTable) throws -> Set<[PostgreSQLStore.CopiedValue]> {
        var rows: Set<[PostgreSQLStore.CopiedValue]> = []
        try table.rows(in: connection) { rows.insert($0) }
        return rows
    }
}

extension StoreDatabase {
    fileprivate func allRows(of table: CopiedTable) throws -> Set<[PostgreSQLStore.CopiedValue]> {
        var rows: Set<[PostgreSQLStore.CopiedValue]> = []
        try self.rows(of: table) { rows.insert($0) }
        return rows
    }
}
