internal import Crawling
internal import Feeds
internal import SeededGenerator

/// The times at which each feed was synced and is due, by the planner, in milliseconds since 1970.
struct FeedTimes {
    private let model: Model
    private var startedAt: [Int64] = []
    private var endedAt: [Int64]
    private(set) var dueAt: [Int64]
    private var failures: [Int32]
    private var failingSince: [Int64]
    /// Until when a host wants no request.
    private(set) var blockedUntil: [Int64]

    /// Feeds that have been synced for long: each is somewhere between its last round and its next.
    init(_ model: Model, now: Int64, seed: UInt64) {
        self.model = model
        let count = model.every.count
        var generator = SeededGenerator(seed ^ 0x5EED)
        startedAt = model.every.map { now - Int64.random(in: 0..<$0, using: &generator) }
        endedAt = startedAt.map { $0 + 1000 }
        dueAt = startedAt
        failures = Array(repeating: 0, count: count)
        failingSince = Array(repeating: 0, count: count)
        blockedUntil = Array(repeating: 0, count: model.hosts.count)
        for feed in 0..<count { dueAt[feed] = plan(feed).dueAt ?? now }
    }

    /// The planner's result for a feed's history.
    func plan(_ feed: Int) -> Plan {
        var history = FeedHistory(feed: model.name(of: feed))
        history.lastSyncStartedAt = startedAt[feed]
        history.lastSyncEndedAt = endedAt[feed]
        history.isLoaded = true
        history.nextDueAt = dueAt[feed]
        history.plannedDueAt = dueAt[feed]
        history.failures = Int(failures[feed])
        if failures[feed] > 0 { history.failingSince = failingSince[feed] }
        let blocked = blockedUntil[Int(model.hostOf[feed])]
        if blocked > 0 { history.blockedUntil = blocked }
        return Planner.plan(history, every: .milliseconds(model.every[feed]))
    }

    /// True if the feed may be due: a rule of thumb that leaves none out.
    func mayBeDue(_ feed: Int, at now: Int64) -> Bool {
        startedAt[feed] + model.every[feed] - model.every[feed] / 10 <= now
    }

    /// Takes note of a round, and plans the next.
    mutating func end(_ feed: Int, startedAt start: Int64, at now: Int64, hasFailed: Bool) {
        startedAt[feed] = start
        endedAt[feed] = now
        if hasFailed {
            if failures[feed] == 0 { failingSince[feed] = now }
            failures[feed] += 1
        } else {
            failures[feed] = 0
        }
        dueAt[feed] = plan(feed).dueAt ?? now
    }

    /// Takes note that the feed's host wants no request for a while: no round, as the sync was cut off.
    mutating func block(_ feed: Int, until: Int64) {
        blockedUntil[Int(model.hostOf[feed])] = until
        dueAt[feed] = plan(feed).dueAt ?? until
    }

    /// The start of the last round.
    func lastRound(of feed: Int) -> Int64 { startedAt[feed] }

    /// True if its last round failed.
    func isFailing(_ feed: Int) -> Bool { failures[feed] > 0 }
}
