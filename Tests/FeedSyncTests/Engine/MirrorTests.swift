import Concurrency
import Foundation
import HTTPServer
import SQLite
import ScriptedServer
import TemporaryFolder
import Testing

@testable import FeedSync
@testable import MirrorReader
@testable import StoreFile

private struct Thing: Decodable, Sendable, Equatable {
    let id: Int
    let name: String
}

@Suite("A mirror, as apps use it", .timeLimit(.minutes(2)))
struct MirrorTests {
    private func mirror(of bench: EngineBench) -> FeedMirror { FeedMirror(bench.store, options: EngineBench.options) }

    @Test("A feed has one engine, however often and from wherever it is asked for")
    func oneEngine() async throws {
        let bench = try await EngineBench()
        let mirror = mirror(of: bench)
        async let one = mirror.feed(bench.definition)
        async let two = mirror.feed(bench.definition)
        let engines = try await (one, two, mirror.feed(bench.definition))
        #expect(engines.0 === engines.1)
        #expect(engines.0 === engines.2)
    }

    @Test("Commands that two parts of an app send to one feed meet, and refuse each other no more")
    func shared() async throws {
        let bench = try await EngineBench()
        let mirror = mirror(of: bench)
        let gate = bench.server.gate()
        bench.upstream.hold(page: 1, at: gate)
        let one = try await mirror.feed(bench.definition)
        let two = try await mirror.feed(bench.definition)
        async let first = one.perform(.reload)
        await gate.arrived()
        async let second = two.perform(.reload)
        await one.whenWaiting(2)
        gate.open()
        #expect(try await first.run == second.run)
    }

    @Test("Another definition of a feed that is in use is refused, and taken once the engine is gone")
    func otherDefinition() async throws {
        let bench = try await EngineBench()
        let mirror = mirror(of: bench)
        let other = try EngineBench.definition(
            "url: \(bench.server.url)/things?q=2\n\(EngineBench.columns)\n\(EngineBench.paging)")
        var engine: SyncEngine? = try await mirror.feed(bench.definition)
        let error = await #expect(throws: FeedSyncError.self) { _ = try await mirror.feed(other) }
        #expect(error?.kind == .configuration)
        #expect(error?.message == "feed `things` is in use with another definition")
        #expect(engine?.definition.name == "things")
        engine = nil
        _ = try await mirror.feed(other)
    }

    @Test("The state of a refused connection holds its error, with what to try")
    func refused() async throws {
        let bench = try await EngineBench()
        let engine = try await mirror(of: bench).feed(bench.definition)
        bench.server.stop()
        engine.requestCommand.send(.reload)
        var last: EngineState?
        for await state in engine.state {
            last = state
            if !state.isRunning { break }
        }
        #expect(last?.status == .endHeader)
        #expect(last?.error?.kind == .unreachable)
        #expect(last?.error?.advice != nil)
    }

    @Test("The state of a command that ends well holds what it did, and no error of the one before")
    func succeeded() async throws {
        let bench = try await EngineBench()
        let engine = try await mirror(of: bench).feed(bench.definition)
        bench.upstream.fail(page: 1, with: .status(500))
        await #expect(throws: FeedSyncError.self) { try await engine.perform(.reload) }
        engine.requestCommand.send(.reload)
        for await state in engine.state where !state.isRunning {
            #expect(state.error == nil)
            #expect(state.progress.pages == 1)
            #expect(state.progress.items.inserted == 10)
            break
        }
    }

    @Test("A cancelled command has stopped when `cancel` returns; the state has no failure")
    func cancelled() async throws {
        let bench = try await EngineBench()
        let engine = try await mirror(of: bench).feed(bench.definition)
        let gate = bench.server.gate()
        bench.upstream.hold(page: 1, at: gate)
        engine.requestCommand.send(.reload)
        engine.requestCommand.send(.allPages)
        await gate.arrived()
        await engine.cancel()
        for await state in engine.state {
            #expect(!state.isRunning)
            #expect(state.error == nil)
            break
        }
        gate.open()
        #expect(try bench.log == ["beginHeader", "endHeader!cancelled"])
        #expect(try await engine.perform(.reload).figures.pages == 1)
    }

