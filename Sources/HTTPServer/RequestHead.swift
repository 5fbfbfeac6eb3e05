internal import Text

/// The head of a request, read strictly: what two programs could understand in two ways is refused, because a proxy in
/// front may have understood the other.
///
/// Source: https://www.rfc-editor.org/rfc/rfc9112
package struct RequestHead: Sendable {
    /// The extent of the body.
    package enum Body: Equatable, Sendable {
        case none
        case length(Int)
        case chunked
    }

    /// The method as sent, such as `GET`.
    package let method: String
    /// The path with the query, as sent.
    package let target: String
    /// The header fields in the order sent.
    package private(set) var headers: [(name: String, value: String)] = []
    /// The extent of the body.
    package private(set) var body = Body.none
    /// True if the client may send another request on the connection.
    package private(set) var staysOpen: Bool
    /// True for HTTP/1.0, which has no chunks.
    package let isOld: Bool
    /// True if the client sends its body only after a word of the server.
    package private(set) var awaitsContinue = false

    /// The largest number of header fields.
    private static let mostFields = 100

    /// Reads a head up to and with its empty line.
    ///
    /// - Throws: `RequestRefusal`.
    package init(parsing bytes: ArraySlice<UInt8>) throws(RequestRefusal) {
        var lines = Lines(rest: bytes)
        guard let first = lines.next() else { throw .malformed("the request has no first line") }
        let words = first.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[0].allSatisfy(\.isTokenByte) else {
            throw .malformed("the first line is not a method, a target and a version")
        }
        method = String(decoding: words[0], as: UTF8.self)
        guard words[1].first == UInt8(ascii: "/"), words[1].allSatisfy(\.isTargetByte) else {
            throw .malformed("the target is not a path")
        }
        target = String(decoding: words[1], as: UTF8.self)
        isOld = try Self.isOld(version: words[2])
        staysOpen = !isOld
        while let line = lines.next(), !line.isEmpty {
            guard headers.count < Self.mostFields else { throw RequestRefusal(431, "too many header fields") }
            headers.append(try Self.field(line))
        }
        try readFraming()
    }

    private static func isOld(version: ArraySlice<UInt8>) throws(RequestRefusal) -> Bool {
        if version.elementsEqual("HTTP/1.1".utf8) { return false }
        if version.elementsEqual("HTTP/1.0".utf8) { return true }
        let isVersion =
            version.count == 8 && version.starts(with: "HTTP/".utf8) && version[version.startIndex + 6] == 46
            && [5, 7].allSatisfy { (48...57).contains(version[version.startIndex + $0]) }
        throw isVersion
            ? RequestRefusal(505, "the version is not HTTP/1.1") : .malformed("the version is not one of HTTP")
    }

    private static func field(_ line: ArraySlice<UInt8>) throws(RequestRefusal) -> (name: String, value: String) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else {
            throw .malformed("a header field has no name")
        }
        // A space before the colon, and a line that continues the one before, are no names.
        guard line[..<colon].allSatisfy(\.isTokenByte) else { throw .malformed("a header field's name is not one") }
        var value = line[(colon + 1)...]
        while let byte = value.first, byte.isBlank { value = value.dropFirst() }
        while let byte = value.last, byte.isBlank { value = value.dropLast() }
        guard value.allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 }) else {
            throw .malformed("a header field has a control character")
        }
        return (String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
    }

    private mutating func readFraming() throws(RequestRefusal) {
        let hosts = values(of: "host")
        guard hosts.count == 1 || hosts.isEmpty && isOld else { throw .malformed("the request does not name one host") }
        let lengths = values(of: "content-length")
        let codings = values(of: "transfer-encoding")
        guard lengths.count <= 1, codings.isEmpty || lengths.isEmpty else {
            throw .malformed("the body's length is told twice")
        }
        if let length = lengths.first {
            guard (1...18).contains(length.utf8.count), length.utf8.allSatisfy(\.isASCIIDigit),
                let count = Int(length)
            else { throw .malformed("the body's length is not a number") }
            body = count == 0 ? .none : .length(count)
        }
        if !codings.isEmpty {
            guard !isOld, codings.count == 1 else { throw .malformed("the body's coding is told twice") }
            guard codings[0].lowercased() == "chunked" else {
                throw RequestRefusal(501, "the body's coding is unknown")
            }
            body = .chunked
        }
        for value in values(of: "connection").flatMap({ $0.lowercased().split(separator: ",") })
        where value.trimmingSpaces == "close" { staysOpen = false }
        if let expected = values(of: "expect").first {
            guard expected.lowercased() == "100-continue" else {
                throw RequestRefusal(417, "the expectation cannot be met")
            }
            awaitsContinue = body != .none
        }
    }

    private func values(of name: String) -> [String] {
        headers.filter { $0.name.utf8.count == name.utf8.count && $0.name.lowercased() == name }.map(\.value)
    }
}

/// A request that is answered with an error, after which the connection is closed.
package struct RequestRefusal: Error, Equatable, Sendable {
    package let status: Int
    package let reason: String

    init(_ status: Int, _ reason: String) { (self.status, self.reason) = (status, reason) }

    static func malformed(_ reason: String) -> RequestRefusal { RequestRefusal(400, reason) }
}

/// The search for the end of a head in bytes that arrive in pieces.
package struct HeadSearch: Sendable {
    private var searched = 0
    private var lineStart = 0

    package init() {}

    /// The length of the head with its empty line; nil if more is needed.
    ///
    /// - Parameter input: All bytes of the request so far.
    /// - Throws: `RequestRefusal` for a line that does not end in CR and LF, which another program may read on.
    package mutating func length(in input: [UInt8], limit: Int) throws(RequestRefusal) -> Int? {
        while let end = input[searched...].firstIndex(of: UInt8(ascii: "\n")) {
            guard end > lineStart, input[end - 1] == UInt8(ascii: "\r") else {
                throw .malformed("a line does not end in CR and LF")
            }
            let isEmpty = end == lineStart + 1
            (searched, lineStart) = (end + 1, end + 1)
            guard end < limit else { break }
            if isEmpty { return end + 1 }
        }
        searched = input.count
        guard input.count <= limit else { throw RequestRefusal(431, "the head is too long") }
        return nil
    }
}

/// Lines that end in CR and LF.
private struct Lines {
    var rest: ArraySlice<UInt8>

    mutating func next() -> ArraySlice<UInt8>? {
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return rest[..<(end - 1)]
    }
}

extension UInt8 {
    /// True for a character of a method or of a field's name.
    ///
    /// Source: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2
    fileprivate var isTokenByte: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }

    /// True for what a path or a query may have; bytes beyond ASCII come from people who type addresses.
    fileprivate var isTargetByte: Bool { self > 32 && self != 127 && self != UInt8(ascii: "#") }

    fileprivate var isBlank: Bool { self == 32 || self == 9 }
}
