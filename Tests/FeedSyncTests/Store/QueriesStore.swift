import FeedSync
import Foundation
import SQLite
import TemporaryFolder

/// A store in a folder of its own, and a connection that fills its tables as the engine would.
final class QueriesStore {
    let store: Store
    let connection: Connection
    let path: String
    private let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder()
        path = folder.file("feeds.db")
        store = try await Store(path: path)
        connection = try Connection(path: path)
    }

    /// Adds a feed with these columns, the first of them its key; a name may be followed by a type.
    func addFeed(_ name: String, columns: [String]) throws {
        let parts = columns.map { $0.split(separator: " ").map(String.init) }
        try connection.run("INSERT INTO feed (name, url) VALUES (?, 'https://api.example.com/things')", .text(name))
        let json = parts.map { part in
            let type = part.count > 1 ? "\"\(part[1])\"" : "null"
            return "{\"name\":\"\(part[0])\",\"path\":\"\(part[0])\",\"type\":\(type)}"
        }
        try connection.run(
            """
            INSERT INTO _feed (feed, "table", key, key_columns, columns, definition) VALUES (?, ?, '', ?, ?, '')
            """, .text(name), .text(name.replacing("-", with: "_")), .text("[\"\(parts[0][0])\"]"),
            .text("[\(json.joined(separator: ","))]"))
        try connection.execute(
            """
            CREATE TABLE "\(name.replacing("-", with: "_"))" (
                \(parts.map { "\"\($0[0])\" ANY" }.joined(separator: ", ")), _section TEXT,
                _generation INTEGER NOT NULL, _position INTEGER NOT NULL, _first_seen_at TEXT NOT NULL,
                _changed_at TEXT NOT NULL, _removed_at TEXT, PRIMARY KEY ("\(parts[0][0])")
            ) STRICT
            """)
    }

    /// Adds a row to a feed's table.
    func addRow(
        _ feed: String, _ values: [Value], section: String? = nil, generation: Int = 1, position: Int,
        removedAt: String? = nil
    ) throws {
        let statement = try connection.prepare(
            """
            INSERT INTO "\(feed.replacing("-", with: "_"))" VALUES (
                \(values.map { _ in "?, " }.joined())?, ?, ?, '2026-11-01T00:00:00.000Z', '2026-11-02T00:00:00.000Z', ?)
            """)
        try statement.bind(values + [Value(section), Value(generation), Value(position), Value(removedAt)])
        _ = try statement.step()
    }

    /// Adds a section of a feed whose first item is at a position of generation 1.
    func addSection(_ feed: String, _ name: String?, count: Int, position: Int) throws {
        try connection.run(
            "INSERT INTO _section (feed, name, item_count, generation, position) VALUES (?, ?, ?, 1, ?)",
            .text(feed), Value(name), Value(count), Value(position))
    }

    /// The items of the feed's first section.
    func items<Item: Decodable & Sendable>(of feed: String, as type: Item.Type) async throws -> [Item] {
        guard let section = try await store.sections(of: feed).first else { return [] }
        return try await section.items(as: type)
    }
}

extension FeedSyncError {
    /// The `FeedSyncError` that `body` throws; nil if it throws none or another error.
    static func thrown(by body: () async throws -> Void) async -> FeedSyncError? {
        do { try await body() } catch { return error as? FeedSyncError }
        return nil
    }
}
