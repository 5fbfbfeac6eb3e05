import SeededGenerator
import Testing

@testable import Crawling

@Suite struct PlannerTests {
    private static let start: Int64 = 1_795_000_000_000
    private static let minute: Int64 = 60_000
    private static let hour = 60 * minute
    private static let day = 24 * hour

    /// A feed whose last round took ten seconds, changed by `change`.
    private static func history(_ change: (inout FeedHistory) -> Void = { _ in }) -> FeedHistory {
        var history = FeedHistory(feed: "things")
        history.lastSyncStartedAt = start
        history.lastSyncEndedAt = start + 10_000
        history.nextDueAt = start + 1
        history.plannedDueAt = start + 1
        change(&history)
        return history
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var every: Duration?
        var history: FeedHistory
        let interval: Int64
        let terms: [Plan.Term.Name]
    }

    @Test(
        "The interval is `every`, raised by whatever counts",
        arguments: [
            Case(
                testDescription: "nothing known: the default", history: history(), interval: 15 * minute,
                terms: [.every, .jitter]),
            Case(
                testDescription: "every", every: .seconds(3600), history: history(), interval: hour,
                terms: [.every, .jitter]),
            Case(
                testDescription: "a longer freshness", history: history { $0.freshFor = 7200 }, interval: 2 * hour,
                terms: [.every, .freshness, .jitter]),
            Case(
                testDescription: "a shorter freshness", history: history { $0.freshFor = 60 }, interval: 15 * minute,
                terms: [.every, .jitter]),
            Case(
                testDescription: "freshness beyond a day", history: history { $0.freshFor = 365 * 86_400 },
                interval: day, terms: [.every, .freshness, .jitter]),
            Case(
                testDescription: "freshness counts only without every", every: .seconds(60),
                history: history { $0.freshFor = 7200 }, interval: minute, terms: [.every, .jitter]),
            Case(
                testDescription: "a poll interval", every: .seconds(60), history: history { $0.pollInterval = 300 },
                interval: 5 * minute, terms: [.every, .pollInterval, .jitter]),
            Case(
                testDescription: "a poll interval beyond a day", every: .seconds(60),
                history: history { $0.pollInterval = .max }, interval: day, terms: [.every, .pollInterval, .jitter]),
            Case(
                testDescription: "one failure", history: history { $0.failures = 1 }, interval: 15 * minute,
                terms: [.every, .jitter]),
            Case(
                testDescription: "three failures", history: history { $0.failures = 3 }, interval: hour,
                terms: [.every, .backOff, .jitter]),
            Case(
                testDescription: "failure for months", history: history { $0.failures = .max }, interval: day,
                terms: [.every, .backOff, .jitter]),
            Case(
                testDescription: "failure of a weekly feed", every: .seconds(7 * 86_400),
                history: history { $0.failures = 9 }, interval: 7 * day, terms: [.every, .backOff, .jitter]),
        ])
    func interval(_ row: Case) {
        let plan = Planner.plan(row.history, every: row.every)
        #expect(plan.interval == row.interval)
        #expect(plan.terms.map(\.name) == row.terms)
        #expect((plan.dueAt ?? 0) >= Self.start + row.interval)
        #expect((plan.dueAt ?? 0) <= Self.start + row.interval + max(row.interval / 10, 10_000))
    }

    @Test("Without a round a feed is due at once, unless its host wants no request")
    func never() {
        let plan = Planner.plan(FeedHistory(feed: "things"), every: nil)
        #expect(plan.dueAt == nil)
        #expect(plan.isDue(at: .min))
        var history = FeedHistory(feed: "things")
        history.blockedUntil = Self.start
        let blocked = Planner.plan(history, every: nil)
        #expect(!blocked.isDue(at: Self.start - 1))
        #expect(blocked.isDue(at: Self.start))
        #expect(blocked.terms.map(\.name) == [.never, .blockedUntil])
    }

