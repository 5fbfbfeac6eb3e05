/// A JSON text, read (RFC 8259).
public enum JSONValue: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number, with the digits as written: which of Swift's types holds it is for the reader to say.
    case number(String)
    /// A string, its escapes resolved; half a surrogate pair is U+FFFD.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object; of members with one name, the last.
    case object([String: JSONValue])

    /// The most that arrays and objects may be nested.
    public static let maximumDepth = 1024

    /// Reads a whole text, which must be one value and nothing after it.
    ///
    /// - Throws: `JSONSyntaxError` for anything that the RFC does not allow, and beyond `maximumDepth`.
    public init(parsing text: String) throws(JSONSyntaxError) {
        var reader = JSONReader<JSONValue>(Array(text.utf8))
        self = try reader.readAll()
    }
}

extension JSONValue: JSONReadable {
    static func object(of members: [(name: String, value: JSONValue)]) -> JSONValue {
        .object(Dictionary(members.lazy.map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last }))
    }
}

/// Where a text stops being JSON.
public struct JSONSyntaxError: Error, Sendable, Hashable {
    /// What is wrong there.
    public let message: String
    /// How many bytes of UTF-8 come before it.
    public let offset: Int
}

extension JSONSyntaxError: CustomStringConvertible {
    /// The message and the place.
    public var description: String { "\(message) at byte \(offset)" }
}
