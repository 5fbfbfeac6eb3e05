internal import CCurl
internal import Concurrency

/// One `send` in progress: the request, the current hop and the data received. Used only on the thread of the loop.
final class Transfer {
    let id: UInt64
    let request: Request
    var route: Route
    /// The handle of the hop that is under way, nil while waiting for a turn.
    var easy: EasyHandle?
    /// The end of the total time-out; set when the first hop starts.
    var deadline: ContinuousClock.Instant?

    /// The record for the observer; nil without one.
    let record: TransferRecord?

    private let breaker: CircuitBreaker?
    private let isAhead: Bool
    private let reply: Reply<Result<Response, HTTPError>>
    private var head = ResponseHead()
    private let buffers: BodyBuffers
    private var body: Body
    /// Undoes the body's content codings; nil without one, and before the body.
    private var decoder: ContentDecoder?
    /// The bytes of the body at which to look whether there is memory for more.
    private var nextLook = Transfer.bytesBetweenLooks
    /// True once the body has begun.
    private var isReceiving = false
    private var refused: (kind: HTTPError.Kind, problem: String)?
    private var codingFailure: ContentDecoder.Failure?
    /// An address that nothing may connect to.
    private var refusedAddress: String?
    private var wireByteCount = 0
    /// The events so far, and the time at which the stream ends; nil for another response.
    private var events: (counter: EventCounter, end: StreamEnd, deadline: ContinuousClock.Instant)?
    /// True once the stream was ended here.
    private var hasEnded = false

    init(_ submission: Submission, buffers: BodyBuffers) {
        self.buffers = buffers
        body = Body(buffers: buffers)
        id = submission.id
        request = submission.request
        route = submission.route
        record = submission.observer.map { TransferRecord($0, id: submission.id) }
        breaker = submission.breaker
        isAhead = submission.isAhead
        reply = submission.reply
    }

    /// The most header lines of a response: as many as libcurl 8 takes, and below the limit of a later one.
    private static let mostHeaderLines = 5_000

    /// True if the transfer is no longer sent, because its breaker opened before its turn.
    var isHeldBack: Bool { isAhead && deadline == nil && breaker?.isShut == true }

    /// Receives a header line; false ends the transfer.
    func receive(headerLine: UnsafeRawBufferPointer) -> Bool {
        head.receive(headerLine)
        if head.byteCount > request.limits.headers {
            refused = (.tooLarge, "the headers exceed \(request.limits.headers) bytes")
        } else if head.lineCount > Self.mostHeaderLines {
            refused = (.tooLarge, "there are more than \(Self.mostHeaderLines) header lines")
        }
        return refused == nil
    }

