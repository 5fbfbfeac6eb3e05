public import HTTP

/// Reads one value out of a response's body; nil where there is none, or no JSON.
public typealias BodyValue = @Sendable (Body, Path) -> JSONScalar?

extension ResponseRule {
    /// Whether the rule is about this response; the body is read only if the status is right.
    func matches(_ response: Response, bodyValue: BodyValue) -> Bool {
        guard status == nil || status == response.status else { return false }
        return body.allSatisfy { match in
            bodyValue(response.body, match.path)?.isWritten(match.value) == true
        }
    }
}

extension JSONScalar {
    /// Whether a person would write the value so.
    func isWritten(_ text: String) -> Bool {
        switch self {
        case .null: text == "null"
        case .boolean(let value): text == "\(value)"
        case .integer(let value): Int64(text) == value || Double(text) == Double(value)
        case .real(let value): Double(text) == value
        case .number(let value): text == value || Double(text) == Double(value)
        case .text(let value), .json(let value): text == value
        }
    }
}
