import SQLite
import ScriptedServer
import Testing

@Suite("A store of another version")
struct StoreVersionTests {
    @Test("A store of the first version is read as it will be, and brought up to date by the first run")
    func older() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...150)))
        #expect(try await place.run("more things --all").code == 0)
        let connection = try Connection(path: place.path("feedsync.db"), access: .readWrite)
        // As the first version wrote it.
        for table in ["_column_change", "_part_ahead", "_feed_part", "feed_part"] {
            try connection.execute("DROP TABLE \(table)")
        }
        for column in ["parent_state", "parent_rows", "moved_to", "lists"] {
            try connection.execute("ALTER TABLE _feed DROP COLUMN \(column)")
        }
        try connection.execute("DROP INDEX _change_returned")
        try connection.execute("DELETE FROM _migration WHERE name NOT GLOB '0001*'")
        // Reading shows it as it will be, and leaves it as it is.
        #expect(try await place.run("show things --ndjson --columns id").output.split(separator: "\n").count == 150)
        #expect(try await place.run("status --json").output.contains(#""item_count":150"#))
        #expect(try place.query("SELECT name FROM _migration") == ["0001_store"])
        let follower = try await place.run("events --follow")
        #expect(follower.code == 73)
        #expect(follower.errors.contains("written by an older feedsync"), "\(follower.errors)")
        #expect(try await place.run("reload things").code == 0)
        #expect(try place.query("SELECT outcome FROM run ORDER BY id DESC LIMIT 1") == ["unchanged"])
        try place.write(
            "feedsync.yaml",
            "feeds: {things: {url: \"\(place.server.url)/things\", items: items, key: id, retries: 0}}")
        #expect(try await place.run("more things --all").code == 0)
        #expect(try place.query("SELECT sum(inserted) || ' ' || sum(updated) FROM run") == ["150 0"])
        try place.expectSound()
    }

    @Test("From a newer version, it is refused and not changed")
    func newer() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...150)))
        #expect(try await place.run("reload things").code == 0)
        let connection = try Connection(path: place.path("feedsync.db"), access: .readWrite)
        try connection.execute("UPDATE _migration SET name = '0999_from_later' WHERE name GLOB '0002*'")
        let refused = try await place.run("more things")
        #expect(refused.code == 73, "\(refused.errors)")
        #expect(refused.errors.contains("newer"))
        #expect(try place.query("SELECT count(*) FROM run") == ["1"])
    }
}
