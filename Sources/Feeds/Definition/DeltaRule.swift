internal import YAML

/// The rule of a sync that asks for what changed since a token, which the upstream gave in the crawl before.
package struct DeltaRule: Sendable, Hashable {
    /// The place of a token in a request.
    package enum Target: Sendable, Hashable {
        /// The token is the URL of the first page.
        case url
        /// A query parameter, or a member of the body.
        case parameter(String)
        case header(String)
    }

    /// The place of a token in a response.
    package let source: NextSource
    package let target: Target
    /// The URL that takes the token, and nothing else; nil for the feed's own.
    package let address: String?
    /// The responses that say that a token is too old.
    package let expired: [ResponseRule]

    /// The token that a crawl keeps after a page.
    ///
    /// A token in a body may tell how far its page reaches, or lead to the next page. One in a header is that of the
    /// whole list: a later one would pass over a change made meanwhile on a page that has been read.
    ///
    /// - Parameters:
    ///   - token: The page's token; nil if it has none.
    ///   - before: The token that was kept before.
    package func token(_ token: String?, behind before: String?) -> String? {
        switch source {
        case .body: token ?? before
        case .header: before ?? token
        }
    }

    /// 410 (Gone), as Microsoft Graph and Google answer.
    static let standardExpired = [ResponseRule(status: 410, body: [], action: .expired)]

    /// The rule on one line, equal for equal rules.
    var canonicalText: String {
        let from =
            switch source {
            case .body(let path): "\(path)"
            case .header(let name): "header \(name)"
            }
        let to =
            switch target {
            case .url: "url"
            case .parameter(let name): "param \(name)"
            case .header(let name): "header \(name)"
            }
        let expired = expired.map { rule in
            ([rule.status.map { "\($0)" } ?? "any"] + rule.body.map { "\($0.path) \($0.value)" }).joined(separator: " ")
        }
        let place = address.map { " at \($0)" } ?? ""
        return "delta token \(from) as \(to)\(place) expired \(expired.joined(separator: ", "))"
    }
}

extension MappingDecoder {
    /// The rule of `mode: delta`; nil for one that is wrong, and for another mode.
    func deltaRule(isDelta: Bool) -> DeltaRule? {
        let source = tokenSource("token")
        let parameter = string("param")
        let header = isDelta ? string("header") : nil
        let address = isDelta ? address("at") : nil
        let expired = has("expired") ? responses("expired", meaning: .expired) : DeltaRule.standardExpired
        guard isDelta else { return nil }
        require("token", "mode `delta` needs the path of the token for the next sync, such as `nextSyncToken`")
        if parameter != nil, header != nil {
            report("\(subject) has `param` and `header`: the token goes out in one of them", at: "header")
        }
        if has("at"), isDelta, parameter == nil {
            report("`at` of \(subject) needs a `param`: a token that is a URL has its own address", at: "at")
        }
        guard let source else { return nil }
        let target = parameter.map(DeltaRule.Target.parameter) ?? header.map(DeltaRule.Target.header) ?? .url
        return DeltaRule(source: source, target: target, address: address, expired: expired)
    }

    /// A URL without references.
    func address(_ name: String) -> String? {
        guard let node = node(name), let text = string(name, node) else { return nil }
        guard text.hasPrefix("https://") || text.hasPrefix("http://"), !text.contains("${"),
            text.utf8.allSatisfy({ $0 > 32 && $0 != 127 })
        else {
            report(
                "`\(name)` of \(subject) must be a URL that begins with `https://` or `http://`, without references",
                at: SourcePosition(node.mark), word: text)
            return nil
        }
        if reports(URLFault(inHostOf: text), of: name, node) { return nil }
        return text
    }

    /// A path, or `{header: NAME}`.
    private func tokenSource(_ name: String) -> NextSource? {
        guard let node = node(name) else { return nil }
        guard node.pairs != nil, let members = reader(name) else {
            return path(name, node).map { .body($0) }
        }
        defer { members.finish() }
        members.require("header", "say which header of a response holds the token")
        return members.string("header").map { .header($0) }
    }
}
