import Foundation
import Migrations
import SQLite
import SchemaMigration
import TemporaryFolder
import Testing

@testable import FeedSync
@testable import StoreFile

@Suite("A store of another version")
struct StoreOfAnotherVersionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The schema change of a version to come.
    private static let later = Migration(
        name: "0999_stars", sql: "ALTER TABLE feed ADD COLUMN stars INTEGER DEFAULT 3;")
    private static let query = "SELECT name || item_count || stars FROM feed"

    @Test("A store of an earlier version is read as it will be, and stays as it is")
    func read() async throws {
        let path = try await store()
        let before = try Data(contentsOf: URL(filePath: path))
        var options = Store.Options(access: .readOnly)
        options.migrations.append(Self.later)
        let store = try await Store(path: path, options: options)
        #expect(try await Self.row(of: store) == "x13")
        let reading = try #require(store.reading)
        #expect(reading.isCopy && !reading.followsFile)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test("A store of an earlier version comes forward with its data when it is opened to be written")
    func write() async throws {
        let path = try await store()
        var options = Store.Options()
        options.migrations.append(Self.later)
        for _ in 1...2 {
            let store = try await Store(path: path, options: options)
            #expect(try await Self.row(of: store) == "x13")
        }
        let connection = try Connection(path: path, access: .readOnly)
        #expect(try connection.scalar("SELECT group_concat(name) FROM _migration") == "0001_store,0999_stars")
        #expect(try connection.scalar("PRAGMA integrity_check") == "ok")
    }

    @Test("A store of a later version is neither read nor written", arguments: [Store.Access.readOnly, .create])
    func newer(_ access: Store.Access) async throws {
        let path = try await store()
        var options = Store.Options()
        options.migrations.append(Self.later)
        _ = try await Store(path: path, options: options)
        let before = try Data(contentsOf: URL(filePath: path))
        let error = await #expect(throws: FeedSyncError.self) {
            _ = try await Store(path: path, options: Store.Options(access: access))
        }
        #expect(
            error?.message.contains("newer version (unknown migrations: 0999_stars)") == true, "\(error?.message ?? "")"
        )
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    /// The path of a store of this version with a feed. Its file has all of it: its log is gone.
    private func store() async throws -> String {
        let path = folder.file("feedsync.db")
        let store = try await Store(path: path)
        try await Self.fill(store)
        return path
    }

    private static func fill(_ store: isolated Store) throws {
        try store.connection.execute("INSERT INTO feed (name, url, item_count) VALUES ('x', 'https://example.com', 1)")
        try store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    private static func row(of store: isolated Store) throws -> String? { try store.connection.scalar(query)?.text }
}
