import Testing

@testable import SQLite

@Suite("The wait for a lock")
struct PatienceTests {
    /// The number of tries for a lock that stays, a millisecond apart; the clock goes on.
    private func tries(_ patience: inout Patience, _ now: inout Int64) -> Int {
        var count = 0
        while patience.mayTry(again: count, at: now) {
            count += 1
            now += 1
        }
        return count
    }

    @Test("A wait for a lock after a failed one is half as long, so that many take twice as long as one")
    func many() {
        var patience = Patience(tries: 5_000)
        var now: Int64 = 0
        let waits = (1...20).map { _ in tries(&patience, &now) }
        #expect(waits.prefix(4) == [5_000, 2_500, 1_250, 625])
        #expect(waits.reduce(0, +) <= 10_000)
    }

    @Test("A wait for a lock is as long as ever once the last failed one is that long ago")
    func later() {
        var patience = Patience(tries: 5_000)
        var now: Int64 = 0
        _ = tries(&patience, &now)
        _ = tries(&patience, &now)
        now += 5_001
        #expect(tries(&patience, &now) == 5_000)
    }
}
