import SQLite
import ScriptedServer
import Testing

@Suite("A store of another version")
struct StoreVersionTests {
    @Test("A store of a newer version is refused and not changed")
    func newer() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...150)))
        #expect(try await place.run("reload things").code == 0)
        let connection = try Connection(path: place.path("feedsync.db"), access: .readWrite)
        try connection.execute("INSERT INTO _migration SELECT '0999_from_later', checksum, applied_at FROM _migration")
        let refused = try await place.run("more things")
        #expect(refused.code == 73, "\(refused.errors)")
        #expect(refused.errors.contains("newer"))
        #expect(try place.query("SELECT count(*) FROM run") == ["1"])
    }
}
