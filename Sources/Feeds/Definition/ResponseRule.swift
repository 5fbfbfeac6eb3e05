internal import YAML

/// A special meaning of some responses, other than that of HTTP.
package struct ResponseRule: Sendable, Hashable {
    /// The meaning of a response.
    package enum Action: String, Sendable, Hashable, CaseIterable {
        /// There is no further page.
        case end
        /// The request is to be tried again.
        case retry
        /// The page has failed.
        case fail
        /// A page without items.
        case empty
        /// The token of a delta is too old; for `expired` alone.
        case expired

        /// The words for `do`.
        package static let allCases: [Action] = [.end, .retry, .fail, .empty]
    }

    /// A value that the body must have.
    package struct BodyMatch: Sendable, Hashable {
        /// The path of the value.
        package let path: Path
        /// The value as JSON or a person writes it: `true`, `12`, `quota exceeded`, `null`.
        package let value: String
    }

    /// The status it is about, 100 to 599; nil for any.
    package let status: Int?
    /// The conditions on the body; all must hold.
    package let body: [BodyMatch]
    /// The meaning of a matching response.
    package let action: Action

    package init(status: Int?, body: [BodyMatch], action: Action) {
        self.status = status
        self.body = body
        self.action = action
    }

    /// True if the rule may match a response that looks successful.
    var doubtsSuccess: Bool { status.map { (200..<300).contains($0) || $0 == 304 } ?? true }
}

extension MappingDecoder {
    /// A list of rules, in the order in which they are tried.
    ///
    /// - Parameter meaning: The meaning of all of them; nil if each says it with `do`.
    func responses(_ name: String, meaning: ResponseRule.Action? = nil) -> [ResponseRule] {
        guard let node = node(name) else { return [] }
        guard let elements = node.elements else {
            mismatch(name, node, expected: "a list")
            return []
        }
        return elements.compactMap { element in
            MappingDecoder(element, of: "a rule in `\(name)` of \(self.subject)", log: log).responseRule(meaning)
        }
    }

    private func responseRule(_ meaning: ResponseRule.Action?) -> ResponseRule? {
        defer { finish() }
        let status = integer("status", in: 100...599)
        var matches: [ResponseRule.BodyMatch] = []
        if let body = reader("body") {
            for entry in body.entries() {
                // The key is the path here, and `null` a value like any other.
                guard let path = path("body", entry.key) else { continue }
                guard let value = entry.value.text else {
                    body.mismatch(entry.name, entry.value, expected: "a single value")
                    continue
                }
                matches.append(ResponseRule.BodyMatch(path: path, value: entry.value.isNull ? "null" : value))
            }
        }
        if !has("status"), !has("body") { report("\(subject) has neither `status` nor `body`") }
        if let meaning { return ResponseRule(status: status, body: matches, action: meaning) }
        require("do", "say what to do")
        return choice("do", ResponseRule.Action.self).map { ResponseRule(status: status, body: matches, action: $0) }
    }
}
