internal import CCurl
internal import Concurrency

/// Drives every transfer of one client with one `CURLM`, on the thread of an executor.
final class TransferLoop: EventSource, @unchecked Sendable {
    // Sendable: all but `executor` and `wake` is used on the executor's thread only.
    let executor: ThreadExecutor
    private let configuration: ClientConfiguration
    private let multi: UnsafeMutableRawPointer
    private var transfers: [UInt64: Transfer] = [:]
    private var running: [UnsafeMutableRawPointer: Transfer] = [:]
    private var queues = OriginQueues<UInt64>()
    private var idle: [EasyHandle] = []
    private let buffers = BodyBuffers()
    /// The time when libcurl was called last.
    private var handledAt = ContinuousClock.now

    private static let idleHandles = 16
    /// The time for which jobs may keep the thread before the transfers get it added to their time-outs.
    private static let longestDelay = Duration.milliseconds(250)

    init(on executor: ThreadExecutor, configuration: ClientConfiguration, multi: UnsafeMutableRawPointer) {
        self.executor = executor
        self.configuration = configuration
        self.multi = multi
        // By default the pool shrinks with the number of transfers under way, to four connections for one. Lists and
        // feeds of many hosts are requested in turn, and a new connection costs more than a request.
        ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 64)
    }

    deinit { ccurl_multi_cleanup(multi) }

    var isActive: Bool { !transfers.isEmpty }

    func poll(milliseconds: Int32) {
        allowForDelay()
        // A job may have had libcurl read what came for another transfer.
        if !readMessages() {
            if milliseconds > 0 {
                let code = ccurl_multi_poll(multi, milliseconds)
                if code != CURLM_OK { failAll(code) }
            }
            perform()
            readMessages()
        }
        handledAt = .now
    }

    // https://curl.se/libcurl/c/curl_multi_wakeup.html
    func wake() { ccurl_multi_wakeup(multi) }

    /// Cancels all transfers.
    func close() {
        for id in Array(transfers.keys) { cancel(id) }
        // Handles must be gone before the multi handle is.
        idle = []
    }

    /// Adds the time for which jobs kept the thread to the time-outs: data that came meanwhile is not late.
    private func allowForDelay() {
        let delay = ContinuousClock.now - handledAt
        guard delay > Self.longestDelay else { return }
        for transfer in running.values { transfer.allow(for: delay) }
    }

    private func perform() {
        var count: Int32 = 0
        let code = ccurl_multi_perform(multi, &count)
        if code != CURLM_OK { failAll(code) }
    }

    /// Sends a request, or has it wait for its turn at the host.
    func accept(_ submission: Submission) {
        if transfers.isEmpty { handledAt = .now }
        let transfer = Transfer(submission, buffers: buffers)
        transfers[transfer.id] = transfer
        if enqueue(transfer) { perform() }
    }

    /// Queues a transfer; true if it has started.
    @discardableResult
    private func enqueue(_ transfer: Transfer) -> Bool {
        let origin = transfer.route.url.origin
        let limit = transfer.request.maximumPerHost ?? configuration.maximumPerHost
        queues.enqueue(transfer.id, at: origin, limit: limit)
        return startNext(at: origin)
    }

    /// Starts the transfers that may start; false if there are none.
    @discardableResult
    private func startNext(at origin: Origin) -> Bool {
        var hasStarted = false
        while let id = queues.next(at: origin) {
            guard let transfer = transfers[id] else {
                queues.finish(at: origin)
                continue
            }
            guard !transfer.isHeldBack else {
                queues.finish(at: origin)
                end(transfer, .failure(transfer.route.refusal(.heldBack, "the request was held back")))
                continue
            }
            do throws(SettingFailure) {
                try start(transfer)
                hasStarted = true
            } catch {
                queues.finish(at: origin)
                let kind = HTTPError.Kind.other(code: TransferFailure.number(error.code))
                end(transfer, .failure(transfer.route.refusal(kind, TransferFailure.text(for: error.code))))
            }
        }
        return hasStarted
    }

    private func start(_ transfer: Transfer) throws(SettingFailure) {
        let now = ContinuousClock.now
        let total = Duration.milliseconds(transfer.request.timeouts.total.curlMilliseconds)
        let deadline = transfer.deadline ?? now.advanced(by: total)
        transfer.deadline = deadline
        guard let easy = idle.popLast() ?? EasyHandle() else { throw SettingFailure(code: CURLE_OUT_OF_MEMORY) }
        try easy.prepare(for: transfer, configuration: configuration, timeLeft: now.duration(to: deadline))
        guard ccurl_multi_add_handle(multi, easy.pointer) == CURLM_OK else {
            throw SettingFailure(code: CURLE_FAILED_INIT)
        }
        transfer.easy = easy
        transfer.record?.begin(transfer.route)
        running[easy.pointer] = transfer
    }

    /// Handles the transfers that have ended; false if there were none.
    @discardableResult
    private func readMessages() -> Bool {
        var hasEnded = false
        while true {
            let ended = takeEnded()
            guard !ended.isEmpty else { return hasEnded }
            hasEnded = true
            var hasStarted = false
            for origin in Set(ended.map(\.origin)) where startNext(at: origin) { hasStarted = true }
            // The next requests are on the wire before these responses are worked on.
            if hasStarted { perform() }
            for (transfer, outcome, _) in ended { if let outcome { end(transfer, outcome) } }
        }
    }

    /// A hop that libcurl has finished; without an outcome if the next one waits for its turn.
    private typealias Ended = (transfer: Transfer, outcome: Result<Response, HTTPError>?, origin: Origin)

    /// The hops that libcurl has finished; their gates know before another request goes out.
    private func takeEnded() -> [Ended] {
        var ended: [Ended] = []
        var left: Int32 = 0
        while let message = ccurl_multi_info_read(multi, &left) {
            // The message lives only until the handle is removed.
            guard message.pointee.msg == CURLMSG_DONE, let pointer = message.pointee.easy_handle else { continue }
            let code = message.pointee.data.result
            guard let transfer = running[pointer], let easy = transfer.easy else { continue }
            let origin = transfer.route.url.origin
            let outcome = transfer.outcome(of: code, easy)
            release(transfer, from: origin, isReusable: code == CURLE_OK)
            transfer.tellGate(outcome)
            ended.append((transfer, outcome, origin))
            if outcome == nil { enqueue(transfer) }
        }
        return ended
    }

    /// Ends a transfer now; does nothing if it has ended.
    func cancel(_ id: UInt64) {
        guard let transfer = transfers[id] else { return }
        fail(transfer, transfer.route.refusal(.cancelled, "the request was cancelled"))
    }

    /// Ends a transfer that libcurl has not finished.
    private func fail(_ transfer: Transfer, _ refusal: HTTPError) {
        // The caller may close the trace as soon as it goes on.
        if let easy = transfer.easy { transfer.recordEnd(easy, refusal) }
        end(transfer, .failure(refusal))
        let origin = transfer.route.url.origin
        if transfer.easy != nil {
            release(transfer, from: origin, isReusable: false)
        } else {
            queues.withdraw(transfer.id, from: origin)
        }
        startNext(at: origin)
    }

    /// Removes a transfer's handle from libcurl and frees its place at the origin.
    ///
    /// A handle that failed is not reused: after a name that does not exist, libcurl 7.88 answers
    /// `CURLE_BAD_FUNCTION_ARGUMENT` to the next name.
    private func release(_ transfer: Transfer, from origin: Origin, isReusable: Bool) {
        guard let easy = transfer.easy else { return }
        ccurl_multi_remove_handle(multi, easy.pointer)
        running[easy.pointer] = nil
        transfer.easy = nil
        if isReusable, idle.count < Self.idleHandles { idle.append(easy) }
        queues.finish(at: origin)
    }

    private func end(_ transfer: Transfer, _ outcome: Result<Response, HTTPError>) {
        transfers[transfer.id] = nil
        transfer.finish(outcome)
    }

    /// Ends every transfer after a fault of the multi handle itself, so that no caller waits for ever.
    private func failAll(_ code: CURLMcode) {
        for transfer in Array(running.values) {
            let text = ccurl_multi_strerror(code).map { String(cString: $0) } ?? "libcurl error \(code.rawValue)"
            fail(transfer, transfer.route.refusal(.other(code: code.rawValue), text))
        }
    }
}
