internal import Concurrency
internal import HTTP
internal import HTTPServer

/// Makes bodies shorter for the clients that take a coding. A body is coded once for all of them.
///
/// The length of a page reveals no secret in it, because no other site can make a browser request a page with a text of
/// its choice (`Doorkeeper`).
final class EncodedBodies: Sendable {
    private struct Key: Hashable {
        let tag: String
        let coder: ContentEncoder
    }

    private struct State {
        var bodies: [Key: [UInt8]] = [:]
        var size = 0
    }

    private let state = Lock(State())

    /// The sizes of bodies that are coded: a shorter one would fit into the same packet anyway, and a longer one hold
    /// up others.
    private static let sizes = 1_000...(8 << 20)
    /// The most bytes that are kept.
    private static let most = 4 << 20

    /// The response for a client.
    func encoded(_ response: ServerResponse, for request: ServerRequest) -> ServerResponse {
        guard Self.isText(response) else { return response }
        var result = response
        result.add("Accept-Encoding", to: "Vary")
        guard Self.sizes.contains(response.body.count),
            let coder = ContentEncoder.accepted(by: request.header("Accept-Encoding")),
            let body = body(of: response, coder)
        else { return result }
        result.body = body
        result.headers.append(("Content-Encoding", coder.rawValue))
        if let place = result.headers.firstIndex(where: { $0.name == "ETag" }) {
            // The same content in other bytes: https://www.rfc-editor.org/rfc/rfc9110#section-8.8.1
            result.headers[place].value = "W/" + result.headers[place].value
        }
        return result
    }

    private func body(of response: ServerResponse, _ coder: ContentEncoder) -> [UInt8]? {
        let key = response.header("ETag").map { Key(tag: $0, coder: coder) }
        if let key, let body = state.withLock({ $0.bodies[key] }) { return body }
        guard let body = coder.encoded(response.body) else { return nil }
        guard let key, body.count < Self.most / 4 else { return body }
        state.withLock { state in
            if state.size + body.count > Self.most { state = State() }
            if state.bodies.updateValue(body, forKey: key) == nil { state.size += body.count }
        }
        return body
    }

    private static func isText(_ response: ServerResponse) -> Bool {
        let type = response.header("Content-Type") ?? ""
        return ["text/", "application/json", "application/problem+json", "application/x-ndjson", "image/svg"]
            .contains { type.hasPrefix($0) }
    }
}

extension ServerResponse {
    /// The value of the first header field of that name.
    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// Adds to the list that a header field is.
    mutating func add(_ value: String, to name: String) {
        guard let place = headers.firstIndex(where: { $0.name == name }) else { return headers.append((name, value)) }
        headers[place].value += ", " + value
    }
}
