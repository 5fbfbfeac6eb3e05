package import HTTP

/// Reads one value out of a response's body; nil where there is none, or no JSON.
package typealias BodyValue = @Sendable (Body, Path) -> JSONScalar?

extension ResponseRule {
    /// Whether the rule is about this response; the body is read only if the status is right.
    func matches(_ response: Response, bodyValue: BodyValue) -> Bool {
        guard status == nil || status == response.status else { return false }
        return body.allSatisfy { match in
            bodyValue(response.body, match.path)?.isWritten(match.value) == true
        }
    }
}
