extension JSONValue {
    /// The members, of an object.
    package var members: JSONObject? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The elements, of an array.
    package var elements: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// Whether it is neither null nor an array or object.
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

    /// What it is, for messages.
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

    /// What stands at a path from here; nil where nothing does.
    package func value(at path: Path) -> JSONValue? {
        path.segments.reduce(Optional(self)) { value, segment in
            switch segment {
            case .member(let name): value?.members?[name]
            case .index(let index): value?.elements.flatMap { $0.indices.contains(index) ? $0[index] : nil }
            case .first(let name, let wanted):
                value?.elements?.first { $0.members?[name]?.comparedText == wanted }
            case .memberName, .itemHash: nil
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

    /// What a path's `[name=value]` is compared with.
    private var comparedText: String? { isScalar ? text ?? json : nil }
}

extension Path {
    /// The path one step further.
    package func appending(_ segment: Segment) -> Path { Path(segments + [segment]) }

    /// The path to a member of what this one leads to.
    package func appending(_ name: String) -> Path { appending(.member(name)) }

    /// Whether it leads into what the other one leads to, or to the same.
    package func starts(with other: Path) -> Bool { segments.starts(with: other.segments) }
}
