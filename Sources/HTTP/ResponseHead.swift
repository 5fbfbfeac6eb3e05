internal import Text

/// The header fields of a response as its lines arrive; interim responses (1xx) and trailers are skipped.
struct ResponseHead {
    private(set) var headers = Headers()
    private(set) var byteCount = 0
    private(set) var lineCount = 0
    /// True once the empty line after the fields has arrived.
    private(set) var isComplete = false

    /// Adds the next line, including its line break.
    ///
    /// It works on bytes: characters would cost ten times as much, and servers do not need them.
    mutating func receive(_ line: UnsafeRawBufferPointer) {
        byteCount += line.count
        lineCount += 1
        let end = line.firstIndex { $0 == 0x0D || $0 == 0x0A } ?? line.endIndex
        let text = line[..<end]
        guard let first = text.first else {
            isComplete = true
            return
        }
        if first == UInt8(ascii: "H"), text.starts(with: "HTTP/".utf8) {
            headers = Headers()
            isComplete = false
        } else if isComplete {
            return
        } else if Self.isSpace(first) {
            headers.extendLast(with: Self.trimmed(text))
        } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
            headers.append(name: Self.trimmed(text[..<colon]), value: Self.trimmed(text[(colon + 1)...]))
        }
    }

    /// Refuses transfer codings other than `chunked`: libcurl decodes them without a report of their end, and we
    /// request none.
    ///
    /// Source: https://www.rfc-editor.org/rfc/rfc9112#section-7
    ///
    /// - Throws: `unknown` for another one.
    func checkTransferCodings() throws(ContentDecoder.Failure) {
        for coding in headers.values(of: "Transfer-Encoding").flatMap({ $0.split(separator: ",") }) {
            let name = coding.trimmingSpaces.lowercased()
            if name != "chunked", name != "identity", !name.isEmpty { throw .unknown(name) }
        }
    }

    /// True if the status or the fields say where the body ends, in HTTP/1.
    ///
    /// Source: https://www.rfc-editor.org/rfc/rfc9112#section-6.3
    func tellsEnd(of status: Int) -> Bool {
        status == 204 || status == 304 || headers["Content-Length"] != nil
            || headers["Transfer-Encoding"]?.lowercasedASCII.contains("chunked") == true
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func trimmed(_ text: Slice<UnsafeRawBufferPointer>) -> String {
        var text = text
        while let first = text.first, isSpace(first) { text.removeFirst() }
        while let last = text.last, isSpace(last) { text.removeLast() }
        return String(decoding: UnsafeRawBufferPointer(rebasing: text), as: UTF8.self)
    }
}
