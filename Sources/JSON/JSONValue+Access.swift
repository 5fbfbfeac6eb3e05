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
                value?.elements?.first { $0.members?[name]?.comparedText == wanted }
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

    /// The text to compare with a path's `[name=value]`.
    private var comparedText: String? { isScalar ? text ?? json : nil }
}

extension Path {
    /// The path one step further.
    package func appending(_ segment: Segment) -> Path { Path(segments + [segment]) }

    /// The path to a member of the value at this path.
    package func appending(_ name: String) -> Path { appending(.member(name)) }

    /// True if the path leads to the value of the other one, or into it.
    package func starts(with other: Path) -> Bool { segments.starts(with: other.segments) }
}
