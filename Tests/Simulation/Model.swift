internal import Feeds
internal import Fleet
internal import SeededGenerator
internal import Text

/// Feeds, their hosts, and the hosts' behaviour: all that chance decides, and the same for the same seed.
struct Model {
    /// A host with the feeds that follow one another from `first`.
    struct Host {
        let name: String
        let first: Int
        var count = 0
        /// The duration of a page, in milliseconds.
        let latency: Int64
        /// The start of its failure, in milliseconds from the start.
        let failing: Range<Int64>
        /// The number of requests permitted in a quarter of an hour; nil for any number.
        let quota: Int?
        /// The share of its time that its feeds take.
        var load = 0.0

        var feeds: Range<Int> { first..<first + count }
    }

    let hosts: [Host]
    /// Of each feed its host and its interval in milliseconds.
    let hostOf: [Int32]
    let every: [Int64]
    private let seed: UInt64

    /// The time for reading a group's rows, the wait for a failing host, and the window of quotas.
    static let filling: Int64 = 50
    static let timeout: Int64 = 10_000
    static let window: Int64 = 900_000
    /// The pages of a sync: mostly one.
    static let meanPages = 1.75

    init(_ options: Options) {
        var generator = SeededGenerator(options.seed)
        seed = options.seed
        let count = min(options.hosts ?? max(options.feeds / 10, 1), options.feeds)
        let sizes = Self.sizes(of: count, feeds: options.feeds)
        let end = Int64(options.minutes) * 60_000
        var hosts: [Host] = []
        var hostOf: [Int32] = []
        var every: [Int64] = []
        for (index, size) in sizes.enumerated() {
            let isFailing = Int.random(in: 0..<100, using: &generator) < options.failing
            let start = Int64.random(in: 0...end, using: &generator)
            let length = Int64.random(in: 300_000...1_800_000, using: &generator)
            let isLimited = Int.random(in: 0..<100, using: &generator) < options.limited
            var host = Host(
                name: "https://h\(index).example", first: every.count, count: size,
                latency: Self.latency(options.latency, &generator), failing: isFailing ? start..<start + length : 0..<0,
                quota: isLimited ? 20 : nil)
            for _ in 0..<size {
                let interval = Self.interval(options, &generator)
                host.load += Double(host.latency) * Self.meanPages / Double(interval)
                every.append(interval)
                hostOf.append(Int32(index))
            }
            hosts.append(host)
        }
        self.hosts = hosts
        self.hostOf = hostOf
        self.every = every
    }

    /// Few hosts with many feeds, and many with few: shares fall with the rank (Zipf, 0.8).
    private static func sizes(of count: Int, feeds: Int) -> [Int] {
        let weights = (1...count).map { 1 / power(Double($0), 0.8) }
        let sum = weights.reduce(0, +)
        // Each has one, and the weights share out the rest.
        var sizes = weights.map { 1 + Int(Double(feeds - count) * $0 / sum) }
        var rest = feeds - sizes.reduce(0, +)
        var index = count - 1
        while rest > 0 {
            sizes[index] += 1
            rest -= 1
            index = index == 0 ? count - 1 : index - 1
        }
        return sizes
    }

    /// Log-normal; the sum of twelve uniform numbers is near enough to a normal one.
    private static func latency(_ median: Int, _ generator: inout SeededGenerator) -> Int64 {
        let normal = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &generator) }
        return max(Int64(Double(median) * exponential(0.8 * normal)), 1)
    }

    private static func interval(_ options: Options, _ generator: inout SeededGenerator) -> Int64 {
        var pick = Int.random(in: 0..<100, using: &generator)
        for (seconds, share) in options.intervals {
            pick -= share
            if pick < 0 { return seconds * 1000 }
        }
        return 86_400_000
    }

    /// The pages of a feed's round, independent of all else: one, or in one of four rounds two to six.
    func pages(of feed: Int, round: Int64) -> Int64 {
        var generator = SeededGenerator(
            seed ^ UInt64(truncatingIfNeeded: feed &* 1_000_003) ^ UInt64(bitPattern: round))
        guard Int.random(in: 0..<4, using: &generator) == 0 else { return 1 }
        return Int64.random(in: 2...6, using: &generator)
    }

    /// A feed's name; `Int` of it without its first letter is its number.
    func name(of feed: Int) -> String { "f\(feed)" }

    /// The groups that workers claim.
    var groups: [FeedGroup] {
        hosts.map { host in FeedGroup(name: host.name, feeds: host.feeds.map(name)) }
    }

    /// The decisions of chance, as a hash.
    var digest: String {
        var hash = FNV1a()
        for host in hosts { hash.add("\(host.first) \(host.latency) \(host.failing) \(host.quota ?? 0)\n".utf8) }
        for interval in every { hash.add("\(interval)".utf8) }
        return hash.digits
    }
}
