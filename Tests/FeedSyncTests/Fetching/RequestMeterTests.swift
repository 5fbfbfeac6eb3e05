import Testing

@testable import Upstream

@Suite("The count of what requests cost")
struct RequestMeterTests {
    private func reading(_ resource: String, _ remaining: Int64) -> QuotaReading {
        QuotaReading(origin: "https://a.b", credential: 0, resource: resource, remaining: remaining)
    }

    @Test("A meter counts a part's requests in the whole, too, and begins anew when it is taken")
    func parts() {
        let run = RequestMeter()
        let discovery = RequestMeter(within: run)
        run.add(FetchCost(requestCount: 1, byteCount: 10))
        discovery.add(FetchCost(requestCount: 2, byteCount: 20))
        #expect(discovery.cost.requestCount == 2 && discovery.cost.byteCount == 20)
        let taken = run.take()
        #expect(taken.requestCount == 3 && taken.byteCount == 30)
        #expect(run.cost.requestCount == 0 && discovery.cost.requestCount == 2)
    }

    @Test("A meter keeps the last word on each quota, the latest at the end")
    func quotas() {
        let meter = RequestMeter()
        for (resource, remaining) in [("core", 9), ("search", 5), ("core", 8)] as [(String, Int64)] {
            meter.add(FetchCost(quota: [reading(resource, remaining)]))
        }
        #expect(meter.take().quota == [reading("search", 5), reading("core", 8)])
        #expect(meter.cost.quota.isEmpty)
    }
}
