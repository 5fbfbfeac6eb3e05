internal import Platform

/// Work that a thread does while it has no job, such as the transfers of an HTTP client.
///
/// - Isolation: the executor's thread, but for `wake`.
package protocol EventSource: AnyObject {
    /// True while there is something to wait for.
    var isActive: Bool { get }
    /// Waits for at most so many milliseconds for events, and handles those that are there.
    func poll(milliseconds: Int32)
    /// Ends a wait.
    ///
    /// - Isolation: any thread, while the executor has the source.
    func wake()
}

/// A serial executor with a thread of its own, for actors that make blocking C calls.
///
/// Swift's cooperative pool has one thread a core; a call that blocks there (SQLite waiting for a lock, a slow
/// disk) starves everything else. An actor takes part by returning this from `unownedExecutor` and by keeping it
/// alive for as long as itself.
///
/// The thread waits for jobs and for the events of its source at once, so that a response goes to the actor that uses
/// it without a change of thread.
///
/// - Isolation: `enqueue` from any thread; jobs run one at a time, in order, on the executor's thread.
public final class ThreadExecutor: SerialExecutor, TaskExecutor {
    private let queue: ThreadQueue

    /// Starts the thread; nil where the system has no more of them.
    public init?() {
        queue = ThreadQueue()
        let start = Unmanaged.passRetained(queue)
        let thread = platform_start_thread(runJobs, start.toOpaque())
        guard thread != 0 else {
            start.release()
            return nil
        }
        platform_detach_thread(thread)
    }

    deinit { queue.close() }

    /// Calls `action` on the thread after a time, between two jobs. A later call replaces an earlier one.
    ///
    /// The thread waits for jobs anyway, while a sleeping task would have another thread wake it.
    public func wake(after time: Duration, _ action: @escaping @Sendable () -> Void) {
        queue.wake(after: time, action)
    }

    /// Suspends the task until the thread has nothing else to do, for about 10 ms at most. What several tasks ask for
    /// can then be done at once.
    ///
    /// - Isolation: the executor's thread.
    package func idle(isolation: isolated (any Actor)? = #isolation) async {
        await withUnsafeContinuation { continuation in queue.whenIdle { continuation.resume() } }
    }

