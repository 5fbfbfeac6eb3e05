import Testing

@testable import Fleet

@Suite("The pace at which a worker makes the views")
struct ViewPaceTests {
    private let start = ContinuousClock.now

    private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    private func begins(_ pace: inout ViewPace, _ now: ContinuousClock.Instant) -> Bool { pace.mayBegin(at: now) }

    @Test("Views are made at once, then after ten times as long as they took; they are owed meanwhile")
    func pause() {
        var pace = ViewPace()
        #expect(begins(&pace, at(0)) == true)
        pace.ended(at: at(2), after: .seconds(2))
        #expect(!pace.isOwed)
        #expect(begins(&pace, at(3)) == false)
        #expect(begins(&pace, at(21)) == false)
        #expect(pace.isOwed)
        #expect(begins(&pace, at(22)) == true)
        #expect(!pace.isOwed)
    }

    @Test("Views are made by one group at a time, and owed to those that come meanwhile")
    func oneAtATime() {
        var pace = ViewPace()
        #expect(begins(&pace, at(0)) == true)
        #expect(begins(&pace, at(1)) == false)
        pace.ended(at: at(1), after: .zero)
        #expect(pace.isOwed)
        #expect(begins(&pace, at(1)) == true)
    }
}
