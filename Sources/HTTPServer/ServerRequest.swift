internal import Text

/// A request as the server received it.
public struct ServerRequest: Sendable {
    /// The method as sent, such as `GET`.
    public var method: String

    /// The path with the query, as sent.
    public var target: String

    /// The path, percent-decoded and without the query.
    public var path: String

    /// The path as sent, without the query.
    public var rawPath: String

    /// The query's parameters in the order sent, percent-decoded, `+` read as a space.
    ///
    /// A parameter without `=` has an empty value.
    public var query: [(name: String, value: String)]

    /// The header fields in the order sent, names as spelled by the client.
    public var headers: [(name: String, value: String)]

    /// The whole body; empty when there is none.
    public var body: [UInt8]

    /// The address that the request came from, in digits; nil where that is not known.
    public var client: String?

    /// Makes a request for a target such as `/things?page=2`.
    public init(
        method: String = "GET",
        target: String,
        headers: [(name: String, value: String)] = [],
        body: [UInt8] = [],
        client: String? = nil
    ) {
        let bytes = target.utf8
        let mark = bytes.firstIndex(of: UInt8(ascii: "?"))
        let path = bytes[..<(mark ?? bytes.endIndex)]
        self.method = method
        self.path = PercentCoding.decoded(path, plus: "+")
        rawPath = String(decoding: path, as: UTF8.self)
        query = mark.map { FormEncoding.parameters(in: bytes[$0...].dropFirst()) } ?? []
        self.headers = headers
        self.body = body
        self.client = client
        self.target = target
    }

    /// The value of the first header field of that name, regardless of case.
    public func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }

    /// The value of the first query parameter of that name, case counting.
    public func parameter(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// True if the client has what this tag stands for: its `If-None-Match` names the tag, compared weakly.
    ///
    /// Source: https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2
    package func knows(tag: String) -> Bool {
        func opaque(_ tag: Substring) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag }
        return header("If-None-Match")?.split(separator: ",").map(\.trimmingSpaces).contains { known in
            known == "*" || opaque(known) == opaque(tag[...])
        } ?? false
    }
}
