/// The parameters of the simulation.
struct Options {
    var feeds = 1_000_000
    var workers = 100
    var jobs = 16
    /// None: a tenth of the feeds.
    var hosts: Int?
    var minutes = 5
    var seed: UInt64 = 1
    /// The median of hosts' latencies, in milliseconds.
    var latency = 200
    /// Of a hundred hosts, those that fail for a while, and those that have a quota.
    var failing = 2
    var limited = 1
    /// The number of workers that die and come back in an hour; nil for each of them once in two hours.
    var deaths: Int?
    /// The interval at which a group's rows are really read into a file.
    var fills = 50
    var cores = 2
    /// True to begin with fewer feeds, and to continue to `feeds` by factors of ten.
    var isLadder = false
    var folder = ""
    /// Feeds' intervals in seconds, and how many of a hundred feeds have them.
    let intervals: [(seconds: Int64, share: Int)] = [(900, 10), (3_600, 20), (21_600, 30), (86_400, 40)]

    static let usage = """
        usage: Scripts/simulate [--feeds N] [--workers N] [--jobs N] [--hosts N] [--minutes N] [--seed N] [--latency MS]
                   [--failing PERCENT] [--limited PERCENT] [--deaths N] [--fills N] [--cores N] [--ladder]
        """

    /// - Returns: Nil for words that it does not know.
    init?(_ words: [String]) {
        var words = words[...]
        while let word = words.popFirst() {
            if word == "--ladder" {
                isLadder = true
                continue
            }
            guard let value = words.popFirst() else { return nil }
            if word == "--folder" {
                folder = value
                continue
            }
            guard let number = Int(value), number >= 0 else { return nil }
            switch word {
            case "--feeds": feeds = max(number, 1)
            case "--workers": workers = max(number, 1)
            case "--jobs": jobs = max(number, 1)
            case "--hosts": hosts = max(number, 1)
            case "--minutes": minutes = max(number, 1)
            case "--seed": seed = UInt64(number)
            case "--latency": latency = max(number, 1)
            case "--failing": failing = number
            case "--limited": limited = number
            case "--deaths": deaths = number
            case "--fills": fills = number
            case "--cores": cores = max(number, 1)
            default: return nil
            }
        }
        guard !folder.isEmpty else { return nil }
    }

    /// One for each step of the ladder, in order.
    var steps: [Options] {
        guard isLadder else { return [self] }
        let steps = [100, 10, 1].map { part in
            var step = self
            step.feeds = max(feeds / part, 1)
            step.workers = max(workers / part, 1)
            step.hosts = hosts.map { max($0 / part, 1) }
            step.deaths = deaths.map { $0 / part }
            return step
        }
        return steps
    }
}
