package import HTTP

/// Reads one value out of a response's body; nil where there is none, or no JSON.
package typealias BodyValue = @Sendable (Body, Path) -> JSONScalar?

extension ResponseRule {
    /// True if the rule applies to this response; the body is read only if the status matches.
    func matches(_ response: Response, bodyValue: BodyValue) -> Bool {
        guard status == nil || status == response.status else { return false }
        return body.allSatisfy { match in
            bodyValue(response.body, match.path)?.isWritten(match.value) == true
        }
    }
}
