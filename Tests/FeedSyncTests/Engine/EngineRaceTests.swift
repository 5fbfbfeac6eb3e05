import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync

/// The bugs of the apps this design grew from, one test each: a page counter raised before the request, a spinner that
/// keeps turning after an error, a late page on a reloaded list, an end that is never reported or never withdrawn.
@Suite("Commands that race")
struct EngineRaceTests {
    @Test("A reload stops the next page in flight, and no late page lands on the reloaded list")
    func reloadWins() async throws {
        let bench = try await EngineBench()
        try await bench.reload()
        let gate = bench.server.gate()
        bench.upstream.hold(page: 2, at: gate)
        async let more = bench.failure(.nextPage)
        await gate.arrived()
        bench.upstream.edit { $0.insert(contentsOf: PagedFeed.items([100]), at: 0) }
        let reload = try await bench.reload()
        gate.open()
        #expect(try await more.kind == .cancelled)
        #expect(reload.figures.items.inserted == 1)
        #expect(try bench.names == ["item 100"] + (1...10).map { "item \($0)" })
        #expect(
            try bench.log == [
                "beginHeader", "endHeader", "beginFooter", "endFooter!cancelled", "beginHeader", "endHeader",
            ])
        #expect(try bench.feed("next_page") == "2")
    }

    @Test("Two reloads at once are one: one request, one header, two answers")
    func reloadsJoin() async throws {
        let bench = try await EngineBench()
        let gate = bench.server.gate()
        bench.upstream.hold(page: 1, at: gate)
        async let first = bench.engine.perform(.reload)
        await gate.arrived()
        let second = Task { try await bench.engine.perform(.reload) }
        await bench.engine.whenWaiting(2)
        gate.open()
        #expect(try await first == second.value)
        #expect(try bench.log == ["beginHeader", "endHeader"])
        #expect(bench.upstream.requestedPages == [1])
    }

    @Test("A next page sent during a reload runs after it")
    func nextPageWaits() async throws {
        let bench = try await EngineBench()
        let gate = bench.server.gate()
        bench.upstream.hold(page: 1, at: gate)
        async let reload = bench.engine.perform(.reload)
        await gate.arrived()
        let more = Task { try await bench.engine.perform(.nextPage) }
        await bench.engine.whenWaiting(2)
        gate.open()
        _ = try await reload
        _ = try await more.value
        #expect(try bench.log == ["beginHeader", "endHeader", "beginFooter", "endFooter"])
        #expect(try bench.names == bench.upstreamNames(20))
    }

    @Test("A next page sent during a reload that fails is dropped with its error")
    func nextPageIsDropped() async throws {
        let bench = try await EngineBench()
        let gate = bench.server.gate()
        bench.server.route("/things") { _ in
            gate.wait()
            return .status(500)
        }
        async let reload = bench.failure(.reload)
        await gate.arrived()
        let more = Task { try await bench.failure(.nextPage) }
        await bench.engine.whenWaiting(2)
        gate.open()
        #expect(try await reload.kind == .unreachable)
        #expect(try await more.value.kind == .unreachable)
        #expect(bench.server.requests.count == 1)
        #expect(try bench.log == ["beginHeader", "endHeader!unreachable"])
    }

    @Test("A cancelled task stops its run after the last committed page, and the log is closed")
    func cancelled() async throws {
        let bench = try await EngineBench()
        let gate = bench.server.gate()
        bench.upstream.hold(page: 3, at: gate)
        let task = Task { try await bench.failure(.allPages) }
        await gate.arrived()
        try await bench.stored(20)
        task.cancel()
        #expect(try await task.value.kind == .cancelled)
        gate.open()
        #expect(try bench.feed("item_count, next_page, status") == "20|3|endFooter")
        #expect(try bench.log.last == "endFooter!cancelled")
        #expect(try bench.query("SELECT outcome, reason FROM run") == ["cancelled|cut_off"])
        try await bench.more(.allPages)
        #expect(try bench.names == bench.upstreamNames(35))
        #expect(grammarFault(try bench.log) == nil)
    }

    @Test("The next page is requested while the one before is committed, and dropped after a failure")
    func prefetch() async throws {
        let bench = try await EngineBench()
        try await bench.more(.allPages)
        #expect(bench.upstream.requestedPages == [1, 2, 3, 4], "no request beyond the end")
        bench.upstream.edit { $0.insert(contentsOf: PagedFeed.items(101...110), at: 0) }
        try await bench.reload()
        bench.upstream.fail(page: 2, with: .json("nonsense"))
        _ = try await bench.failure(.allPages)
        #expect(bench.upstream.requestedPages.suffix(2) == [1, 2])
        #expect(grammarFault(try bench.log) == nil)
    }

    @Test("Another process that works on the feed is named, and the feed is free when it has ended")
    func held() async throws {
        let bench = try await EngineBench()
        let gate = bench.server.gate()
        bench.upstream.hold(page: 1, at: gate)
        async let first = bench.engine.perform(.reload)
        await gate.arrived()
        let other = try await bench.another()
        let error = try await bench.failure(.nextPage, other)
        #expect(error.kind == .locked)
        #expect(error.message.contains(", reload)"))
        gate.open()
        _ = try await first
        #expect(try await other.perform(.nextPage).figures.pages == 1)
        #expect(try bench.names == bench.upstreamNames(20))
    }

    @Test("The status comes with the current one first, then every transition")
    func refreshStatus() async throws {
        let bench = try await EngineBench(PagedFeed.items(1...15))
        var seen: [RefreshStatus] = []
        let statuses = bench.engine.refreshStatus
        bench.engine.requestCommand.send(.reload)
        bench.engine.requestCommand.send(.nextPage)
        for await status in statuses {
            seen.append(status)
            if status == .noMoreData { break }
        }
        #expect(seen == [.none, .beginHeader, .endHeader, .beginFooter, .noMoreData])
    }
}

extension SyncEngine {
    /// Returns when so many callers wait for an answer.
    func whenWaiting(_ count: Int) async {
        try? await until { waitingCount >= count }
    }
}
