/// Reads one JSON text, byte by byte.
///
/// It keeps a stack of its own, so that deeply nested input cannot exhaust the thread's.
struct JSONParser {
    private let bytes: [UInt8]
    private let maximumCount: Int
    /// The path to an array whose elements are passed over; nil to keep all.
    private let dropped: [String]?
    private var offset = 0
    /// The values that have begun.
    private var count = 0

    /// A reader of UTF-8; bytes that are none are read as U+FFFD.
    init(_ bytes: [UInt8], maximumCount: Int = JSONValue.maximumCount, droppingElementsAt dropped: [String]? = nil) {
        self.bytes = bytes
        self.maximumCount = maximumCount
        self.dropped = dropped
    }

    /// An array or object that is still open.
    private struct Container {
        let isObject: Bool
        var name = ""
        var elements: [JSONValue] = []
        var members: [(name: String, value: JSONValue)] = []

        var value: JSONValue { isObject ? .object(of: members) : .array(elements) }
        var close: UInt8 { UInt8(ascii: isObject ? "}" : "]") }

        mutating func add(_ value: JSONValue) {
            if isObject { members.append((name, value)) } else { elements.append(value) }
        }
    }

    /// The value that is the whole text.
    mutating func readAll() throws(JSONSyntaxError) -> JSONValue {
        var open: [Container] = []
        while true {
            count += 1
            guard count <= maximumCount else {
                throw JSONSyntaxError(message: "more than \(maximumCount) values", offset: offset, isTooLarge: true)
            }
            var value: JSONValue
            if let container = try beginContainer(depth: open.count) {
                if isDropped(container, in: open) {
                    try passElements()
                } else if !takeAfterSpace(container.close) {
                    open.append(try named(container))
                    continue
                }
                value = container.value
            } else {
                value = try scalar()
            }
            while var container = open.popLast() {
                container.add(value)
                if takeAfterSpace(UInt8(ascii: ",")) {
                    open.append(try named(container))
                    break
                }
                guard takeAfterSpace(container.close) else {
                    throw error(container.isObject ? "expected `,` or `}`" : "expected `,` or `]`")
                }
                value = container.value
                if open.isEmpty { return try ended(value) }
            }
            if open.isEmpty { return try ended(value) }
        }
    }

    /// True if a container that begins is the array whose elements are not kept.
    private func isDropped(_ container: Container, in open: [Container]) -> Bool {
        guard let dropped, !container.isObject, open.count == dropped.count else { return false }
        return zip(open, dropped).allSatisfy { $0.isObject && $0.name == $1 }
    }

    /// Passes over the rest of an array up to its end, without a look at what its elements are.
    private mutating func passElements() throws(JSONSyntaxError) {
        var depth = 1
        var isInString = false
        let end = bytes.withUnsafeBufferPointer { bytes -> Int? in
            var index = offset
            while index < bytes.count {
                switch bytes[index] {
                case UInt8(ascii: "\\") where isInString: index += 1
                case UInt8(ascii: "\""): isInString.toggle()
                case UInt8(ascii: "["), UInt8(ascii: "{"): depth += isInString ? 0 : 1
                case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= isInString ? 0 : 1
                default: break
                }
                index += 1
                if depth == 0 { return index }
            }
            return nil
        }
        guard let end else {
            offset = bytes.count
            throw error("the text ends in an array")
        }
        offset = end
    }

    private mutating func ended(_ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
        skipSpace()
        guard offset == bytes.count else { throw error("more follows after the value") }
        return value
    }

    private mutating func beginContainer(depth: Int) throws(JSONSyntaxError) -> Container? {
        skipSpace()
        guard let byte, byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") else { return nil }
        guard depth < JSONValue.maximumDepth else {
            throw error("arrays and objects are nested more than \(JSONValue.maximumDepth) deep")
        }
        offset += 1
        return Container(isObject: byte == UInt8(ascii: "{"))
    }

    /// The container with the name of its next member, where it has names.
    private mutating func named(_ container: Container) throws(JSONSyntaxError) -> Container {
        guard container.isObject else { return container }
        var container = container
        skipSpace()
        guard take(UInt8(ascii: "\"")) else { throw error("expected a member's name") }
        container.name = try string()
        guard takeAfterSpace(UInt8(ascii: ":")) else { throw error("expected `:`") }
        return container
    }

    private mutating func scalar() throws(JSONSyntaxError) -> JSONValue {
        switch byte {
        case UInt8(ascii: "\""):
            offset += 1
            return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case nil: throw error("the text ends where a value was expected")
        case UInt8(ascii: "-"): return .number(try number())
        case let byte? where Self.isDigit(byte): return .number(try number())
        default: throw error("expected a value")
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
        let text = word.description
        guard bytes[offset...].starts(with: text.utf8) else { throw error("expected `\(text)`") }
        offset += text.utf8.count
        return value
    }

    private mutating func number() throws(JSONSyntaxError) -> String {
        let start = offset
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(UInt8(ascii: ".")) { try digits() }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func digits() throws(JSONSyntaxError) {
        let start = offset
        while let byte, Self.isDigit(byte) { offset += 1 }
        guard offset > start else { throw error("expected a digit") }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Reads the rest of a string after its opening quote.
    private mutating func string() throws(JSONSyntaxError) -> String {
        var text = ""
        while true {
            let start = offset
            offset = endOfPlain(from: start)
            let plain = String(decoding: bytes[start..<offset], as: UTF8.self)
            if text.isEmpty { text = plain } else { text += plain }
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                return text
            case UInt8(ascii: "\\"):
                offset += 1
                text.unicodeScalars.append(try escaped())
            case nil: throw error("the text ends in a string")
            default: throw error("a string has an unescaped control character")
            }
        }
    }

    /// The place of the next byte that ends a string, or is not in it as it is.
    private func endOfPlain(from start: Int) -> Int {
        bytes.withUnsafeBufferPointer { bytes in
            var end = start
            while end < bytes.count, bytes[end] >= 0x20, bytes[end] != UInt8(ascii: "\""),
                bytes[end] != UInt8(ascii: "\\")
            { end += 1 }
            return end
        }
    }

    private mutating func escaped() throws(JSONSyntaxError) -> Unicode.Scalar {
        let character = byte
        offset += 1
        switch character {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape()
        default:
            offset -= 1
            throw error("a string has an invalid escape")
        }
    }

    private mutating func unicodeEscape() throws(JSONSyntaxError) -> Unicode.Scalar {
        let unit = try codeUnit()
        guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) ?? "\u{FFFD}" }
        let afterLead = offset
        if take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
            let trail = try codeUnit()
            if UTF16.isTrailSurrogate(trail) {
                return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
            }
        }
        // The next escape is no trail surrogate: it is read again by itself.
        offset = afterLead
        return "\u{FFFD}"
    }

    private mutating func codeUnit() throws(JSONSyntaxError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw error("`\\u` needs four hexadecimal digits")
            }
            unit = unit << 4 | UInt16(truncatingIfNeeded: digit)
            offset += 1
        }
        return unit
    }

    /// The next byte; nil at the end.
    private var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func take(_ expected: UInt8) -> Bool {
        guard byte == expected else { return false }
        offset += 1
        return true
    }

    private mutating func takeAfterSpace(_ expected: UInt8) -> Bool {
        skipSpace()
        return take(expected)
    }

    private mutating func skipSpace() {
        while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    private func error(_ message: String) -> JSONSyntaxError { JSONSyntaxError(message: message, offset: offset) }
}
