internal import Platform
internal import PostgreSQL
internal import PostgreSQLStore

/// The connections to PostgreSQL of a worker's jobs: a few for all of them.
///
/// With a connection for each and one more, a job keeps its own, and works on while PostgreSQL commits. If there are
/// more jobs, each has one for as long as a commit takes.
///
/// - Isolation: any thread. `take` blocks until a connection is free.
final class ConnectionPool: @unchecked Sendable {
    // Sendable: the state is read and written only between pthread_mutex_lock and pthread_mutex_unlock, and a
    // connection is either in the pool or in one loan.
    private let uri: String
    private let limit: Int
    /// True if not every job can keep a connection.
    let isShared: Bool
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let freed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var free: [StoreDatabase] = []
    private var taken = 0

    /// A connection that belongs to its owner until it is released.
    final class Loan {
        let store: StoreDatabase
        private let pool: ConnectionPool

        fileprivate init(_ store: StoreDatabase, of pool: ConnectionPool) { (self.store, self.pool) = (store, pool) }

        deinit { pool.give(store) }
    }

    /// - Parameters:
    ///   - limit: The most connections at a time.
    ///   - jobs: The most jobs at a time.
    init(uri: String, limit: Int, jobs: Int) {
        (self.uri, self.limit, isShared) = (uri, limit, jobs >= limit)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(freed, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        pthread_cond_destroy(freed)
        mutex.deallocate()
        freed.deallocate()
    }

    /// A connection for a worker's commits.
    ///
    /// - Throws: `PostgreSQLError` if none can be made.
    func take() throws(PostgreSQLError) -> Loan {
        if let known = wait() { return Loan(known, of: self) }
        do throws(PostgreSQLError) {
            let made = try StoreDatabase(uri: uri)
            // The worker itself records when its feeds are due.
            try made.connection.execute("SET feedsync.worker = 'on'; \(Worker.limits)")
            return Loan(made, of: self)
        } catch {
            give(nil)
            throw error
        }
    }

    /// Waits until a connection may be used; nil for a new one.
    private func wait() -> StoreDatabase? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while taken >= limit { pthread_cond_wait(freed, mutex) }
        taken += 1
        return free.popLast()
    }

    /// Gives a connection back.
    ///
    /// - Parameter store: Nil for one that could not be made.
    private func give(_ store: StoreDatabase?) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        taken -= 1
        // A connection that is lost, or in the middle of something, is made again when it is needed.
        if let store, store.connection.isIdle { free.append(store) }
        pthread_cond_signal(freed)
    }

    /// Closes the connections that are free.
    func close() {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        free = []
    }
}
