import Testing

@testable import HTTP

@Suite("The queue of an origin") struct OriginQueuesTests {
    private let origin = Origin(scheme: "https", host: "example.com", port: 443)
    private var queues = OriginQueues<Int>()

    @Test("Transfers of an origin start in order of arrival, one for each that ends")
    mutating func order() {
        for id in 1...3 { queues.enqueue(id, at: origin, limit: 1) }
        #expect(queues.next(at: origin) == 1)
        #expect(queues.next(at: origin) == nil)
        queues.finish(at: origin)
        #expect(queues.next(at: origin) == 2)
        queues.withdraw(3, from: origin)
        queues.finish(at: origin)
        #expect(queues.next(at: origin) == nil)
    }

    @Test("A transfer that allows more at once does not overtake one that does not")
    mutating func mixedLimits() {
        queues.enqueue(1, at: origin, limit: 2)
        queues.enqueue(2, at: origin, limit: 1)
        queues.enqueue(3, at: origin, limit: 2)
        #expect(queues.next(at: origin) == 1)
        #expect(queues.next(at: origin) == nil)
        queues.finish(at: origin)
        #expect(queues.next(at: origin) == 2)
        #expect(queues.next(at: origin) == 3)
    }

    @Test("A transfer of an origin always starts, whatever the limit")
    mutating func absurdLimit() {
        queues.enqueue(1, at: origin, limit: -5)
        #expect(queues.next(at: origin) == 1)
    }
}
