internal import Platform

/// A place where server threads wait until a test lets them through.
///
/// - Isolation: any thread or task.
package final class Gate: @unchecked Sendable {
    // Sendable: every `var` is touched only while `mutex` is held.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let opening: UnsafeMutablePointer<pthread_cond_t>
    private var isOpen = false
    private var arrivals = 0
    private var watchers: [Watcher.ID: Watcher] = [:]
    private var lastWatcher = 0

    private struct Watcher: Identifiable {
        let id: Int
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    /// A closed gate.
    package init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        opening = .allocate(capacity: 1)
        opening.initialize(to: pthread_cond_t())
        pthread_cond_init(opening, nil)
    }

    deinit {
        pthread_cond_destroy(opening)
        opening.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Blocks the calling thread until the gate is open, for 5 min at most.
    ///
    /// - Returns: whether the gate was opened.
    @discardableResult
    package func wait() -> Bool {
        let reached = locked {
            arrivals += 1
            return takeWatchers { $0.count <= arrivals }
        }
        for watcher in reached { watcher.continuation.resume() }
        return locked {
            var deadline = timespec()
            clock_gettime(CLOCK_REALTIME, &deadline)
            deadline.tv_sec += 300
            while !isOpen {
                if pthread_cond_timedwait(opening, mutex, &deadline) == ETIMEDOUT { return isOpen }
            }
            return true
        }
    }

    /// Opens the gate for present and later visitors.
    package func open() {
        locked {
            isOpen = true
            pthread_cond_broadcast(opening)
        }
    }

    /// Returns once that many callers have reached the gate, or when the task is cancelled.
    package func arrived(_ count: Int = 1) async {
        let id = locked {
            lastWatcher += 1
            return lastWatcher
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = locked {
                    // Asked under the lock: a cancellation from here on finds the watcher.
                    if arrivals >= count || Task.isCancelled { return true }
                    watchers[id] = Watcher(id: id, count: count, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let cancelled = locked { takeWatchers { $0.id == id } }
            for watcher in cancelled { watcher.continuation.resume() }
        }
    }

    private func takeWatchers(where isTaken: (Watcher) -> Bool) -> [Watcher] {
        let taken = watchers.values.filter(isTaken)
        for watcher in taken { watchers[watcher.id] = nil }
        return taken
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }
}
