package import HTTP

/// An error that came with a status of success. It is looked for in a body without items: there, an error must not be
/// taken for an empty page, which is the end of a list.
///
/// | member of the body, or of its `meta`, `status`, `result`, `response` or header | an error if it is |
/// | --- | --- |
/// | `error`, `errors`, `exception`, `fault` | anything but null, false, 0, an empty text, list or object |
/// | `success`, `ok`, `succeeded` | false, 0, "false", "no" |
/// | `is_error`, `has_errors` | true, 1, "true", "yes" |
/// | `code`, `status`, `status_code` | a number from 400 to 599 but 404, a number below 0, or a word such as "failed" |
/// | `error_code`, `err_no`, `ret_code`, `return_code` | neither 0, null, empty nor a word such as "ok" |
///
/// The spelling of a name does not matter: case, `_` and `-` are ignored.
package enum ErrorBody {
    private static let codes = [["error", "code"], ["error", "type"], ["code"]].map {
        Path($0.map(Path.Segment.member))
    }
    /// The most bytes that are words about an error, and not a page.
    private static let longest = 1 << 20
    private static let errors: Set<String> = ["error", "errors", "exception", "fault"]
    private static let successes: Set<String> = ["success", "ok", "succeeded", "issuccess", "issuccessful"]
    private static let failures: Set<String> = ["iserror", "haserror", "haserrors", "isfailure"]
    private static let statuses: Set<String> = ["code", "status", "statuscode", "httpstatus", "httpcode", "statustext"]
    private static let errorCodes: Set<String> = [
        "errcode", "errorcode", "errno", "errorno", "retcode", "returncode", "resultcode", "errornumber",
    ]
    private static let objects: Set<String> = [
        "meta", "metadata", "status", "result", "response", "header", "headers", "responseheader", "info",
    ]
    private static let failureWords: Set<String> = [
        "error", "fail", "failed", "failure", "fault", "exception", "unauthorized", "forbidden", "throttled",
    ]
    private static let successWords: Set<String> = ["", "ok", "success", "succeed", "succeeded", "successful", "none"]

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
        guard let members = (try? JSONTree(body))?.members else { return false }
        return members.all.contains { member in
            if saysError(member) { return true }
            guard objects.contains(MemberName(member.name).folded), let inner = member.value.members else {
                return false
            }
            return inner.all.contains(where: saysError)
        }
    }

    private static func saysError(_ member: JSONTree.Member) -> Bool {
        let name = MemberName(member.name).folded
        if errors.contains(name) { return !isNothing(member.value) }
        let text = word(member.value)
        if successes.contains(name) { return ["false", "0", "no"].contains(text) }
        if failures.contains(name) { return ["true", "1", "yes"].contains(text) }
        if statuses.contains(name) { return text.map(isFailedStatus) ?? false }
        guard errorCodes.contains(name), let text else { return false }
        return !successWords.contains(text) && Int(text).map { $0 != 0 && !(200..<300).contains($0) } ?? true
    }

    /// A page behind the last one may say 404 of itself, which is its end.
    private static func isFailedStatus(_ text: String) -> Bool {
        guard let number = Int(text) else { return failureWords.contains(text) }
        return number < 0 || (400..<600).contains(number) && number != 404
    }

    private static func isNothing(_ value: JSONValue) -> Bool {
        switch value {
        case .null, .bool(false), .number("0"), .string(""): true
        case .array(let elements): elements.isEmpty
        case .object(let members): members.isEmpty
        default: false
        }
    }

    /// A scalar in lower case; nil for other values.
    private static func word(_ value: JSONValue) -> String? {
        switch value {
        case .bool(let isTrue): isTrue ? "true" : "false"
        case .number(let text), .string(let text): text.lowercased()
        case .null, .array, .object: nil
        }
    }
}
