internal import Platform

/// The encoding of a body's text.
///
/// A byte order mark comes first, then the `charset` of the `Content-Type`, then the XML declaration.
struct TextEncoding {
    /// The name that iconv knows.
    let name: String
    /// The bytes of the byte order mark.
    private let mark: Int

    /// - Throws: `BodyFault` for an unknown encoding.
    init(of bytes: [UInt8], charset: String?, isXML: Bool) throws(BodyFault) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            (name, mark) = ("UTF-8", 3)
        } else if bytes.starts(with: [0xFF, 0xFE]) {
            (name, mark) = ("UTF-16LE", 2)
        } else if bytes.starts(with: [0xFE, 0xFF]) {
            (name, mark) = ("UTF-16BE", 2)
        } else {
            mark = 0
            // ASCII in two bytes is UTF-16 without a mark.
            let start = Array(bytes.prefix(2))
            if start.count == 2, start[0] != 0, start[1] == 0 {
                name = "UTF-16LE"
            } else if start.count == 2, start[0] == 0, start[1] != 0 {
                name = "UTF-16BE"
            } else {
                let stated = charset ?? (isXML ? Self.declared(in: bytes) : nil)
                name = Self.known(stated ?? "utf-8")
            }
        }
    }

    /// The labels that denote another encoding: https://encoding.spec.whatwg.org/#names-and-labels
    private static func known(_ name: String) -> String {
        switch name {
        case "utf-8", "utf8", "us-ascii", "ascii": "UTF-8"
        case "iso-8859-1", "iso8859-1", "latin1", "latin-1": "WINDOWS-1252"
        case "utf-16": "UTF-16BE"
        default: name
        }
    }

    /// The encoding that `<?xml … encoding="…"?>` names.
    private static func declared(in bytes: [UInt8]) -> String? {
        let start = String(decoding: bytes.prefix(300).map { $0 < 0x80 ? $0 : 0x3F }, as: UTF8.self)
        guard let declaration = start.firstRange(of: "<?xml"), let end = start.firstRange(of: "?>"),
            declaration.upperBound < end.lowerBound
        else { return nil }
        let text = start[declaration.upperBound..<end.lowerBound]
        guard let word = text.firstRange(of: "encoding") else { return nil }
        let value = text[word.upperBound...].drop { $0 == " " || $0 == "=" }
        guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
        return String(value.dropFirst().prefix { $0 != quote }).lowercased()
    }

    /// The text as UTF-8, without its byte order mark.
    ///
    /// - Throws: `BodyFault` with the line of the first byte that is none of the encoding.
    func utf8(_ bytes: [UInt8]) throws(BodyFault) -> [UInt8] {
        let text = mark == 0 ? bytes : Array(bytes.dropFirst(mark))
        guard name == "UTF-8" else { return try converted(text) }
        var decoder = UTF8()
        var iterator = text.makeIterator()
        guard String(validating: text, as: UTF8.self) == nil else { return text }
        // The slow way finds the line.
        var line = 1
        while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): if scalar == "\n" { line += 1 }
            case .emptyInput: return text
            case .error:
                throw BodyFault(
                    "a byte is not UTF-8, and nothing names another encoding", line: line,
                    advice:
                        "tell the upstream to name the encoding, as in `Content-Type: text/csv; charset=windows-1252`")
            }
        }
    }

    private func converted(_ text: [UInt8]) throws(BodyFault) -> [UInt8] {
        guard let converter = iconv_open("UTF-8", name), Int(bitPattern: converter) != -1 else {
            throw BodyFault("the encoding `\(name)` is not known", advice: "ask the upstream for UTF-8")
        }
        defer { iconv_close(converter) }
        var input = text.map { CChar(bitPattern: $0) }
        var output = [CChar](repeating: 0, count: 1 << 16)
        var result: [UInt8] = []
        result.reserveCapacity(text.count + text.count / 8)
        let inputCount = input.count
        var rest = inputCount
        while rest > 0 {
            var written = 0
            var failure: Int32 = 0
            input.withUnsafeMutableBufferPointer { input in
                output.withUnsafeMutableBufferPointer { output in
                    var from = input.baseAddress.map { $0 + (inputCount - rest) }
                    var to = output.baseAddress
                    var room = output.count
                    if iconv(converter, &from, &rest, &to, &room) == -1 { failure = errno }
                    written = output.count - room
                }
            }
            result.append(contentsOf: output[..<written].lazy.map { UInt8(bitPattern: $0) })
            guard failure == 0 || failure == E2BIG else {
                let line = 1 + result.count { $0 == 0x0A }
                throw BodyFault(
                    failure == EINVAL ? "it ends within a character of \(name)" : "a byte is not \(name)", line: line)
            }
        }
        return result
    }
}
