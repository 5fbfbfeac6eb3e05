import Foundation
import HTTPServer
import ScriptedServer
import Testing

@Suite(.timeLimit(.minutes(10))) struct FeedLockTests {
    @Test("Of two processes on one feed the second exits 75 at once and names the first; --quiet is silent about it")
    func twoProcesses() async throws {
        let place = try Workplace(extra: "timeout: 10m")
        let (first, gate) = try await place.heldReload()
        let second = try await place.run("more things")
        #expect(
            second.errors == """
                feedsync: things: another feedsync (pid \(first.id), reload) is using this feed
                Try: run it again when that is done, or wait with --wait

                """)
        #expect(second.output.isEmpty)
        #expect(second.code == 75)
        let quiet = try await place.run("reload things --quiet")
        #expect(quiet.output + quiet.errors == "")
        #expect(quiet.code == 75)
        try FileManager.default.createSymbolicLink(
            atPath: place.path("link.db"), withDestinationPath: "feedsync.db")
        #expect(try await place.run("reload things --store link.db").code == 75)
        let json = try await place.run("reload things --json")
        #expect(json.output.contains(#""outcome":null,"#))
        gate.open()
        #expect(await first.end().code == 0)
        try place.expectSound()
    }

    @Test("With --wait the second process works when the first is done")
    func waiting() async throws {
        let place = try Workplace(extra: "timeout: 10m")
        let (first, gate) = try await place.heldReload(PagedFeed.items(1...150))
        let second = try place.start("more things --wait 60s")
        gate.open()
        #expect(await first.end().code == 0)
        #expect(await second.end().output.hasSuffix("; 150 items, all pages fetched\n"))
    }

    @Test("A process that is killed frees its feed at once, and the next command closes what it left open")
    func killed() async throws {
        let place = try Workplace(extra: "timeout: 10m")
        let feed = PagedFeed(PagedFeed.items(1...300))
        let gate = place.server.gate()
        feed.hold(page: 2, at: gate)
        place.server.route("/things", to: feed)
        #expect(try await place.run("more things").code == 0)
        let first = try place.start("more things")
        await gate.arrived()
        first.send(SIGKILL)
        #expect(await first.end().code == -SIGKILL)
        gate.open()
        let second = try await place.run("more things")
        #expect(second.output.hasSuffix("; 200 items, more pages available\n"))
        #expect(second.code == 0)
        try place.expectSound()
        #expect(
            try place.query("SELECT error ->> 'kind' FROM event WHERE error IS NOT NULL") == ["interrupted"])
        #expect(try place.query("SELECT outcome FROM run ORDER BY id") == ["ok", "interrupted", "ok"])
    }

    @Test("A crash reveals nothing that was in memory")
    func crash() async throws {
        let place = try Workplace(extra: "timeout: 10m")
        let (running, gate) = try await place.heldReload()
        running.send(SIGSEGV)
        let run = await running.end()
        gate.open()
        #expect(run.code == -SIGSEGV)
        #expect(run.output + run.errors == "")
    }

    @Test(
        "Ctrl-C and kill close the log before the process ends",
        arguments: [(SIGHUP, 129), (SIGINT, 130), (SIGQUIT, 131), (SIGTERM, 143)] as [(Int32, Int32)])
    func interrupted(number: Int32, code: Int32) async throws {
        let place = try Workplace(extra: "timeout: 10m")
        let feed = PagedFeed(PagedFeed.items(1...300))
        let gate = place.server.gate()
        feed.hold(page: 2, at: gate)
        place.server.route("/things", to: feed)
        let running = try place.start("more things --all")
        await gate.arrived()
        // The second page is requested before the first is committed.
        _ = try await place.shell(
            "until [ \"$(sqlite3 feedsync.db 'SELECT count(*) FROM things' 2>/dev/null)\" = 100 ]; do sleep 0.01; done")
        running.send(number)
        let run = await running.end()
        #expect(run.code == code)
        #expect(run.output.isEmpty)
        #expect(
            run.errors == """
                feedsync: things: note: 100 new before it was stopped
                feedsync: things: stopped; everything fetched so far is kept

                """)
        try place.expectSound()
        #expect(try place.log() == ["beginHeader", "endHeader", "beginFooter", "endFooter"])
        #expect(try place.query("SELECT error ->> 'kind' FROM event WHERE error IS NOT NULL") == ["cancelled"])
        #expect(try place.query("SELECT outcome FROM run") == ["cancelled"])
        #expect(try place.query("SELECT count(*) FROM things") == ["100"])
    }
}
