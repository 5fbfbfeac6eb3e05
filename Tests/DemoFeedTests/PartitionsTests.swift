import HTTPServer
import Testing

@testable import DemoFeed

@Suite struct PartitionsTests {
    @Test("The generator gives the numbers of the reference implementation")
    func splitMix() {
        var random = SplitMix64(seed: 1_234_567)
        #expect(random.next() == 6_457_827_717_110_365_317)
        #expect(random.next() == 3_203_168_211_198_807_973)
    }

    @Test("A spent quota refuses until its hour is over")
    func quota() {
        let quota = Quota(now: { 1_000 })
        #expect(quota.spend(Quota.limit).isGranted)
        #expect(!quota.spend(1).isGranted)
        #expect(quota.spend(0).isGranted)
        let fields = quota.spend(1).headers.map { "\($0.name): \($0.value)" }
        #expect(fields.contains("X-RateLimit-Remaining: 0"))
        #expect(fields.contains("X-RateLimit-Reset: 4600"))
    }

    @Test(
        "A condition names a tag weakly, in a list, or as anything",
        arguments: [
            (#"W/"a""#, true), (#""a""#, true), (#""b", W/"a" "#, true), ("*", true), ("", false), (#""b""#, false),
        ])
    func conditions(condition: String, holds: Bool) {
        let request = ServerRequest(target: "/", headers: [(name: "If-None-Match", value: condition)])
        #expect(request.knows(tag: #"W/"a""#) == holds)
    }
}
