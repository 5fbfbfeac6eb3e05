package import HTTP

/// An error that came with a status of success: `{"error": {…}}`, `{"errors": […]}`, `{"success": false}`.
package enum ErrorBody {
    private static let members = ["error", "errors", "exception", "fault"].map { Path([.member($0)]) }
    private static let codes = [["error", "code"], ["error", "type"], ["code"]].map {
        Path($0.map(Path.Segment.member))
    }
    /// The most bytes that are words about an error, and not a page.
    private static let longest = 1 << 20
    private static let flags = ["success", "ok"].map { Path([.member($0)]) }

    /// The error in a successful response's body, as a failure; nil if there is none.
    package static func failure(_ response: Response, secrets: Secrets) -> FeedSyncError? {
        let body = response.body
        guard (200..<300).contains(response.status), body.count <= longest, saysError(body) else { return nil }
        let words = UpstreamText.quotation(of: response, secrets: secrets, bodyValue: BodyProbe.value)
        let code = codes.lazy.compactMap { BodyProbe.value(of: body, at: $0)?.parameterText }.first
            .flatMap { UpstreamText.excerpt($0, secrets) }
        return FeedSyncError(
            .rejected,
            "the upstream answered \(StatusText.text(response.status)), with an error in the body"
                + (words.map { ": \($0)" } ?? "") + (code.map { " (code \($0))" } ?? ""),
            advice: "check the `url`, `query`, `body` and `auth`", httpStatus: response.status)
    }

    private static func saysError(_ body: Body) -> Bool {
        if members.contains(where: { isError(BodyProbe.value(of: body, at: $0)) }) { return true }
        if flags.contains(where: { BodyProbe.value(of: body, at: $0) == .boolean(false) }) { return true }
        guard case .text(let status)? = BodyProbe.value(of: body, at: Path([.member("status")])) else { return false }
        return ["error", "fail"].contains(status.lowercased())
    }

    private static func isError(_ value: JSONScalar?) -> Bool {
        switch value {
        case nil, .null, .boolean(false), .integer(0), .text(""), .json("[]"), .json("{}"): false
        default: true
        }
    }
}
