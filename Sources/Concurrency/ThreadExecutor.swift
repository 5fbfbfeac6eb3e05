internal import Glibc

/// A serial executor with a thread of its own, for actors that make blocking C calls.
///
/// Swift's cooperative pool has one thread a core; a call that blocks there (SQLite waiting for a lock, a slow
/// disk) starves everything else. An actor takes part by returning this from `unownedExecutor` and by keeping it
/// alive for as long as itself.
///
/// - Isolation: `enqueue` from any thread; jobs run one at a time, in order, on the executor's thread.
public final class ThreadExecutor: SerialExecutor, TaskExecutor {
    private let queue: JobQueue

    /// Starts the thread; nil where the system has no more of them.
    public init?() {
        queue = JobQueue()
        let start = Unmanaged.passRetained(queue)
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, runJobs, start.toOpaque())
        guard code == 0 else {
            start.release()
            return nil
        }
        pthread_detach(thread)
    }

    deinit { queue.close() }

    /// Calls `action` on the thread after a time, between two jobs. A later call replaces an earlier one.
    ///
    /// The thread waits for jobs anyway, while a sleeping task would have another thread wake it.
    public func wake(after time: Duration, _ action: @escaping @Sendable () -> Void) {
        queue.wake(after: time, action)
    }

    /// Puts a job at the end of the queue.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.append(PendingJob(job: job, serial: asUnownedSerialExecutor(), task: asUnownedTaskExecutor()))
    }

    /// The preferred executor of tasks that should always continue on this thread.
    ///
    /// Without the preference, a task that waited for a page cursor continues by way of the global pool, even in an
    /// actor of this executor, and wakes a thread for nothing.
    public func asUnownedTaskExecutor() -> UnownedTaskExecutor {
        UnownedTaskExecutor(ordinary: self)
    }

    /// The value for an actor's `unownedExecutor`.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }
}

private struct PendingJob {
    let job: UnownedJob
    let serial: UnownedSerialExecutor
    let task: UnownedTaskExecutor
}

private func runJobs(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let start else { return nil }
    let queue = Unmanaged<JobQueue>.fromOpaque(start).takeRetainedValue()
    while let pending = queue.next() {
        pending.job.runSynchronously(isolatedTo: pending.serial, taskExecutor: pending.task)
    }
    return nil
}

/// Something to do at a moment of the system's monotonic clock.
private struct Alarm {
    let moment: timespec
    let action: @Sendable () -> Void

    init(after time: Duration, _ action: @escaping @Sendable () -> Void) {
        let (seconds, attoseconds) = max(time, .zero).components
        var moment = Self.now
        let nanoseconds = moment.tv_nsec + Int(attoseconds / 1_000_000_000)
        moment.tv_sec = moment.tv_sec &+ Int(clamping: seconds) &+ nanoseconds / 1_000_000_000
        moment.tv_nsec = nanoseconds % 1_000_000_000
        self.moment = moment
        self.action = action
    }

    var isDue: Bool {
        let now = Self.now
        return (now.tv_sec, now.tv_nsec) >= (moment.tv_sec, moment.tv_nsec)
    }

    private static var now: timespec {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return now
    }
}

/// Jobs in order of arrival, with a thread that sleeps while there are none.
private final class JobQueue: @unchecked Sendable {
    // Sendable: `jobs`, `alarm` and `isClosed` are touched only while `mutex` is held.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var jobs: [PendingJob] = []
    private var head = 0
    private var alarm: Alarm?
    private var isClosed = false

    init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func append(_ job: PendingJob) {
        pthread_mutex_lock(mutex)
        jobs.append(job)
        pthread_mutex_unlock(mutex)
        // Not before the mutex is free, or the thread wakes only to wait for it.
        pthread_cond_signal(condition)
    }

    func wake(after time: Duration, _ action: @escaping @Sendable () -> Void) {
        let alarm = Alarm(after: time, action)
        pthread_mutex_lock(mutex)
        self.alarm = alarm
        pthread_mutex_unlock(mutex)
        pthread_cond_signal(condition)
    }

    func close() {
        pthread_mutex_lock(mutex)
        isClosed = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// The next job, waiting for one; nil once closed and empty.
    func next() -> PendingJob? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let alarm, alarm.isDue {
                self.alarm = nil
                // It may ask for jobs, or for another alarm.
                pthread_mutex_unlock(mutex)
                alarm.action()
                pthread_mutex_lock(mutex)
            } else if head < jobs.count {
                break
            } else if isClosed {
                return nil
            } else if var moment = alarm?.moment {
                pthread_cond_timedwait(condition, mutex, &moment)
            } else {
                pthread_cond_wait(condition, mutex)
            }
        }
        let job = jobs[head]
        head += 1
        if head == jobs.count {
            jobs.removeAll(keepingCapacity: true)
            head = 0
        }
        return job
    }
}
