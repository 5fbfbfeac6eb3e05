/// The header fields of a response as its lines come in; interim responses (1xx) and trailers are passed over.
struct ResponseHead {
    private(set) var headers = Headers()
    private(set) var byteCount = 0
    /// Whether the empty line that ends the fields has come.
    private(set) var isComplete = false

    /// Takes the next line, its line break included.
    mutating func receive(_ line: UnsafeRawBufferPointer) {
        byteCount += line.count
        let text = String(decoding: line.prefix { $0 != 0x0D && $0 != 0x0A }, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            headers = Headers()
            isComplete = false
        } else if isComplete {
            return
        } else if text.isEmpty {
            isComplete = true
        } else if text.hasPrefix(" ") || text.hasPrefix("\t") {
            headers.extendLast(with: String(text.trimmingSpaces))
        } else if let colon = text.firstIndex(of: ":") {
            let value = text[text.index(after: colon)...]
            headers.append(name: String(text[..<colon].trimmingSpaces), value: String(value.trimmingSpaces))
        }
    }
}
