import Foundation
import PostgreSQL
import PostgreSQLServer
import SQLite
import Testing

@testable import SharedStore

@Suite("A file that follows a store in PostgreSQL")
final class FollowingCopyTests {
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "FollowingCopyTests-\(UUID().uuidString)")

    deinit { try? FileManager.default.removeItem(at: folder) }

    @Test("has the crawl that a feed is at, also where it took over another one's generation")
    func generation() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appending(path: "copy.db").path
        let uri = try PostgreSQLServer.database()
        let database = try PostgreSQL.Connection(uri: uri)
        try PostgreSQLStore(connection: database).migrate(now: "2026-11-21T02:20:11.123Z")
        try database.execute(
            """
            INSERT INTO _salt VALUES ('s');
            INSERT INTO feed (name, url) VALUES ('things', 'http://u');
            INSERT INTO _crawl (id, feed, mode, started_at, generation) VALUES
                (1, 'things', 'all', '2026-11-21', 5), (2, 'things', 'all', '2026-11-21', NULL);
            INSERT INTO _feed (feed, "table", key, key_columns, columns, definition, crawl)
                VALUES ('things', 'things', 'id', '["id"]', '[]', 'd', 1)
            """)
        let copy = try await FollowingCopy(path: path, uri: uri, feeds: nil, extent: .whole)
        #expect(try await copy.look([]))
        try database.execute(
            """
            UPDATE _crawl SET generation = NULL WHERE id = 1;
            UPDATE _crawl SET generation = 5 WHERE id = 2;
            UPDATE _feed SET crawl = 2;
            INSERT INTO event (at, feed, run, status) VALUES ('2026-11-21T02:20:12Z', 'things', 1, 'beginHeader')
            """)
        #expect(try await copy.look([]))
        let file = try SQLite.Connection(path: path, access: .readOnly)
        #expect(try file.int64("SELECT generation FROM _crawl JOIN _feed ON _crawl.id = crawl") == 5)
        #expect(try file.int64("SELECT count(*) FROM event") == 1)
    }
}
