internal import Concurrency
internal import FeedSync
internal import HTTP
internal import JSON
internal import Platform
internal import Text
internal import Time

/// A file of requests and responses in the HTTP Archive format 1.2, which browsers open.
///
/// It is whole after each entry, however the process ends: each is written together with the end of the document, over
/// the end before.
///
/// - Isolation: any thread.
final class HTTPArchive: Sendable {
    private struct State {
        /// The place for the end of the document; nil after a failure.
        var offset: Int?
        var isEmpty = true
    }

    private let path: String
    private let descriptor: Int32
    private let state: Lock<State>

    private static let end = "\n]}}\n"

    /// Begins the file, for its owner alone.
    ///
    /// - Throws: `Failure` with exit code 74.
    init(path: String) throws(Failure) {
        self.path = path
        // Without O_NONBLOCK, opening a pipe without a reader would wait.
        descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else {
            throw errno == ENOENT
                ? .missingFolder(of: path, .output) ?? Self.failure(path, ENOENT) : Self.failure(path, errno)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw Failure(.output, ["\(path) is not a regular file"], advice: "--trace needs the name of a file")
        }
        let creator: JSONFields = ["name": "feedsync", "version": FeedSyncVersion.text]
        let beginning = #"{"log":{"version":"1.2","creator":\#(creator.json),"entries":["#
        state = Lock(State(offset: beginning.utf8.count))
        guard fchmod(descriptor, 0o600) == 0, ftruncate(descriptor, 0) == 0, write(beginning + Self.end, at: 0) else {
            let number = errno
            close(descriptor)
            throw Self.failure(path, number)
        }
    }

    deinit { close(descriptor) }

    /// Adds a request and its response; why it could not be written, the first time.
    func add(_ exchange: TracedExchange, of feed: String) -> Failure? {
        let entry = HTTPArchiveEntry(exchange: exchange, feed: feed).json
        return state.withLock { state in
            guard let offset = state.offset else { return nil }
            let text = (state.isEmpty ? "\n" : ",\n") + entry
            guard write(text + Self.end, at: offset) else {
                let number = errno
                // The end is restored, so that the entries before stay a whole document.
                _ = write(Self.end, at: offset)
                _ = ftruncate(descriptor, off_t(offset + Self.end.utf8.count))
                state.offset = nil
                return Self.failure(path, number)
            }
            state.offset = offset + text.utf8.count
            state.isEmpty = false
            return nil
        }
    }

    private func write(_ text: String, at start: Int) -> Bool {
        var rest = Array(text.utf8)[...]
        var offset = start
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            offset += count
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func failure(_ path: String, _ number: Int32) -> Failure {
        Failure(
            .output, ["cannot write \(path): \(String(cString: strerror(number)))"],
            advice: "check the folder and the room on the disk, or run it without --trace")
    }
}

/// A request and its response as an entry of an HTTP Archive.
///
/// Source: http://www.softwareishard.com/blog/har-12-spec/
struct HTTPArchiveEntry: JSONRecord {
    let exchange: TracedExchange
    let feed: String

    /// The number of bytes written of a body.
    private static let mostBytes = 4 << 20

    var fields: JSONFields {
        let timings = exchange.timings
        let phases = [timings.name, timings.connect, timings.tls, timings.send, timings.wait, timings.receive]
        let sum = phases.compactMap(\.self).reduce(.zero, +)
        return [
            "startedDateTime": Timestamp(milliseconds: exchange.startedAt)?.text ?? "",
            "time": Self.milliseconds(max(sum, timings.total)),
            "request": request,
            "response": response,
            "cache": [:] as JSONFields,
            "timings": [
                // TLS counts as a part of connecting.
                "dns": Self.milliseconds(timings.name),
                "connect": Self.milliseconds(timings.connect.map { $0 + (timings.tls ?? .zero) }),
                "ssl": Self.milliseconds(timings.tls),
                "send": Self.milliseconds(timings.send ?? .zero),
                "wait": Self.milliseconds(timings.wait ?? (exchange.answer == nil ? timings.total : .zero)),
                "receive": Self.milliseconds(timings.receive ?? .zero),
            ] as JSONFields,
        ] + (exchange.address.map { ["serverIPAddress": $0] } ?? [:]) + ["_feed": feed]
    }

    private var request: JSONFields {
        let request = exchange.request
        let own: JSONFields = [
            "method": request.method,
            "url": request.url,
            "httpVersion": exchange.answer?.version ?? "",
            "cookies": [] as [String],
            "headers": Self.list(request.headers.map { ($0.name, $0.value) }),
            "queryString": Self.list(FormEncoding.parameters(inQueryOf: request.url).map { ($0.name, $0.value) }),
            "headersSize": -1,
            "bodySize": request.body?.utf8.count ?? 0,
        ]
        guard let body = request.body else { return own }
        return own + [
            "postData": [
                "mimeType": Headers(request.headers)["Content-Type"] ?? "", "params": [] as [String], "text": body,
            ] as JSONFields
        ]
    }

    private var response: JSONFields {
        let answer = exchange.answer
        let isCut = (answer?.size ?? 0) > Self.mostBytes
        let content: JSONFields = [
            "size": answer?.size ?? 0,
            "mimeType": answer?["Content-Type"] ?? "",
            "text": answer?.text(limit: Self.mostBytes) ?? "",
        ]
        let cut: JSONFields = isCut ? ["comment": "only the first \(Self.mostBytes) bytes are kept"] : [:]
        let own: JSONFields = [
            "status": answer?.status ?? 0,
            "statusText": answer.map { StatusText.phrase($0.status) } ?? "",
            "httpVersion": answer?.version ?? "",
            "cookies": [] as [String],
            "headers": Self.list(answer?.headers.map { ($0.name, $0.value) } ?? []),
            "content": content + cut,
            "redirectURL": answer?["Location"] ?? "",
            "headersSize": answer?.headerByteCount ?? -1,
            "bodySize": answer?.bodyByteCount ?? -1,
        ]
        return own + (exchange.failure.map { ["_error": $0] } ?? [:])
    }

    private static func list(_ pairs: [(String, String)]) -> [JSONFields] {
        pairs.map { ["name": $0.0, "value": $0.1] }
    }

    /// Milliseconds with three places; -1, as the format has it, for a phase that there was not.
    private static func milliseconds(_ duration: Duration?) -> JSONDocument {
        guard let duration else { return JSONDocument("-1") }
        let (seconds, attoseconds) = duration.components
        return JSONDocument(JSONText.number(Double(seconds) * 1_000 + Double(attoseconds / 1_000_000_000_000) / 1_000))
    }
}
