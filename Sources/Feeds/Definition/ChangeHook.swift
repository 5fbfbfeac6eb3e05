internal import YAML

/// The change hook of a feed.
package struct ChangeHook: Sendable {
    /// The receiver of changes.
    package enum Target: Sendable {
        /// A program, which reads the changes.
        case program([String])
        /// A web server, which gets them in a POST, signed if there is a secret.
        case webhook(Template, secret: Template?)
    }

    package let target: Target
    /// Its position in the file.
    package let position: SourcePosition

    /// The texts that may refer to a value elsewhere.
    package var templates: [Template] {
        switch target {
        case .program: []
        case .webhook(let url, let secret): [url] + [secret].compactMap(\.self)
        }
    }
}

extension MappingDecoder {
    /// `{exec: [program, arguments]}`, or `{webhook: URL, secret: …}`.
    func changeHook(_ name: String) -> ChangeHook? {
        guard let node = node(name), let members = reader(name, of: "`\(name)` of \(subject)") else { return nil }
        defer { members.finish() }
        let position = SourcePosition(node.mark)
        let words = members.strings("exec").map(\.text)
        let url = members.url("webhook")
        let secret = members.template("secret")
        guard members.has("exec") != members.has("webhook") else {
            if node.pairs != nil {
                report("`\(name)` of \(subject) needs either `exec` or `webhook`", at: position)
            }
            return nil
        }
        if let url { return ChangeHook(target: .webhook(url, secret: secret), position: position) }
        guard members.has("exec") else { return nil }
        if members.has("secret") {
            members.report("`secret` of `\(name)` signs what a `webhook` gets", at: "secret")
        }
        guard words.first?.isEmpty == false, !words.contains(where: { $0.utf8.contains(0) }) else {
            members.report("`exec` of `\(name)` must be a program and its arguments", at: "exec")
            return nil
        }
        return ChangeHook(target: .program(words), position: position)
    }
}
