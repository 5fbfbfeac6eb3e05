/// A value that one task waits for and another thread delivers, once.
///
/// It is a continuation with a lock. If the value arrives before its task is suspended, Swift's runtime orders the two
/// by an atomic that ThreadSanitizer does not see; the sanitizer does see the lock.
package struct Reply<Value: Sendable>: Sendable {
    private let continuation: CheckedContinuation<Value, Never>
    private let isGiven: Lock<Bool>

    /// Brings the value; once.
    ///
    /// - Isolation: any thread.
    package func resume(returning value: Value) {
        isGiven.withLock { $0 = true }
        continuation.resume(returning: value)
    }

    /// Tells `ask` where to bring the value, and waits for it.
    ///
    /// - Isolation: the caller's, `ask` too; an actor with a thread of its own is woken once.
    package static func wait(
        _ ask: (Reply) -> Void
    ) async -> Value {
        let isGiven = Lock(false)
        let value = await withCheckedContinuation { continuation in
            ask(Reply(continuation: continuation, isGiven: isGiven))
        }
        isGiven.withLock { _ = $0 }
        return value
    }
}

extension Result {
    /// The result of an asynchronous body, as `init(catching:)` makes it of any other.
    package init(_ body: () async throws(Failure) -> Success) async {
        do throws(Failure) { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
