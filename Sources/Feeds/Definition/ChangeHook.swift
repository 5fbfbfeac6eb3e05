internal import YAML

/// The change hook of a feed.
package struct ChangeHook: Sendable, Hashable {
    /// The receiver of changes.
    package enum Target: Sendable, Hashable {
        /// A program, which reads the changes.
        case program([String])
        /// A web server, which gets them in a request.
        indirect case webhook(Webhook)
    }

    /// The request that a web server gets.
    package struct Webhook: Sendable, Hashable {
        package let url: Template
        package let method: String
        package let headers: [NamedTemplate]
        /// Signs the request.
        package let secret: Template?
    }

    /// The words for people, in place of JSON lines.
    package struct Message: Sendable, Hashable {
        /// A line for each change, with the names of values in braces.
        package let line: String
        /// The text or JSON around the lines; nil to send only the lines.
        package let body: BodyTemplate?

        /// The line where the definition gives only a body.
        static let standardLine = "{feed}: {kind} {title} {link}"
    }

    package let target: Target
    /// Nil for a receiver of JSON lines.
    package let message: Message?
    /// The time for which changes wait for others.
    package let batch: Duration
    /// Its position in the file.
    package let position: SourcePosition

    /// The texts that may refer to a value elsewhere.
    package var templates: [Template] {
        let body = message?.body?.texts.map(\.value) ?? []
        switch target {
        case .program: return body
        case .webhook(let hook): return [hook.url] + hook.headers.map(\.value) + [hook.secret].compactMap(\.self) + body
        }
    }

    package static func == (one: ChangeHook, other: ChangeHook) -> Bool {
        one.target == other.target && one.message == other.message && one.batch == other.batch
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(target)
        hasher.combine(message)
        hasher.combine(batch)
    }
}

extension MappingDecoder {
    /// `{exec: [program, arguments]}`, or `{webhook: URL}`, with what it gets.
    func changeHook(_ name: String) -> ChangeHook? {
        guard let node = node(name), let members = reader(name) else { return nil }
        defer { members.finish() }
        let position = SourcePosition(node.mark)
        let words = members.strings("exec").map(\.text)
        let hook = members.webhook()
        let line = members.string("message")
        let body = members.node("body").flatMap { members.bodyTemplate("body", $0) }
        let batch = members.duration("batch", in: .seconds(1)...(.seconds(7 * 86_400))) ?? .zero
        guard members.has("exec") != members.has("webhook") else {
            if node.pairs != nil {
                report("`\(name)` of \(subject) needs either `exec` or `webhook`", at: position)
            }
            return nil
        }
        let message: ChangeHook.Message? =
            line == nil && body == nil
            ? nil : ChangeHook.Message(line: line ?? ChangeHook.Message.standardLine, body: body)
        if let hook {
            return ChangeHook(target: .webhook(hook), message: message, batch: batch, position: position)
        }
        guard members.has("exec") else { return nil }
        for other in ["secret", "method", "headers"] where members.has(other) {
            members.report("`\(other)` of `\(name)` is for what a `webhook` gets", at: other)
        }
        guard words.first?.isEmpty == false, !words.contains(where: { $0.utf8.contains(0) }) else {
            members.report("`exec` of `\(name)` must be a program and its arguments", at: "exec")
            return nil
        }
        return ChangeHook(target: .program(words), message: message, batch: batch, position: position)
    }

    private func webhook() -> ChangeHook.Webhook? {
        let url = url("webhook")
        let secret = template("secret")
        let method = choice("method", [(word: "POST", value: "POST"), (word: "PUT", value: "PUT")]) ?? "POST"
        let headers = headers("headers")
        return url.map { ChangeHook.Webhook(url: $0, method: method, headers: headers, secret: secret) }
    }
}
