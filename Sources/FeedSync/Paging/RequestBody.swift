/// The JSON body of a request, members in the order in which they are sent.
public enum RequestBody: Sendable, Hashable {
    /// `null`
    case null
    /// `true` or `false`
    case boolean(Bool)
    /// A number, with its digits as they go out.
    case number(String)
    /// A string.
    case text(String)
    /// An array.
    case array([RequestBody])
    /// An object.
    case object([Member])

    /// A member of an object.
    public struct Member: Sendable, Hashable {
        /// The member's name.
        public let name: String
        /// The member's value.
        public let value: RequestBody

        /// A member.
        public init(name: String, value: RequestBody) {
            self.name = name
            self.value = value
        }
    }

    /// The body as JSON text in one line.
    public var json: String {
        switch self {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .number(let digits): digits
        case .text(let text): JSONText.string(text)
        case .array(let elements): "[\(elements.map(\.json).joined(separator: ","))]"
        case .object(let members):
            "{\(members.map { "\(JSONText.string($0.name)):\($0.value.json)" }.joined(separator: ","))}"
        }
    }
}

extension RequestBody {
    /// What stands at a member of a member …; nil where there is nothing.
    func value(at names: ArraySlice<String>) -> RequestBody? {
        guard let name = names.first else { return self }
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value.value(at: names.dropFirst())
    }

    /// Puts a value at a member of a member …; objects are made where they are missing, in the place of what is none.
    mutating func set(_ names: ArraySlice<String>, to value: RequestBody) {
        guard let name = names.first else {
            self = value
            return
        }
        var members: [Member] = []
        if case .object(let present) = self { members = present }
        let index = members.firstIndex { $0.name == name }
        var member = index.map { members[$0].value } ?? .object([])
        member.set(names.dropFirst(), to: value)
        let changed = Member(name: name, value: member)
        if let index { members[index] = changed } else { members.append(changed) }
        self = .object(members)
    }
}
