import HTTP
import Testing

@testable import Upstream

@Suite("The turns of requests")
struct RequestPacerTests {
    @Test("The first request goes at once, each further one an interval later; time that passed counts")
    func spacing() throws {
        let pacer = RequestPacer()
        let origin = try Origin("https://a.example")
        let now = ContinuousClock.now
        let wait = { (pacer: RequestPacer, now: ContinuousClock.Instant) in
            pacer.wait(for: origin, interval: .milliseconds(500), now: now)
        }
        #expect(wait(pacer, now) == .zero)
        #expect(wait(pacer, now) == .milliseconds(500))
        #expect(wait(pacer, now + .milliseconds(200)) == .milliseconds(800))
        #expect(wait(pacer, now + .seconds(60)) == .zero)
        #expect(try pacer.wait(for: Origin("https://b.example"), interval: .seconds(1), now: now) == .zero)
    }
}
