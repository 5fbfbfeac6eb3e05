/// Mends what programs get wrong in web feeds: characters that XML does not allow, and an `&` that begins nothing.
///
/// Source: https://www.w3.org/TR/xml/#charsets
enum XMLRepair {
    /// The text without such mistakes; nil if it has none. Lines stay.
    static func repaired(_ text: [UInt8]) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(text.count + 64)
        var isChanged = false
        // The end of a part in which an `&` is one.
        var literalEnd = 0
        var place = 0
        while place < text.count {
            let byte = text[place]
            var length = 1
            if byte < 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D {
                isChanged = true
            } else if byte == UInt8(ascii: "&"), place >= literalEnd {
                switch Reference(text[place...]) {
                case .good(let count):
                    result += text[place..<place + count]
                    length = count
                case .bad(let count):
                    result += "\u{FFFD}".utf8
                    isChanged = true
                    length = count
                case .none:
                    result += "&amp;".utf8
                    isChanged = true
                }
            } else {
                if byte == UInt8(ascii: "<"), place >= literalEnd { literalEnd = end(ofLiteral: text[place...]) }
                result.append(byte)
            }
            place += length
        }
        return isChanged ? result : nil
    }

    /// The end of a section, a comment or an instruction; 0 for anything else.
    private static func end(ofLiteral text: ArraySlice<UInt8>) -> Int {
        let kinds = [("<![CDATA[", "]]>"), ("<!--", "-->"), ("<?", "?>")]
        guard let kind = kinds.first(where: { text.starts(with: $0.0.utf8) }) else { return 0 }
        let end = Array(kind.1.utf8)
        var place = text.startIndex + kind.0.utf8.count
        while place + end.count <= text.endIndex {
            if text[place] == end[0], text[place...].starts(with: end) { return place + end.count }
            place += 1
        }
        return text.endIndex
    }

    /// A reference, as far as it is one.
    private enum Reference {
        /// A reference of so many bytes.
        case good(Int)
        /// One to a character that XML does not allow.
        case bad(Int)
        case none

        init(_ text: ArraySlice<UInt8>) {
            let body = text.dropFirst().prefix(32).prefix { $0 != UInt8(ascii: ";") }
            let end = body.endIndex
            guard !body.isEmpty, end < text.endIndex, text[end] == UInt8(ascii: ";") else {
                self = .none
                return
            }
            let count = end - text.startIndex + 1
            let word = String(decoding: body, as: UTF8.self)
            guard word.first == "#" else {
                let isName = word.utf8.allSatisfy {
                    (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 >= 0x80
                        || [0x2D, 0x2E, 0x5F].contains($0)
                }
                self = isName && word.first?.isNumber != true ? .good(count) : .none
                return
            }
            let digits = word.dropFirst()
            let number = digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            guard let number, let scalar = Unicode.Scalar(number) else {
                self = .bad(count)
                return
            }
            let isAllowed =
                [0x09, 0x0A, 0x0D].contains(scalar.value)
                || scalar.value >= 0x20 && ![0xFFFE, 0xFFFF].contains(scalar.value)
            self = isAllowed ? .good(count) : .bad(count)
        }
    }
}
