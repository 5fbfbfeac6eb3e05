/// A value that a pagination style asked the decoder for.
public enum JSONScalar: Sendable, Hashable {
    /// `null`
    case null
    /// `true` or `false`
    case boolean(Bool)
    /// A number without fraction or exponent that 64 bits hold.
    case integer(Int64)
    /// Any other number; beyond a double's range it is infinite.
    case real(Double)
    /// A string, escapes replaced.
    case text(String)
    /// An object or array, as JSON text.
    case json(String)
}

extension JSONScalar {
    /// What a count may come as: a number without fraction, from 0, or the digits of one as text; nil for all else.
    public var count: Int? {
        switch self {
        case .integer(let value): value >= 0 ? Int(exactly: value) : nil
        case .real(let value): value >= 0 ? Int(exactly: value) : nil
        case .text(let text):
            text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
        case .null, .boolean, .json: nil
        }
    }

    /// The value for a message; at most 40 characters of it.
    var shown: String {
        switch self {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let text): "the text \"\(Self.shortened(text))\""
        case .json(let text): Self.shortened(text)
        }
    }

    /// Control characters would let an upstream write to the terminal.
    private static func shortened(_ text: String) -> String {
        let start = text.prefix(40).unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }
        return String(String.UnicodeScalarView(start)) + (text.count > 40 ? "…" : "")
    }
}
