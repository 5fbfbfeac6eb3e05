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

    /// The most values of a description: those of the largest ones are a million.
    private static var mostDescribed: Int { 8_000_000 }

    /// Reads the JSON of a description; a byte order mark before it is passed over.
    ///
    /// - Throws: `ConnectorError` with the byte at which it is not JSON any more, or has too many values.
    init(describing bytes: [UInt8], _ source: String, advice: String) throws(ConnectorError) {
        do throws(JSONSyntaxError) {
            self = try JSONValue(parsing: bytes.withoutByteOrderMark, maximumCount: Self.mostDescribed)
        } catch {
            throw ConnectorError(
                ["\(source): this is not JSON: \(error.message) at byte \(error.offset)"], advice: advice)
        }
    }
}

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
