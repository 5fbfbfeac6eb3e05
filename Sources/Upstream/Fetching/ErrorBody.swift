package import HTTP

/// An error that came with a status of success. It is looked for in a body without items: there, an error must not be
/// taken for an empty page, which is the end of a list.
///
/// | member of the body or its one object, or of their `meta`, `status`, `result`, `response` or header | an error if it is |
/// | --- | --- |
/// | `error`, `errors`, `exception`, `fault` | anything but null, false, 0, an empty value or a word such as "ok" |
/// | `success`, `ok`, `succeeded` | false, 0, "false", "no" |
/// | `response` | false, "false", "no" |
/// | `is_error`, `has_errors` | true, 1, "true", "yes" |
/// | `code`, `status`, `stat`, `status_code` | a number from 400 to 599, or below 0, or words such as "failed" that the URL does not have |
/// | `result`, `outcome` | such words |
/// | `error_code`, `err_no`, `ret_code`, `return_code` | neither 0, null, empty nor a word such as "ok" |
/// | `message`, `msg`, `warnings`, … | a text with `RefusalWords` of trouble |
/// | `message`, `note`, `information`, `detail`, … | a text, and the body has nothing else, not even null for the items |
///
/// The spelling of a name does not matter: case, `_` and `-` are ignored. A page that was worked out may say 404 or 416
/// of itself: as a status of the response, that is the end.
package enum ErrorBody {
    private static let codes = [["error", "code"], ["error", "type"], ["code"]].map {
        Path($0.map(Path.Segment.member))
    }
    /// The most bytes that are words about an error, and not a page.
    private static let longest = 1 << 20
    private static let errors: Set<String> = ["error", "errors", "exception", "fault"]
    private static let successes: Set<String> = [
        "success", "ok", "succeeded", "issuccess", "issuccessful", "successful",
    ]
    private static let failures: Set<String> = ["iserror", "haserror", "haserrors", "isfailure"]
    private static let statuses: Set<String> = [
        "code", "status", "stat", "statuscode", "httpstatus", "httpcode", "httpstatuscode", "statustext",
        "responsecode", "responsestatus",
    ]
    private static let outcomes: Set<String> = ["result", "outcome"]
    private static let errorCodes: Set<String> = [
        "errcode", "errorcode", "errno", "errorno", "retcode", "returncode", "resultcode", "errornumber",
    ]
    private static let objects: Set<String> = [
        "meta", "metadata", "status", "result", "response", "header", "headers", "responseheader", "info",
    ]
    /// The names of reports about the request.
    private static let reports: Set<String> = [
        "message", "messages", "msg", "warning", "warnings", "errormessage", "errormsg", "errmsg", "retmsg",
        "statusmessage", "information",
    ]
    /// The names of other texts, which may belong to something else.
    private static let texts: Set<String> = ["note", "notice", "info", "detail", "details", "reason", "description"]
    private static let failureWords: Set<String> = [
        "error", "errors", "fail", "failed", "failure", "failures", "fault", "exception", "unauthorized",
        "unauthenticated", "forbidden", "denied", "throttled", "throttling", "limit", "limited", "invalid",
        "unavailable", "timeout", "notok",
    ]
    private static let noWords: Set<String> = ["no", "not", "non", "none", "nil", "without", "zero", "0"]

    /// The error in a successful response's body, as a failure; nil if there is none.
    ///
    /// - Parameters:
    ///   - items: The path of the items; nil if it is unknown.
    ///   - mayBeBeyondEnd: True for a page that was worked out and is not the first.
    package static func failure(
        _ response: Response, items: Path? = nil, secrets: Secrets, mayBeBeyondEnd: Bool = false
    ) -> FeedSyncError? {
        let body = response.body
        let look = Look(
            items: items?.segments.first, allowed: mayBeBeyondEnd ? [404, 416] : [],
            query: response.url.text.split(separator: "?", maxSplits: 1).dropFirst().first.map { $0.lowercased() } ?? ""
        )
        guard (200..<300).contains(response.status), body.count <= longest, look.saysError(body) else { return nil }
        let words = UpstreamText.quotation(of: response, secrets: secrets)
        let code = codes.lazy.compactMap { BodyProbe.value(of: body, at: $0)?.parameterText }.first
            .flatMap { UpstreamText.excerpt($0, secrets) }
        return FeedSyncError(
            .rejected,
            "the upstream answered \(StatusText.text(response.status)), with an error in the body"
                + (words.map { ": \($0)" } ?? "") + (code.map { " (code \($0))" } ?? ""),
            advice: "check the `url`, `query`, `body` and `auth`", httpStatus: response.status)
    }

    /// A look at one body.
    private struct Look {
        /// The first step to the items.
        let items: Path.Segment?
        /// Statuses that are the end.
        let allowed: Set<Int>
        /// The query of the page's URL, in lower case. Upstreams repeat it: `status=failed` lists what failed.
        let query: String

        func saysError(_ body: Body) -> Bool {
            guard let top = (try? JSONValue(body))?.members else { return false }
            // The document element of XML.
            let inner = top.all.count == 1 ? top.all.first?.value.members : nil
            return hasOnlyText(top.all)
                || (top.all + (inner?.all ?? [])).contains { member in
                    if saysError(member) { return true }
                    let isAbout = ErrorBody.objects.contains(MemberName(member.name).folded)
                    return isAbout && member.value.members?.all.contains { saysError($0) } ?? false
                }
        }

        private func saysError(_ member: JSONObject.Member) -> Bool {
            let name = MemberName(member.name).folded
            if ErrorBody.errors.contains(name) {
                // An empty list: https://www.openarchives.org/OAI/openarchivesprotocol.html#ErrorConditions
                let isEmptyList = member.value.members?["@code"]?.text == "noRecordsMatch"
                return !isEmptyList && !PagingNames.saysNothing(member.value)
            }
            if ErrorBody.reports.contains(name), saysTrouble(member.value) { return true }
            guard let text = word(member.value) else { return false }
            // A `response` may be a code, of which 0 is a good one.
            if name == "response" { return ["false", "no"].contains(text.lowercasedASCII) }
            if ErrorBody.successes.contains(name) { return ["false", "0", "no"].contains(text.lowercasedASCII) }
            if ErrorBody.failures.contains(name) { return ["true", "1", "yes"].contains(text.lowercasedASCII) }
            if ErrorBody.outcomes.contains(name) { return isFailure(text) }
            if ErrorBody.statuses.contains(name) {
                guard let number = Int(text) else { return isFailure(text) }
                return number < 0 || (400..<600).contains(number) && !allowed.contains(number)
            }
            guard ErrorBody.errorCodes.contains(name), !PagingNames.saysNothing(member.value) else { return false }
            return Int(text).map { !(200..<300).contains($0) } ?? true
        }

        /// True for words such as `failed`, `OVER_QUERY_LIMIT` and `internalError`, and not for `noErrors`.
        private func isFailure(_ text: String) -> Bool {
            guard text.utf8.count <= 100 else { return false }
            guard !"&\(query)&".contains("=\(text.lowercasedASCII)&") else { return false }
            let words = MemberName(text).words
            return !ErrorBody.failureWords.isDisjoint(with: words) && ErrorBody.noWords.isDisjoint(with: words)
        }

        private func saysTrouble(_ value: JSONValue) -> Bool {
            switch value {
            case .string(let text): RefusalWords(text).sayTrouble
            case .array(let elements):
                elements.prefix(20).contains { $0.text.map { RefusalWords($0).sayTrouble } ?? false }
            default: false
            }
        }

        /// True for a body with a message, and nothing else but an empty text or null.
        private func hasOnlyText(_ members: [JSONObject.Member]) -> Bool {
            // An empty list may be null.
            let others = members.filter {
                $0.value != .string("") && ($0.value != .null || items == .member($0.name))
            }
            return !others.isEmpty
                && others.allSatisfy { member in
                    ErrorBody.reports.union(ErrorBody.texts).contains(MemberName(member.name).folded)
                        && member.value.text != nil
                        && !PagingNames.saysNothing(member.value)
                }
        }

        /// A scalar as text; nil for other values.
        private func word(_ value: JSONValue) -> String? {
            switch value {
            case .bool(let isTrue): isTrue ? "true" : "false"
            case .number(let text), .string(let text): text
            case .null, .array, .object: nil
            }
        }
    }
}
