import Concurrency
import Platform
import Synchronization
import Testing

@Suite("A reply")
struct ReplyTests {
    /// A value made by a thread without a lock, as the transfer loop makes a page.
    private final class Page: @unchecked Sendable {
        // Sendable: only the thread that makes it writes, and before it hands it over.
        var number = 0
    }

    private final class Order: Sendable {
        let reply: Reply<Page>
        // Relaxed: it orders nothing but what the test waits for.
        let isDone = Atomic(false)

        init(_ reply: Reply<Page>) { self.reply = reply }
    }

    /// `Scripts/sanitize thread` sees a race here where a continuation alone brings the page.
    @Test("A reply brings the other thread's value, even if it is there before anybody waits for it")
    func isThereBefore() async {
        let page = await Reply<Page>.wait { reply in
            let order = Order(reply)
            let thread = platform_start_thread(
                { order in
                    guard let order else { return nil }
                    let taken = Unmanaged<Order>.fromOpaque(order).takeRetainedValue()
                    let page = Page()
                    page.number = 7
                    taken.reply.resume(returning: page)
                    taken.isDone.store(true, ordering: .relaxed)
                    return nil
                }, Unmanaged.passRetained(order).toOpaque())
            platform_detach_thread(thread)
            while !order.isDone.load(ordering: .relaxed) { sched_yield() }
        }
        #expect(page.number == 7)
    }
}
