internal import Concurrency

/// Wrong tokens: each takes a while, the longer the more there are at once, and is reported.
final class WrongTokens: Sendable {
    private struct State {
        var waiting = 0
        var untold = 0
        var toldAt: ContinuousClock.Instant?
    }

    private let pause: Duration
    private let report: @Sendable (String) -> Void
    private let state = Lock(State())

    /// More at once take no longer.
    private static let mostPauses = 30

    init(pause: Duration, report: @escaping @Sendable (String) -> Void) {
        (self.pause, self.report) = (pause, report)
    }

    /// Waits for as long as one more costs.
    func pay(by client: String?) async {
        let (count, line) = state.withLock { state in
            state.waiting += 1
            state.untold += 1
            return (state.waiting, Self.line(&state, client, now: .now))
        }
        if let line { report(line) }
        try? await Task.sleep(for: pause * min(count, Self.mostPauses))
        state.withLock { $0.waiting -= 1 }
    }

    /// The report that is due: of the first one at once, of others once a minute.
    private static func line(_ state: inout State, _ client: String?, now: ContinuousClock.Instant) -> String? {
        if let toldAt = state.toldAt, now - toldAt < .seconds(60) { return nil }
        defer { (state.untold, state.toldAt) = (0, now) }
        let who = client ?? "a client of the socket file"
        return state.untold == 1 ? "a wrong token, from \(who)" : "\(state.untold) wrong tokens, the last from \(who)"
    }
}
