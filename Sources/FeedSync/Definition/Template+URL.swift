/// The part of a URL in which something stands.
enum URLPart: Hashable {
    /// Scheme, host and port, and all that a value brings along which the URL begins with.
    case beginning
    case path
    case query

    /// The part in which a URL goes on that starts so.
    init(after start: String) {
        let authority = start.firstRange(of: "://").map { start[$0.upperBound...] }
        if start.contains("?") {
            self = .query
        } else {
            self = authority?.contains("/") == true ? .path : .beginning
        }
    }

    /// A value as it must be written here to arrive as it is.
    ///
    /// Source: https://www.rfc-editor.org/rfc/rfc3986#section-3.3
    func encoded(_ value: String) -> String {
        switch self {
        case .beginning: value
        case .path: Self.percentEncoded(value, keeping: "/!$&'()*+,;=:@")
        case .query: Self.percentEncoded(value)
        }
    }

    /// Everything but RFC 3986's unreserved characters, and those that are to be kept, escaped.
    static func percentEncoded(_ text: String, keeping kept: String = "") -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            case _ where kept.utf8.contains(byte):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += digits.count == 1 ? "%0" + digits : "%" + digits
            }
        }
        return result
    }
}
