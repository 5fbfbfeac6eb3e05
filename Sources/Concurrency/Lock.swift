internal import Platform

/// A small mutual-exclusion lock around one value.
///
/// `Synchronization.Mutex` would do, but ThreadSanitizer on Linux does not see its futex and reports false
/// races; it does see `pthread_mutex_t`.
///
/// - Isolation: any thread. The lock blocks, so hold it for a few instructions only and never across an `await`.
public final class Lock<Value>: @unchecked Sendable {
    // Sendable: `value` is read and written only between pthread_mutex_lock and pthread_mutex_unlock.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    /// Guards `value`.
    public init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with the value, to the exclusion of all other threads.
    ///
    /// - Throws: the error of `body`.
    public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