    /// Puts a job at the end of the queue.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.append(.job(job, asUnownedSerialExecutor(), asUnownedTaskExecutor()))
    }

    /// Runs an action on the thread: at once if the caller is on it, else behind the jobs that are there.
    package func perform(_ action: @escaping @Sendable () -> Void) {
        if queue.isCurrentThread { action() } else { queue.append(.action(action)) }
    }

    /// Reserves the thread for one source; false if it has another.
    package func reserve() -> Bool { queue.reserve() }

    /// The source whose events the thread handles, once it is reserved for it; nil for none, which ends the
    /// reservation.
    ///
    /// - Isolation: the executor's thread.
    package var source: (any EventSource)? {
        get { queue.source }
        set {
            queue.source = newValue
            if newValue == nil { queue.release() }
        }
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

private enum Work {
    case job(UnownedJob, UnownedSerialExecutor, UnownedTaskExecutor)
    case action(@Sendable () -> Void)

    func run() {
        switch self {
        case .job(let job, let serial, let task): job.runSynchronously(isolatedTo: serial, taskExecutor: task)
        case .action(let action): action()
        }
    }
}

private func runJobs(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let start else { return nil }
    let queue = Unmanaged<ThreadQueue>.fromOpaque(start).takeRetainedValue()
    blockSignals()
    queue.begin()
    while let work = queue.next() { work.run() }
    queue.source = nil
    return nil
}

/// TLS writes to sockets that may be closed, which must be an error and not a SIGPIPE (CURLOPT_NOSIGNAL leaves that to
/// us); the signals that stop a program are for other threads.
private func blockSignals() {
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT] { sigaddset(&signals, signal) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
}

/// Something to do at a moment of the clock of timed waits.
private struct Alarm {
    let moment: timespec
    let action: @Sendable () -> Void

    init(after time: Duration, _ action: @escaping @Sendable () -> Void) {
        let (seconds, attoseconds) = max(time, .zero).components
        var moment = platform_wait_clock()
        let nanoseconds = moment.tv_nsec + Int(attoseconds / 1_000_000_000)
        moment.tv_sec = moment.tv_sec &+ Int(clamping: seconds) &+ nanoseconds / 1_000_000_000
        moment.tv_nsec = nanoseconds % 1_000_000_000
        self.moment = moment
        self.action = action
    }

    var isDue: Bool {
        let now = platform_wait_clock()
        return (now.tv_sec, now.tv_nsec) >= (moment.tv_sec, moment.tv_nsec)
    }

    /// The time until then; zero if it has come.
    var timeLeft: Duration {
        let now = platform_wait_clock()
        return max(.seconds(moment.tv_sec - now.tv_sec) + .nanoseconds(moment.tv_nsec - now.tv_nsec), .zero)
    }
}

/// Jobs in order of arrival, with a thread that waits while there are none.
private final class ThreadQueue: @unchecked Sendable {
    // Sendable: `thread` is set before the first job; `source`, `handledAt`, `idlers` and `idleBy` belong to the thread;
    // the rest is touched only while `mutex` is held.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var jobs = FIFOQueue<Work>()
    private var alarm: Alarm?
    private var isClosed = false
    /// The source that the thread waits in, if it does not wait at the condition.
    private var waitedFor: (any EventSource)?
    private var thread: UInt?
    private var isReserved = false
    var source: (any EventSource)?
    /// The time when the source was handled last.
    private var handledAt = ContinuousClock.now

    /// The actions for the time when there is nothing to do.
    private var idlers: [@Sendable () -> Void] = []
    /// The time at which they are due whatever there is to do.
    private var idleBy = ContinuousClock.now

    /// The longest time for which jobs keep the thread from its source.
    private static let longestBurst = Duration.milliseconds(1)
    /// The longest time for which jobs and events keep actions from an idle thread.
    private static let longestPostponement = Duration.milliseconds(10)
    /// The longest wait in a source: libcurl does not report a failed wake-up.
    private static let longestWait = Duration.seconds(1)

    init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        platform_condition_init(condition)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Makes the calling thread the one that runs the jobs.
    func begin() {
        pthread_mutex_lock(mutex)
        thread = platform_this_thread()
        pthread_mutex_unlock(mutex)
    }

    func reserve() -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        defer { isReserved = true }
        return !isReserved
    }

    func release() {
        pthread_mutex_lock(mutex)
        isReserved = false
        pthread_mutex_unlock(mutex)
    }

    var isCurrentThread: Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return isThread
    }

    private var isThread: Bool { thread == platform_this_thread() }

    func append(_ job: Work) {
        pthread_mutex_lock(mutex)
        jobs.append(job)
        wakeAndUnlock()
    }

    func wake(after time: Duration, _ action: @escaping @Sendable () -> Void) {
        let alarm = Alarm(after: time, action)
        pthread_mutex_lock(mutex)
        self.alarm = alarm
        wakeAndUnlock()
    }

    /// Calls `action` when there are no jobs, and no events that are there already.
    func whenIdle(_ action: @escaping @Sendable () -> Void) {
        if idlers.isEmpty { idleBy = .now + Self.longestPostponement }
        idlers.append(action)
    }

    func close() {
        pthread_mutex_lock(mutex)
        isClosed = true
        wakeAndUnlock()
    }

    private func wakeAndUnlock() {
        guard !isThread else {
            pthread_mutex_unlock(mutex)
            return
        }
        if let source = waitedFor {
            // Once is enough. Under the lock, so that the source exists.
            waitedFor = nil
            source.wake()
            pthread_mutex_unlock(mutex)
            return
        }
        pthread_mutex_unlock(mutex)
        // Not before the mutex is free, or the thread wakes only to wait for it.
        pthread_cond_signal(condition)
    }

    /// The next job, waiting for one; nil once closed and empty.
    func next() -> Work? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        var hasLooked = false
        while true {
            let active = source.flatMap { $0.isActive ? $0 : nil }
            if let alarm, alarm.isDue {
                self.alarm = nil
                // It may ask for jobs, or for another alarm.
                pthread_mutex_unlock(mutex)
                alarm.action()
                pthread_mutex_lock(mutex)
            } else if !jobs.isEmpty {
                if let active, ContinuousClock.now - handledAt > Self.longestBurst {
                    handle(active, waiting: nil)
                } else if !idlers.isEmpty, .now >= idleBy {
                    callIdlers()
                } else {
                    break
                }
            } else if !idlers.isEmpty {
                if let active, !hasLooked {
                    hasLooked = true
                    handle(active, waiting: nil)
                } else {
                    callIdlers()
                }
            } else if let active {
                handle(active, waiting: min(alarm?.timeLeft ?? Self.longestWait, Self.longestWait))
            } else if isClosed {
                return nil
            } else if let moment = alarm?.moment {
                platform_condition_wait(condition, mutex, moment)
            } else {
                pthread_cond_wait(condition, mutex)
            }
        }
        return jobs.popFirst()
    }

    /// Calls the actions for an idle thread, which mostly ask for jobs, with the mutex free.
    private func callIdlers() {
        let actions = idlers
        idlers = []
        pthread_mutex_unlock(mutex)
        for action in actions { action() }
        pthread_mutex_lock(mutex)
    }

    /// Handles the events of the source, with the mutex free.
    ///
    /// - Parameter time: The longest wait; nil for none.
    private func handle(_ source: any EventSource, waiting time: Duration?) {
        if time != nil { waitedFor = source }
        pthread_mutex_unlock(mutex)
        source.poll(milliseconds: time?.roundedUpMilliseconds ?? 0)
        handledAt = .now
        pthread_mutex_lock(mutex)
        waitedFor = nil
    }
}

extension Duration {
    /// The duration in milliseconds, rounded up; of at most a day.
    fileprivate var roundedUpMilliseconds: Int32 {
        let (seconds, attoseconds) = min(max(self, .zero), .seconds(86_400)).components
        return Int32(seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
