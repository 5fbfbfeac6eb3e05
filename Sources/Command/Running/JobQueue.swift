/// Which feed is next: in order, but feeds of idle hosts come before feeds that would wait for their host.
///
/// So a slow host takes only the places that no other host can use.
struct JobQueue<Job> {
    private var waiting: [(job: Job, host: String)]
    private var busy: [String: Int] = [:]

    /// The jobs, in the order in which they should start.
    init(_ jobs: [Job], host: (Job) -> String) {
        waiting = jobs.map { ($0, host($0)) }
    }

    /// How many have not started.
    var count: Int { waiting.count }

    /// Takes the next one, whose host counts as busy until it has ended; nil if there is none.
    mutating func next() -> (job: Job, host: String)? {
        guard !waiting.isEmpty else { return nil }
        let next = waiting.remove(at: waiting.firstIndex { busy[$0.host] == nil } ?? 0)
        busy[next.host, default: 0] += 1
        return next
    }

    /// A job at that host has ended.
    mutating func end(at host: String) {
        busy[host] = busy[host].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
}
