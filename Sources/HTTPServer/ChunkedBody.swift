/// A body that comes in chunks, read as strictly as the head: no extension of a chunk and no field behind the last one.
///
/// Source: https://www.rfc-editor.org/rfc/rfc9112#section-7.1
package struct ChunkedBody: Sendable {
    private enum Place {
        case size
        case data(Int)
        case dataEnd
        case end
    }

    private var place = Place.size
    /// The body so far.
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Takes what it can from the front of the input; true once the body is whole.
    ///
    /// - Throws: `RequestRefusal`, of status 413 beyond the limit.
    package mutating func take(from input: inout [UInt8], limit: Int) throws(RequestRefusal) -> Bool {
        var rest = input[...]
        defer { input.removeFirst(input.count - rest.count) }
        while true {
            switch place {
            case .size:
                guard let size = try Self.size(&rest) else { return false }
                guard size <= limit - bytes.count else { throw RequestRefusal(413, "the body is too long") }
                place = size == 0 ? .end : .data(size)
            case .data(let size):
                guard !rest.isEmpty else { return false }
                let part = rest.prefix(size)
                bytes += part
                rest = rest.dropFirst(part.count)
                place = part.count == size ? .dataEnd : .data(size - part.count)
            case .dataEnd:
                guard try Self.takeLineEnd(&rest) else { return false }
                place = .size
            case .end: return try Self.takeLineEnd(&rest)
            }
        }
    }

    /// The size that a line tells; nil if more is needed.
    private static func size(_ rest: inout ArraySlice<UInt8>) throws(RequestRefusal) -> Int? {
        let digits = rest.prefix(9).prefix { UInt8(ascii: "\r") != $0 }
        let text = String(decoding: digits, as: UTF8.self)
        guard digits.count <= 8, text.allSatisfy(\.isHexDigit) else { throw .malformed("a chunk has no size") }
        guard digits.count < rest.count else { return nil }
        guard let size = Int(text, radix: 16) else { throw .malformed("a chunk has no size") }
        var line = rest.dropFirst(digits.count)
        guard try takeLineEnd(&line) else { return nil }
        rest = line
        return size
    }

    private static func takeLineEnd(_ rest: inout ArraySlice<UInt8>) throws(RequestRefusal) -> Bool {
        guard rest.prefix(2).elementsEqual([13, 10].prefix(rest.count)) else {
            throw .malformed("a chunk does not end where it should")
        }
        guard rest.count >= 2 else { return false }
        rest = rest.dropFirst(2)
        return true
    }
}