    @Test("Items come as they are stored, then after each change, by another connection too")
    func items() async throws {
        let bench = try await EngineBench()
        let mirror = mirror(of: bench)
        var items = mirror.items(of: "things", as: Thing.self, limit: 15).makeAsyncIterator()
        #expect(try await items.next(isolation: nil) == [])
        try await mirror.feed(bench.definition).perform(.reload)
        #expect(try await items.next(isolation: nil)?.count == 10)
        // As another process has it: a connection of its own.
        try await bench.another().perform(.nextPage)
        let more = try await items.next(isolation: nil)
        #expect(more?.count == 15)
        #expect(more?.first == Thing(id: 1, name: "item 1"))
    }

    @Test("Stored items are read once: some of them, in another order, those that fulfil conditions")
    func storedItems() async throws {
        let bench = try await EngineBench()
        let feed = try await mirror(of: bench).feed(bench.definition)
        #expect(try await feed.storedItems(as: Thing.self) == [])
        try await feed.perform(.sync)
        #expect(try await feed.storedItems(as: Thing.self).count == 35)
        #expect(try await feed.storedItems(as: Thing.self, offset: 30, limit: 3).map(\.id) == [31, 32, 33])
        #expect(try await feed.storedItems(as: Thing.self, offset: 34, limit: .max).map(\.id) == [35])
        let found = try await feed.storedItems(
            as: Thing.self, where: [ColumnFilter("id", .atLeast, "5"), ColumnFilter("id", .below, "8")],
            sortedBy: [ItemOrder(column: "id", isDescending: true)])
        #expect(found.map(\.id) == [7, 6, 5])
        #expect(try await feed.storedItems(as: Thing.self, where: [ColumnFilter("name", .equal, "' OR 1")]) == [])
        let error = await #expect(throws: FeedSyncError.self) {
            _ = try await feed.storedItems(as: Thing.self, sortedBy: [ItemOrder(column: "nmae")])
        }
        #expect(error?.message == "feed `things` has no column `nmae`")
        #expect(error?.advice?.hasPrefix("name one of: id, name, ") == true)
    }

    @Test("Changes are read from the place where the last ones ended")
    func changes() async throws {
        let bench = try await EngineBench()
        let mirror = mirror(of: bench)
        let feed = try await mirror.feed(bench.definition)
        try await feed.perform(.sync)
        let first = try await mirror.changes(of: "things")
        #expect(first.changes.map(\.kind) == Array(repeating: .new, count: 35))
        bench.upstream.items = PagedFeed.items(2...35)
        try await feed.perform(.sync)
        let second = try await mirror.changes(of: "things", after: first.end)
        #expect(second.changes.map(\.kind) == [.removed])
        #expect(second.changes.map(\.key) == ["1"])
        #expect(try await mirror.changes(of: "things", after: second.end).changes.isEmpty)
    }

    @Test("A list has the items of each page no later than its state")
    func list() async throws {
        let bench = try await EngineBench()
        let feed = try await mirror(of: bench).feed(bench.definition)
        let lists = feed.list(as: Thing.self)
        feed.requestCommand.send(.sync)
        var ends: Set<Int> = []
        for try await list in lists {
            // A page that ended is among the items.
            #expect(list.items.count >= min(list.state.progress.pages * 10, 35))
            ends.insert(list.items.count)
            if list.state.status == .noMoreData, !list.state.isRunning { break }
        }
        #expect(ends.contains(35))
    }

    @Test("A list ends when the mirror is closed")
    func closedList() async throws {
        let bench = try await EngineBench()
        let mirror = mirror(of: bench)
        let feed = try await mirror.feed(bench.definition)
        var lists = feed.list(as: Thing.self).makeAsyncIterator()
        #expect(try await lists.next(isolation: nil)?.items.isEmpty == true)
        await mirror.close()
        while try await lists.next(isolation: nil) != nil {}
    }

    @Test("A token that changes goes out with the next command, which continues at the same page")
    func changedToken() async throws {
        let bench = try await EngineBench(members: "auth: {bearer: \"${TOKEN}\"}")
        var options = EngineBench.options
        options.environment = ["TOKEN": "first"]
        let mirror = FeedMirror(bench.store, options: options)
        let feed = try await mirror.feed(bench.definition)
        try await feed.perform(.reload)
        mirror.setVariable("TOKEN", to: "second")
        #expect(try await feed.perform(.nextPage).itemCount == 20)
        let sent = bench.server.requests.map { [$0.header("Authorization"), $0.parameter("page")] }
        #expect(sent == [["Bearer first", "1"], ["Bearer second", "2"]])
        mirror.setVariable("TOKEN", to: nil)
        let error = await #expect(throws: FeedSyncError.self) { try await feed.perform(.nextPage) }
        #expect(error?.kind == .configuration)
    }

    @Test("Sections end when the mirror is closed, and commands are refused from then on")
    func closed() async throws {
        let bench = try await EngineBench()
        let mirror = mirror(of: bench)
        let engine = try await mirror.feed(bench.definition)
        try await engine.perform(.reload)
        var counts: [Int] = []
        for try await sections in engine.sections {
            counts.append(sections.first?.itemCount ?? 0)
            await mirror.close()
        }
        #expect(counts == [10])
        await #expect(throws: FeedSyncError(.store, "the mirror is closed")) { try await engine.perform(.reload) }
        engine.requestCommand.send(.reload)
        var error: FeedSyncError?
        while error == nil {
            for await state in engine.state { error = state.error }
            try await Task.sleep(for: .milliseconds(2))
        }
        #expect(error == FeedSyncError(.store, "the mirror is closed"))
        await #expect(throws: FeedSyncError.self) { _ = try await mirror.feed(bench.definition) }
    }

    @Test("The sequences of states and of a search end when the mirror is closed")
    func closedStates() async throws {
        let bench = try await EngineBench()
        let mirror = mirror(of: bench)
        let feed = try await mirror.feed(bench.definition)
        let definition = bench.definition
        let search = TypedSearch<Thing>(in: mirror) { _ throws(ConfigurationError) in definition }
        let ends = Task { [state = feed.state, statuses = feed.refreshStatus, results = search.results] in
            for await _ in state {}
            for await _ in statuses {}
            for await _ in results {}
        }
        await mirror.close()
        await ends.value
        // A sequence that begins later has the last state alone.
        var states = 0
        for await _ in feed.state { states += 1 }
        #expect(states == 1)
    }

    @Test("Nothing is left of an observation whose reader stopped, nor of its mirror")
    func noLeak() async throws {
        let folder = try TemporaryFolder()
        weak var store: Store?
        weak var watch: StoreWatch?
        do {
            let mirror = try await FeedMirror(path: folder.file("store.db"))
            (store, watch) = (mirror.store, mirror.watch)
            let reader = Task { for try await _ in mirror.sections(of: "things") {} }
            try await until { watch?.observerCount == 1 }
            reader.cancel()
            _ = await reader.result
            #expect(watch?.observerCount == 0)
            for try await _ in mirror.sections(of: "things") { break }
        }
        // The last reference may be that of a task that ends just now.
        try await until { store == nil && watch == nil }
    }

    @Test("An observation of a store that cannot be read throws its error, once")
    func storeError() async throws {
        let bench = try await EngineBench()
        let mirror = mirror(of: bench)
        var sections = mirror.sections(of: "things").makeAsyncIterator()
        #expect(try await sections.next(isolation: nil)?.isEmpty == true)
        bench.twin?.forget()
        let connection = try Connection(path: bench.store.path)
        try connection.execute("DROP TABLE _section")
        let error = await #expect(throws: FeedSyncError.self) { try await sections.next(isolation: nil) }
        #expect(error?.kind == .store)
        #expect(try await sections.next(isolation: nil) == nil)
    }

    @Test("A mirror that is read changes nothing, shows what is stored, and has no engines")
    func readOnly() async throws {
        let bench = try await EngineBench()
        try await bench.reload()
        var options = FeedMirror.Options()
        options.isReadOnly = true
        let mirror = try await FeedMirror(path: bench.store.path, options: options)
        #expect(try await mirror.feeds().map(\.itemCount) == [10])
        for try await things in mirror.items(of: "things", as: Thing.self) {
            #expect(things.count == 10)
            break
        }
        let error = await #expect(throws: FeedSyncError.self) { _ = try await mirror.feed(bench.definition) }
        #expect(error?.kind == .store)
        let missing = bench.folder.file("missing.db")
        await #expect(throws: FeedSyncError.self) { _ = try await FeedMirror(path: missing, options: options) }
        #expect(!FileManager.default.fileExists(atPath: missing))
    }

    @Test("A mirror that is read fails once its file was replaced, and another one reads the new file")
    func replaced() async throws {
        let bench = try await EngineBench()
        try await bench.reload()
        let file = bench.folder.file("shared.db")
        _ = try await bench.store.backUp(to: file)
        var options = FeedMirror.Options()
        options.isReadOnly = true
        let mirror = try await FeedMirror(path: file, options: options)
        var lists = mirror.items(of: "things", as: Thing.self).makeAsyncIterator()
        #expect(try await lists.next(isolation: nil)?.count == 10)
        try await bench.more()
        _ = try await bench.store.backUp(to: file)
        do throws(FeedSyncError) {
            let items = try await lists.next(isolation: nil)
            Issue.record("the observer got \(String(describing: items))")
        } catch {
            #expect(error.kind == .store)
            #expect(error.message.contains("replaced"))
        }
        await #expect(throws: FeedSyncError.self) { _ = try await mirror.storedItems(of: "things", as: Thing.self) }
        let next = try await FeedMirror(path: file, options: options)
        #expect(try await next.storedItems(of: "things", as: Thing.self).count == 20)
    }

    private struct Dated: Decodable, Sendable {
        let at: Timestamp
    }

    @Test("Times are moments that compare, in records and in the caller's structs")
    func times() async throws {
        let bench = try await EngineBench(
            [#"{"id": 1, "at": "2026-11-21T02:20:11+01:00"}"#],
            columns: "items: items\nkey: id\ncolumns: {id: id, at: {path: at, type: timestamp}}")
        let mirror = mirror(of: bench)
        let feed = try await mirror.feed(bench.definition)
        try await feed.perform(.reload)
        let run = try #require(try await mirror.runs(of: "things", limit: 1).first)
        #expect(try #require(run.startedAt) <= #require(run.finishedAt))
        #expect(try await mirror.events().map(\.at).allSatisfy { $0 != nil })
        for try await items in feed.items(as: Dated.self) {
            #expect(items.first?.at.description == "2026-11-21T01:20:11.000Z")
            #expect(items.first?.at.secondsSince1970 == 1_795_224_011)
            break
        }
    }

    @Test("Opening stores behind a lock leaves the pool's threads free")
    func opening() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.db")
        let gate = DispatchSemaphore(value: 0)
        let (holding, isHeld) = AsyncStream.makeStream(of: Void.self)
        // A thread of its own holds the lock that new stores wait for.
        Thread.detachNewThread {
            try? FeedLock.alone(with: path) {
                isHeld.finish()
                gate.wait()
            }
            isHeld.finish()
        }
        for await _ in holding {}
        let opened = Lock(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    // Longer than the pool of a busy machine takes for the ticks below.
                    _ = try await Store(path: path, options: Store.Options(wait: .seconds(120)))
                    opened.withLock { $0 += 1 }
                }
            }
            // On a pool whose threads are all blocked this would never end.
            for _ in 0..<100 { await Task.detached {}.value }
            #expect(opened.withLock { $0 } == 0)
            gate.signal()
            try await group.waitForAll()
        }
        #expect(opened.withLock { $0 } == 8)
    }
}