    @Test("A host's wait is kept in full, our own interval up to a tenth less")
    func taken() {
        let own = Planner.plan(Self.history(), every: .seconds(900))
        #expect(own.isDue(at: Self.start + 15 * Self.minute))
        #expect(!own.isDue(at: Self.start + 13 * Self.minute))
        let polled = Planner.plan(Self.history { $0.pollInterval = 900 }, every: .seconds(900))
        #expect(!polled.isDue(at: Self.start + 10_000 + 15 * Self.minute - 1))
        let until = Self.start + Self.hour
        let blocked = Planner.plan(Self.history { $0.blockedUntil = until }, every: .seconds(900))
        #expect(blocked.dueAt == until)
        #expect(!blocked.isDue(at: until - 1))
        #expect(blocked.terms.last?.name == .blockedUntil)
        // A block that ends between the two times is still a block.
        let late = Self.start + 14 * Self.minute
        #expect(!Planner.plan(Self.history { $0.blockedUntil = late }, every: .seconds(900)).isDue(at: late - 1))
    }

    @Test("A time that somebody wrote into the store is kept, and a block still holds")
    func byHand() {
        let set = Planner.plan(Self.history { $0.nextDueAt = Self.start + 5 }, every: .seconds(900))
        #expect(set.dueAt == Self.start + 5)
        #expect(set.terms.map(\.name) == [.nextDueAt])
        let cleared = Self.history {
            $0.nextDueAt = nil
            $0.blockedUntil = Self.start + 9
        }
        #expect(Planner.plan(cleared, every: nil).takenFrom == Self.start + 9)
    }

    @Test("Jitter is the same for the same round, and differs between feeds and rounds")
    func jitter() {
        let due = { (name: String, start: Int64) in
            Planner.plan(
                Self.history {
                    $0.feed = name
                    $0.lastSyncStartedAt = start
                }, every: .seconds(36_000)
            ).dueAt.map { $0 - start }
        }
        #expect(due("a", Self.start) == due("a", Self.start))
        #expect(Set((0..<100).map { due("feed-\($0)", Self.start) }).count > 95)
        #expect(Set((0..<100).map { due("a", Self.start + $0) }).count > 95)
    }

    @Test("The next time is never earlier than any floor, whatever is known", arguments: 0..<64 as Range<UInt64>)
    func floors(_ seed: UInt64) {
        var random = SeededGenerator(seed)
        for _ in 0..<200 {
            let history = Self.arbitrary(&random)
            let every: Duration? =
                Bool.random(using: &random)
                ? nil : .milliseconds(Int64.random(in: 1...315_360_000_000, using: &random))
            let plan = Planner.plan(history, every: every)
            let comment: Comment = "seed \(seed): \(history), every \(String(describing: every))"
            let ended = max(history.lastSyncStartedAt ?? .min, history.lastSyncEndedAt ?? .min)
            for time in [plan.dueAt, plan.takenFrom].compactMap(\.self) {
                if let until = history.blockedUntil { #expect(time >= until, comment) }
                if !history.isSetByHand, history.lastSyncStartedAt != nil, let poll = history.pollInterval, poll > 0 {
                    #expect(time >= ended.clampedSum(min(poll, 86_400) * 1000), comment)
                }
            }
            #expect((plan.takenFrom ?? .min) <= (plan.dueAt ?? .min), comment)
            guard !history.isSetByHand, let start = history.lastSyncStartedAt else { continue }
            let own = every.map { Int64($0 / .milliseconds(1)) } ?? Planner.standardInterval
            #expect((plan.dueAt ?? .min) >= start.clampedSum(own), comment)
            #expect((plan.takenFrom ?? .min) >= start.clampedSum(own - own / 10), comment)
        }
    }

    private static func arbitrary(_ random: inout SeededGenerator) -> FeedHistory {
        var history = FeedHistory(feed: "feed-\(random.next() % 100)")
        func sometimes(_ range: ClosedRange<Int64>) -> Int64? {
            switch random.next() % 8 {
            case 0: nil
            case 1: .max
            case 2: .min
            default: Int64.random(in: range, using: &random)
            }
        }
        history.lastSyncStartedAt = sometimes(start...start + day)
        history.lastSyncEndedAt = sometimes(start...start + 2 * day)
        history.failures = Int(random.next() % 80)
        history.failingSince = sometimes(start...start + day)
        history.pollInterval = sometimes(0...200_000)
        history.freshFor = sometimes(0...200_000)
        history.blockedUntil = sometimes(start...start + 3 * day)
        history.nextDueAt = sometimes(start...start + day)
        history.plannedDueAt = Bool.random(using: &random) ? history.nextDueAt : sometimes(start...start + day)
        return history
    }
}
