import DemoFeed
import Foundation
import HTTPServer
import Testing

@Suite("The upstream of `feedsync demo --hell`", .timeLimit(.minutes(10)))
struct HellTests {
    /// A list that was mirrored while it was sound keeps its rows, whatever the upstream answers then.
    @Test(
        "Each kind of fault has the exit code that is promised, and a message, and leaves the rows as they were",
        arguments: HellKind.all.map(\.name))
    func kind(name: String) async throws {
        let kind = try #require(HellKind.all.first { $0.name == name })
        let hell = Hell()
        let server = try hell.start()
        defer { server.stop() }
        let place = try Workplace([])
        let feed = Hell.feed(named: "things", at: "\(server.url)/\(name)", pagination: kind.pagination)
        try place.write("feedsync.yaml", "feeds:\n\(feed)")
        hell.isCalm = true
        let sound = try await place.run("sync things")
        #expect(sound.code == 0, "\(sound.errors)")
        let rows =
            "SELECT id || name || _generation || ' ' || _position || coalesce(_removed_at, '') FROM things ORDER BY id"
        let before = try place.query(rows)
        #expect(before.count == 15)
        hell.isCalm = false
        // What the first page's validators would hide is asked for anew.
        let run = try await place.run("sync things")
        #expect(run.code == kind.code, "\(run.output) \(run.errors)")
        if kind.code != 0 {
            #expect(run.errors.hasPrefix("feedsync: things: "), "\(run.errors)")
            #expect(run.output.isEmpty)
        }
        #expect(run.errors.utf8.count < 3_000, "\(run.errors.prefix(500))")
        #expect(!run.errors.unicodeScalars.contains { $0.value < 32 && $0 != "\n" })
        #expect(try place.query(rows) == before)
        try place.expectSound()
        // It is bounded: a request waits at most 2 s, and a crooked list is left after a few of them.
        let requests = try place.query("SELECT requests FROM run ORDER BY id DESC LIMIT 1").first.flatMap(Int.init)
        #expect(try #require(requests) <= 40)
        hell.isCalm = true
        _ = try place.query("DELETE FROM _quota RETURNING origin")
        #expect(try await place.run("sync things").code == 0)
        // An empty first page in between gives them new places.
        let listed = "SELECT id || name FROM things WHERE _removed_at IS NULL ORDER BY _generation DESC, _position"
        #expect(try place.query(listed) == (1...15).map { "\($0)thing \($0)" })
        try place.expectSound()
    }

    @Test("Each kind has a name of its own that fits a path, and there are many")
    func names() {
        let names = HellKind.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.count >= 150)
        #expect(
            names.allSatisfy {
                $0.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
            })
    }
}
