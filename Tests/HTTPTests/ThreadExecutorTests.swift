import Concurrency
import Testing

/// An actor with a thread of its own, which writes down the order of its jobs.
private actor Diary {
    private let executor: ThreadExecutor
    private(set) var entries: [String] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(on executor: ThreadExecutor) { self.executor = executor }

    func write(_ entry: String) { entries.append(entry) }

    func writeWhenIdle(_ entry: String) async {
        await executor.idle()
        entries.append(entry)
    }

    /// Has a task wait for an idle thread before others write.
    func writeJobs() async {
        let idle = Task.immediate { await self.writeWhenIdle("idle") }
        let others = ["first", "second", "third"].map { entry in Task { self.write(entry) } }
        for other in others { await other.value }
        await idle.value
    }

    /// Gives the thread one job after another until a task that waits for an idle thread has gone on.
    func keepBusy() async {
        while entries.isEmpty { await Task.yield() }
    }
}

@Suite("A thread's executor") struct ThreadExecutorTests {
    @Test("A task that waits for an idle thread goes on after the jobs that are there")
    func idle() async throws {
        let diary = Diary(on: try #require(ThreadExecutor()))
        await diary.writeJobs()
        #expect(await diary.entries == ["first", "second", "third", "idle"])
    }

    @Test("A thread that is never idle does not keep a task waiting", .timeLimit(.minutes(1)))
    func busy() async throws {
        let diary = Diary(on: try #require(ThreadExecutor()))
        await withTaskGroup { group in
            group.addTask { await diary.keepBusy() }
            group.addTask { await diary.writeWhenIdle("idle") }
        }
        #expect(await diary.entries == ["idle"])
    }
}