    /// Receives the next part of the body; false ends the transfer.
    func receive(body block: UnsafeRawBufferPointer) -> Bool {
        let limit = request.limits.body
        if body.isEmpty, let easy {
            let announced = easy.figure(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
            guard announced <= limit else { return refuseBody() }
            body.reserve(announced, limit: limit)
        }
        do throws(ContentDecoder.Failure) {
            if !isReceiving {
                isReceiving = true
                beginStream()
                try head.checkTransferCodings()
                decoder = try ContentDecoder(head.headers.values(of: "Content-Encoding"), limit: limit)
            }
            guard let decoder else { return append(block) }
            try decoder.decode(block) { append($0) }
            return true
        } catch .refused {
            return refused == nil && !hasEnded ? refuseBody() : false
        } catch {
            codingFailure = error
            return false
        }
    }

    /// Remembers an address that nothing may connect to; the name may have others.
    func refuse(_ address: SocketAddress?) { refusedAddress = address?.description ?? "another kind of address" }

    private func append(_ block: UnsafeRawBufferPointer) -> Bool {
        let limit = request.limits.body
        guard body.append(block, limit: limit) else {
            return block.count > limit - body.count ? refuseBody() : refuseForMemory()
        }
        if isAtEnd(ofStreamWith: block) { return false }
        guard body.count >= nextLook else { return true }
        nextLook = body.count + Self.bytesBetweenLooks
        guard let left = AddressSpace.left else { return true }
        return left / Self.memoryForEachByte >= body.noteSize() || refuseForMemory()
    }

    private func beginStream() {
        guard let end = request.stream, head.headers["Content-Type"]?.hasPrefix("text/event-stream") == true else {
            return
        }
        events = (EventCounter(), end, .now + end.time)
    }

    /// Counts the events of a block; true if nothing more is wanted.
    private func isAtEnd(ofStreamWith block: UnsafeRawBufferPointer) -> Bool {
        guard var events else { return false }
        events.counter.receive(block)
        self.events = events
        hasEnded = events.counter.count >= events.end.count || .now >= events.deadline
        return hasEnded
    }

    private func refuseForMemory() -> Bool {
        refused = (.outOfMemory, "this process may not have the memory for a body of more than \(body.count) bytes")
        return false
    }

    /// The memory that reading a body may need for each of its bytes. Only processes with limited memory check it.
    private static let memoryForEachByte = 6
    private static let bytesBetweenLooks = 256 << 10

    private func refuseBody() -> Bool {
        refused = (.tooLarge, "the body exceeds \(request.limits.body) bytes")
        return false
    }

    /// Tells the observer how a hop ended that brings no outcome of its own.
    func recordEnd(_ easy: EasyHandle, _ failure: HTTPError) { record?.end(easy, head, body, failure) }

    /// Reads how the hop ended; nil if a redirect leads on to another.
    func outcome(of code: CURLcode, _ easy: EasyHandle) -> Result<Response, HTTPError>? {
        let (head, body) = (head, body)
        let outcome = readOutcome(of: code, easy)
        let failure: HTTPError? = if case .failure(let error) = outcome { error } else { nil }
        record?.end(easy, head, body, failure)
        return outcome
    }

    private func readOutcome(of code: CURLcode, _ easy: EasyHandle) -> Result<Response, HTTPError>? {
        wireByteCount += easy.headerByteCount + easy.figure(CURLINFO_SIZE_DOWNLOAD_T)
        if let refused { return .failure(route.refusal(refused.kind, refused.problem)) }
        let status = easy.status
        if code == CURLE_OUT_OF_MEMORY, !head.isComplete {
            // libcurl 7.88's result for a header line that is too long (100 KiB).
            return .failure(route.refusal(.tooLarge, "a header line is too long", code: TransferFailure.number(code)))
        }
        if let codingFailure {
            let isMemory = if case .outOfMemory = codingFailure { true } else { false }
            return .failure(route.refusal(isMemory ? .outOfMemory : .contentCoding, words(for: codingFailure)))
        }
        if code == CURLE_COULDNT_CONNECT, let refusedAddress {
            return .failure(
                route.refusal(
                    .refusedAddress, "\(refusedAddress) is not connected to: it is of this machine or its network"))
        }
        // A stream that is silent is ended by the time-outs.
        let isStreamEnd = events != nil && (hasEnded || code == CURLE_OPERATION_TIMEDOUT)
        guard code == CURLE_OK || isStreamEnd else {
            // OpenSSL's words for a server that answers in plain HTTP.
            let isPlain = easy.detail.contains("wrong version number")
            let detail = isPlain ? "the server does not speak https at this port" : easy.detail
            let kind = TransferFailure.kind(of: code, hasResponse: status != 0, detail: detail)
            let message = detail.isEmpty ? TransferFailure.text(for: code) : detail
            return .failure(route.refusal(kind, message, code: TransferFailure.number(code)))
        }
        guard head.isComplete else {
            // libcurl 7.88 takes the end of the connection for the end of the fields.
            return .failure(route.refusal(.truncated, "the connection ended within the header fields"))
        }
        do throws(HTTPError) {
            if try route.follow(status: status, location: head.headers["Location"]) {
                head = ResponseHead()
                body = Body(buffers: buffers)
                decoder = nil
                nextLook = Self.bytesBetweenLooks
                isReceiving = false
                return nil
            }
        } catch {
            return .failure(error)
        }
        if let decoder, !decoder.isAtEnd, !isStreamEnd {
            return .failure(route.refusal(.truncated, "the body was cut off: its \(coding) has no end"))
        }
        return .success(
            Response(
                status: status, headers: head.headers, url: route.url, body: body, wireByteCount: wireByteCount,
                redirectCount: route.redirectCount, isMovedForGood: route.isForGood,
                isOpenEnded: decoder == nil && !head.tellsEnd(of: status) && easy.version.hasPrefix("HTTP/1")))
    }

    private var coding: String { "content coding (\(head.headers["Content-Encoding"]?.prefix(40) ?? ""))" }

    private func words(for failure: ContentDecoder.Failure) -> String {
        switch failure {
        case .unknown(let name): "nothing here can undo the coding \(name.prefix(40))"
        case .tooMany: "the body has too many content codings"
        case .broken, .refused: "the body's \(coding) is broken"
        case .trailing: "more bytes follow the end of the body's \(coding)"
        case .outOfMemory: "there is not enough memory to undo the body's \(coding)"
        }
    }

    /// Tells the breaker how it ended, before anything else is sent; nil for a redirect that is followed.
    func tellGate(_ outcome: Result<Response, HTTPError>?) {
        if let outcome { breaker?.note(outcome) } else { breaker?.shut() }
    }

    /// Adds the time for which nothing could be received to the time-outs.
    func allow(for delay: Duration) {
        deadline = deadline?.advanced(by: delay)
        easy?.allow(for: delay)
    }

    /// Returns the outcome to the caller of `send`; once.
    func finish(_ outcome: Result<Response, HTTPError>) { reply.resume(returning: outcome) }
}
