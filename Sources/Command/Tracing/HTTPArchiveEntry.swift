internal import FeedSync
internal import HTTP
internal import JSON
internal import Text
internal import Time

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
