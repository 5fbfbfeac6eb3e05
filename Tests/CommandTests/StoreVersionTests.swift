import SQLite
import ScriptedServer
import Testing

@Suite("A store of another version")
struct StoreVersionTests {
    /// The additions of later versions.
    private static let later = [
        (
            "_feed",
            [
                "found", "round_started_at", "round_ended_at", "failures", "failing_since", "poll_interval",
                "fresh_for",
                "planned_due_at", "quota_origin", "quota_credential", "new_name", "parent_state", "parent_rows",
            ]
        ),
        ("_walk", ["furthest", "doubtful", "is_unchecked", "part", "part_elements", "part_total", "capped", "cap"]),
        ("_walk_page", ["asked"]),
    ]

    /// Undoes `0007_crawls` and `0013_same_key`.
    private static let names = [
        "ALTER TABLE _page DROP COLUMN same_key", "ALTER TABLE _crawl DROP COLUMN same_key",
        "ALTER TABLE _feed DROP COLUMN ranges", "ALTER TABLE _crawl DROP COLUMN round",
        "ALTER TABLE _crawl DROP COLUMN overlaps", "ALTER TABLE _crawl DROP COLUMN has_totals",
        "ALTER TABLE _crawl DROP COLUMN total_moved", "ALTER TABLE _crawl DROP COLUMN repeats",
        "ALTER TABLE _crawl DROP COLUMN is_ordered", "ALTER TABLE _crawl DROP COLUMN checked",
        "ALTER TABLE _crawl_page DROP COLUMN met", "ALTER TABLE feed DROP COLUMN verified",
        "ALTER TABLE feed DROP COLUMN full_at", "ALTER TABLE run DROP COLUMN verified",
        "ALTER TABLE _crawl ADD COLUMN is_unchecked INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE _crawl ADD COLUMN stopped_by TEXT",
        "ALTER TABLE _feed RENAME COLUMN crawl TO walk", "ALTER TABLE _page RENAME COLUMN cursor TO continuation",
        "ALTER TABLE _page RENAME COLUMN skipped TO left_out", "ALTER TABLE _page RENAME COLUMN crawl TO walk",
        "ALTER TABLE _crawl_page RENAME COLUMN crawl TO walk", "ALTER TABLE _crawl_page RENAME TO _walk_page",
        "ALTER TABLE _crawl RENAME COLUMN skipped TO left_out", "ALTER TABLE _crawl RENAME TO _walk",
    ]

    @Test(
        "One from before columns were found is mirrored into as before, and its feed may leave them open from then on")
    func older() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...150)))
        #expect(try await place.run("more things --all").code == 0)
        let connection = try Connection(path: place.path("feedsync.db"), access: .readWrite)
        // As the first version wrote it.
        for name in [
            "VIEW change", "TABLE _change", "TABLE _consumer", "TABLE _response", "TABLE _part_ahead",
            "TABLE _feed_part", "TABLE feed_part",
        ] {
            try connection.execute("DROP \(name)")
        }
        for statement in Self.names { try connection.execute(statement) }
        for (table, columns) in Self.later {
            for column in columns { try connection.execute("ALTER TABLE \(table) DROP COLUMN \(column)") }
        }
        try connection.execute("CREATE INDEX _walk_page_page ON _walk_page (page)")
        try connection.execute("DELETE FROM _migration WHERE name NOT GLOB '0001*'")
        // Reading shows it as it will be, and leaves it as it is.
        #expect(try await place.run("show things --ndjson --columns id").output.split(separator: "\n").count == 150)
        #expect(try await place.run("status --json").output.contains(#""item_count":150"#))
        #expect(try place.query("SELECT name FROM _migration") == ["0001_first_store"])
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
