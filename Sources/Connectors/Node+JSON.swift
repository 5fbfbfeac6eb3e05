internal import Feeds
internal import YAML

extension Node {
    /// Reads JSON; nil for another text. Its line is not kept.
    init?(json: [UInt8]) {
        guard let value = try? JSONValue(parsing: String(decoding: json, as: UTF8.self)) else { return nil }
        self.init(value)
    }

    private init(_ value: JSONValue) {
        let mark = Mark(source: "", line: 1, column: 1)
        switch value {
        case .null: self.init(.scalar(Scalar("null")), mark: mark)
        case .bool(let flag): self.init(.scalar(Scalar(flag ? "true" : "false")), mark: mark)
        case .number(let digits): self.init(.scalar(Scalar(digits)), mark: mark)
        case .string(let text): self.init(.scalar(Scalar(text, style: .quoted)), mark: mark)
        case .array(let elements): self.init(.sequence(elements.map { Node($0) }), mark: mark)
        case .object(let members):
            let pairs = members.map { member in
                Pair(key: Node(.scalar(Scalar(member.name, style: .quoted)), mark: mark), value: Node(member.value))
            }
            self.init(.mapping(pairs), mark: mark)
        }
    }
}
