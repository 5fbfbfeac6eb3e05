/// A JSON text, read (RFC 8259).
package enum JSONValue: Sendable, Hashable {
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
    /// An object.
    case object(JSONObject)

    /// The most that arrays and objects may be nested.
    package static let maximumDepth = 1024
    /// The most values of one text: each takes more memory than its bytes do.
    package static let maximumCount = 2_000_000

    /// Reads a whole text, which must be one value and nothing after it.
    ///
    /// - Throws: `JSONSyntaxError` for anything that the RFC does not allow, and beyond
    ///   `maximumDepth` and `maximumCount`.
    package init(parsing text: String) throws(JSONSyntaxError) {
        try self.init(parsing: Array(text.utf8))
    }

    /// Reads a whole text of UTF-8, as `init(parsing:)` of the text does.
    ///
    /// - Throws: `JSONSyntaxError`.
    package init(
        parsing bytes: [UInt8], maximumCount: Int = maximumCount
    ) throws(JSONSyntaxError) {
        var parser = JSONParser(bytes, maximumCount: maximumCount)
        self = try parser.readAll()
    }

    /// Reads a whole text as `init(parsing:)` does, of any number of values, but passes over the elements of one array.
    ///
    /// Their syntax is not checked.
    ///
    /// - Parameter names: The names of the members that lead to the array.
    /// - Throws: `JSONSyntaxError`.
    package init(parsing bytes: [UInt8], withoutElementsAt names: [String]) throws(JSONSyntaxError) {
        var parser = JSONParser(bytes, maximumCount: .max, droppingElementsAt: names)
        self = try parser.readAll()
    }

    /// An object of members of which the last counts where several have one name.
    package static func object(of members: [JSONObject.Member]) -> JSONValue { .object(JSONObject(members)) }

    /// The value as JSON text, without white space.
    package var json: String {
        switch self {
        case .null: return "null"
        case .bool(let value): return "\(value)"
        case .number(let digits): return digits
        case .string(let text): return JSONText.string(text)
        case .array(let elements): return "[\(elements.map(\.json).joined(separator: ","))]"
        case .object(let members):
            var object = JSONObjectText()
            for member in members { object.add(member.name, json: member.value.json) }
            return object.text
        }
    }

    /// The value at a path of member names; nil if there is none.
    package func value(at names: ArraySlice<String>) -> JSONValue? {
        guard let name = names.first else { return self }
        guard case .object(let members) = self else { return nil }
        return members[name]?.value(at: names.dropFirst())
    }

    /// Sets the value at a path of member names. Missing objects are created, and other values on the path are replaced
    /// by one.
    package mutating func set(_ names: ArraySlice<String>, to value: JSONValue) {
        guard let name = names.first else {
            self = value
            return
        }
        var members = JSONObject()
        if case .object(let present) = self { members = present }
        var member = members[name] ?? .object(JSONObject())
        member.set(names.dropFirst(), to: value)
        members[name] = member
        self = .object(members)
    }
}

/// The place at which a text stops being JSON.
package struct JSONSyntaxError: Error, Sendable, Hashable {
    /// The fault, in plain words.
    package let message: String
    /// The number of UTF-8 bytes before the fault.
    package let offset: Int
    /// True if the text may be JSON, but has more values than are read.
    package let isTooLarge: Bool

    package init(message: String, offset: Int, isTooLarge: Bool = false) {
        self.message = message
        self.offset = offset
        self.isTooLarge = isTooLarge
    }
}

extension JSONSyntaxError: CustomStringConvertible {
    /// The message and the place.
    package var description: String { "\(message) at byte \(offset)" }
}

extension JSONValue {
    /// The members, of an object.
    package var members: JSONObject? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The elements, of an array.
    package var elements: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// True for scalars other than null.
    package var isScalar: Bool {
        switch self {
        case .bool, .number, .string: true
        case .null, .array, .object: false
        }
    }

    /// The text, of a string.
    package var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The whole number from 0 that it is, perhaps as a string; nil for anything else.
    package var count: Int? { isScalar ? scalar.count : nil }

    /// The kind of value, for messages.
    package var kindWords: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// The value at a path from here; nil if there is none.
    package func value(at path: Path) -> JSONValue? {
        path.segments.reduce(Optional(self)) { value, segment in
            switch segment {
            case .member(let name): value?.members?[name]
            case .index(let index): value?.elements.flatMap { $0.indices.contains(index) ? $0[index] : nil }
            case .first(let name, let wanted):
                value?.elements?.first { $0.members?[name]?.scalarText == wanted }
            case .memberName, .itemHash, .given: nil
            }
        }
    }

    /// The value as paginators take it, a number with all its digits.
    package var scalar: JSONScalar {
        switch self {
        case .null: .null
        case .bool(let value): .boolean(value)
        case .number(let digits): Int64(digits).map(JSONScalar.integer) ?? .number(digits)
        case .string(let text): .text(text)
        case .array, .object: .json(json)
        }
    }

    /// A text as it is, another scalar as JSON; nil for arrays and objects.
    package var scalarText: String? { isScalar ? text ?? json : nil }
}

extension Path {
    /// The path one step further.
    package func appending(_ segment: Segment) -> Path { Path(segments + [segment]) }

    /// The path to a member of the value at this path.
    package func appending(_ name: String) -> Path { appending(.member(name)) }

    /// True if the path leads to the value of the other one, or into it.
    package func starts(with other: Path) -> Bool { segments.starts(with: other.segments) }
}
