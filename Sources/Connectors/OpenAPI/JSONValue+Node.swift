internal import Feeds
internal import YAML

extension JSONValue {
    /// The value of a node of YAML, as JSON has it; a number that JSON does not have is a text.
    init(_ node: Node) {
        switch node.content {
        case .scalar(let scalar):
            switch scalar.resolution {
            case .null: self = .null
            case .boolean(let flag): self = .bool(flag)
            case .integer, .oversizedInteger, .real:
                self = (try? JSONValue(parsing: scalar.text)) ?? .string(scalar.text)
            case .text: self = .string(scalar.text)
            }
        case .sequence(let elements): self = .array(elements.map { JSONValue($0) })
        case .mapping(let pairs):
            self = .object(of: pairs.map { (name: $0.key.text ?? "", value: JSONValue($0.value)) })
        }
    }
}
