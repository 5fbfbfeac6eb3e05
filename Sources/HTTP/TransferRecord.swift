internal import CCurl
internal import Time

/// The data of a transfer's hop for its observer. Used only on the thread of the loop.
final class TransferRecord {
    private let observer: ExchangeObserver
    private let id: UInt64
    private var begun: (request: SentRequest, at: Int64)?
    private var sentHead = ResponseHead()

    init(_ observer: ExchangeObserver, id: UInt64) {
        self.observer = observer
        self.id = id
    }

    /// A hop begins.
    func begin(_ route: Route) {
        let request = SentRequest(
            id: id, method: route.method, url: route.outgoingURL, headers: route.outgoingHeaders, body: route.body)
        begun = (request, WallClock.system.milliseconds)
        sentHead = ResponseHead()
        observer.began(request)
    }

    /// Receives a request's head as it is sent; if a proxy first gets a CONNECT, the last head counts.
    func receive(sentHead text: UnsafeRawBufferPointer) {
        sentHead = ResponseHead()
        var rest = text[...]
        var isFirst = true
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
            // The request line is known.
            if !isFirst { sentHead.receive(UnsafeRawBufferPointer(rebasing: rest[..<end])) }
            isFirst = false
            rest = rest[end...]
        }
    }

    /// The hop has ended.
    ///
    /// - Parameter easy: its handle, with the figures.
    func end(_ easy: EasyHandle, _ head: ResponseHead, _ body: Body, _ failure: HTTPError?) {
        guard let (begunRequest, startedAt) = begun else { return }
        begun = nil
        var request = begunRequest
        if !sentHead.headers.fields.isEmpty { request.headers = sentHead.headers }
        let status = easy.status
        let answer =
            status == 0
            ? nil
            : Exchange.Answer(
                status: status, version: easy.version, headers: head.headers, body: body,
                headerByteCount: easy.headerByteCount, bodyByteCount: easy.figure(CURLINFO_SIZE_DOWNLOAD_T))
        observer.ended(
            Exchange(
                request: request, startedAt: startedAt, timings: easy.timings, address: easy.address, answer: answer,
                failure: failure))
    }
}

extension EasyHandle {
    /// The phases of the transfer, from the times since its start that libcurl keeps.
    ///
    /// Source: https://curl.se/libcurl/c/curl_easy_getinfo.html#TIMES
    fileprivate var timings: Exchange.Timings {
        let name = figure(CURLINFO_NAMELOOKUP_TIME_T)
        let connected = figure(CURLINFO_CONNECT_TIME_T)
        let secured = figure(CURLINFO_APPCONNECT_TIME_T)
        let ready = figure(CURLINFO_PRETRANSFER_TIME_T)
        let first = figure(CURLINFO_STARTTRANSFER_TIME_T)
        let total = figure(CURLINFO_TOTAL_TIME_T)
        let isNew = isOnNewConnection
        let open = isNew ? max(connected, secured) : 0
        return Exchange.Timings(
            name: isNew ? .microseconds(name) : nil,
            connect: isNew && connected > 0 ? .microseconds(max(0, connected - name)) : nil,
            tls: isNew && secured > 0 ? .microseconds(max(0, secured - connected)) : nil,
            send: ready > 0 ? .microseconds(max(0, ready - open)) : nil,
            wait: first > 0 ? .microseconds(max(0, first - ready)) : nil,
            receive: first > 0 ? .microseconds(max(0, total - first)) : nil,
            total: .microseconds(total))
    }
}
