import Testing

@testable import Crawling

@Suite("The state of a feed") struct MirrorStateTests {
    private static let now: Int64 = 1_795_000_000_000
    private static let hour: Int64 = 3_600_000

    /// A complete feed that is due in an hour, changed by `change`.
    private static func facts(_ change: (inout FeedFacts) -> Void = { _ in }) -> FeedFacts {
        var facts = FeedFacts()
        facts.isLoaded = true
        facts.wasCrawled = true
        facts.isComplete = true
        facts.dueAt = now + hour
        facts.interval = hour
        change(&facts)
        return facts
    }

    /// Each makes a fact worse; together they are all that can be wrong with a feed, the gravest first.
    private static let changes: [(change: @Sendable (inout FeedFacts) -> Void, state: MirrorState)] = [
        ({ $0.isRunning = true }, .running),
        (
            {
                $0.failures = 3; $0.failingSince = now - hour
            }, .failing(times: 3, since: now - hour)
        ),
        ({ $0.blockedUntil = now + hour }, .limited(until: now + hour)),
        ({ $0.isLoaded = false }, .new),
        (
            {
                $0.wasCrawled = false; $0.isComplete = false
            }, .loading
        ),
        ({ $0.dueAt = now - hour - 1 }, .stale(since: now - hour - 1)),
        ({ $0.isComplete = false }, .incomplete(nil)),
        ({ _ in }, .fresh),
    ]

    @Test("The state is the first that holds: running, failing, limited, new, loading, stale, incomplete, fresh")
    func order() {
        for index in Self.changes.indices {
            let alone = Self.facts(Self.changes[index].change)
            #expect(MirrorState(alone, now: Self.now) == Self.changes[index].state)
            let withLesserOnes = Self.facts { facts in for row in Self.changes[index...] { row.change(&facts) } }
            #expect(MirrorState(withLesserOnes, now: Self.now) == Self.changes[index].state)
        }
        #expect(
            Self.changes.map(\.state.word) == [
                "running", "failing", "limited", "new", "loading", "stale", "incomplete", "fresh",
            ])
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let facts: FeedFacts
        let state: MirrorState
    }

    @Test(
        "The state depends on the place of the border",
        arguments: [
            Case(testDescription: "nothing is known", facts: FeedFacts(), state: .new),
            Case(
                testDescription: "the block has just ended",
                facts: facts {
                    $0.blockedUntil = now
                    $0.dueAt = now
                }, state: .fresh),
            Case(
                testDescription: "a block that ends before the feed is due",
                facts: facts { $0.blockedUntil = now + hour - 1 }, state: .fresh),
            Case(
                testDescription: "a block while items are missing",
                facts: facts {
                    $0.blockedUntil = now + 1
                    $0.isComplete = false
                }, state: .limited(until: now + 1)),
            Case(
                testDescription: "a block of a feed that is due at once",
                facts: facts {
                    $0.blockedUntil = now + 1
                    $0.dueAt = nil
                }, state: .limited(until: now + 1)),
            Case(
                testDescription: "due, but for no longer than an interval",
                facts: facts { $0.dueAt = now - hour }, state: .fresh),
            Case(
                testDescription: "due at the end of time",
                facts: facts {
                    $0.dueAt = .max; $0.interval = .max
                }, state: .fresh),
            Case(testDescription: "no plan", facts: facts { $0.dueAt = nil }, state: .fresh),
            Case(
                testDescription: "a first load that was cut off",
                facts: facts {
                    $0.isComplete = false; $0.wasCrawled = false; $0.incompleteReason = .cutOff
                },
                state: .loading),
            Case(
                testDescription: "a first load that ended before the list did",
                facts: facts {
                    $0.isComplete = false; $0.wasCrawled = false; $0.incompleteReason = .cap
                },
                state: .incomplete(.cap)),
            Case(testDescription: "complete by `more --all`", facts: facts { $0.wasCrawled = false }, state: .fresh),
        ])
    func borders(_ row: Case) {
        #expect(MirrorState(row.facts, now: Self.now) == row.state)
    }
}
