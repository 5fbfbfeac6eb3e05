/// The order of feeds: feeds of idle hosts come before feeds that would wait for their host.
///
/// A slow host therefore takes only the places that no other host can use.
struct JobQueue<Job> {
    /// The jobs of one host.
    private struct Host {
        let name: String
        /// The numbers of those that have not started, last first.
        var waiting: [Int] = []
        var running = 0
    }

    private let jobs: [Job]
    /// In the order of their first jobs.
    private var hosts: [Host] = []
    private var indices: [String: Int] = [:]
    /// The number of jobs that have not started.
    private(set) var count: Int

    /// The jobs, in the order in which they should start.
    init(_ jobs: [Job], host: (Job) -> String) {
        self.jobs = jobs
        count = jobs.count
        for (number, job) in jobs.enumerated() {
            let name = host(job)
            let index = indices[name] ?? hosts.count
            if index == hosts.count {
                indices[name] = index
                hosts.append(Host(name: name))
            }
            hosts[index].waiting.append(number)
        }
        for index in hosts.indices { hosts[index].waiting.reverse() }
    }

    /// Takes the next job, whose host counts as busy until it has ended; nil if there is none.
    mutating func next() -> (job: Job, host: String)? {
        guard let index = first(where: { $0.running == 0 }) ?? first(where: { _ in true }),
            let number = hosts[index].waiting.popLast()
        else { return nil }
        hosts[index].running += 1
        count -= 1
        return (jobs[number], hosts[index].name)
    }

    /// A job at that host has ended.
    mutating func end(at host: String) {
        guard let index = indices[host], hosts[index].running > 0 else { return }
        hosts[index].running -= 1
    }

    /// The host with the earliest job, among those that fit.
    private func first(where fits: (borrowing Host) -> Bool) -> Int? {
        var earliest: (index: Int, number: Int)?
        for index in hosts.indices {
            guard let number = hosts[index].waiting.last, fits(hosts[index]) else { continue }
            if earliest.map({ number < $0.number }) ?? true { earliest = (index, number) }
        }
        return earliest?.index
    }
}

extension JobQueue where Job: Sendable {
    /// Performs jobs, several at a time, until none is left or no more may begin.
    ///
    /// - Parameters:
    ///   - executor: The preferred executor of the jobs, so that their code wakes no other thread.
    ///   - mayBegin: False if no more jobs may begin.
    ///   - begin: Called before each job.
    ///   - end: Called with the result of each job, before the next one begins. Calls do not overlap.
    mutating func perform<Result: Sendable>(
        atOnce most: Int, on executor: any TaskExecutor, while mayBegin: () -> Bool, begin: (Job) -> Void,
        _ job: @escaping @Sendable (Job) async -> Result, end: (Result) async -> Void
    ) async {
        await withTaskGroup(of: (Result, String).self) { group in
            func beginNext() {
                guard !Task.isCancelled, mayBegin(), let (next, host) = self.next() else { return }
                begin(next)
                group.addTask(executorPreference: executor) { (await job(next), host) }
            }
            for _ in 0..<most { beginNext() }
            for await (result, host) in group {
                self.end(at: host)
                await end(result)
                beginNext()
            }
        }
    }
}
