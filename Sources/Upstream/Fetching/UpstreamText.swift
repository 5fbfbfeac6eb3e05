package import HTTP

/// An upstream's text about a failure, fit for a message.
package enum UpstreamText {
    /// The most Unicode scalars that are quoted.
    private static let limit = 200

    /// The usual places of the message in APIs' errors, best first.
    private static let places =
        [
            // Beside `description`, as in Zendesk's errors, `error` is a code.
            ["message"], ["error", "message"], ["error_description"], ["description"], ["error"], ["detail"], ["title"],
            ["error", "info"], ["error", "detail"], ["fault", "faultstring"], ["exception", "message"], ["exception"],
        ].map { Path($0.map(Path.Segment.member)) } + ["message", "detail", "title"].map(inErrors)
        + [
            "msg", "error_message", "errmsg", "errorMessage", "retMsg", "Error", "Message", "Note", "Information",
            "reason",
        ].map { Path([.member($0)]) }
    // GraphQL and JSON:API have several.
    private static func inErrors(_ name: String) -> Path { Path([.member("errors"), .index(0), .member(name)]) }

    /// The text as it came, for a look at its words; nil where the body has none.
    package static func text(of response: Response) -> String? {
        guard !response.body.isEmpty else { return nil }
        for place in places {
            if case .text(let text)? = BodyProbe.value(of: response.body, at: place), !text.isEmpty { return text }
        }
        // A page of HTML has words about everything.
        if case .html(let title)? = BodyFormat(of: response.body) { return title }
        // Names of members are no words about an error.
        if response.body.count <= 1 << 16, let value = try? JSONValue(parsing: response.body.bytes) {
            return texts(in: value, depth: 0).joined(separator: ". ")
        }
        return response.body.withUnsafeBytes { String(decoding: $0.prefix(1_000), as: UTF8.self) }
    }

    private static func texts(in value: JSONValue, depth: Int) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let elements) where depth < 4: elements.prefix(20).flatMap { texts(in: $0, depth: depth + 1) }
        case .object(let members) where depth < 4:
            members.all.prefix(50).flatMap { texts(in: $0.value, depth: depth + 1) }
        default: []
        }
    }

    /// The sentence in quotes; nil where the body has none.
    package static func quotation(of response: Response, secrets: Secrets) -> String? {
        guard !response.body.isEmpty else { return nil }
        for place in places {
            guard case .text(let text)? = BodyProbe.value(of: response.body, at: place) else { continue }
            if let excerpt = excerpt(text, secrets) { return "\"\(excerpt)\"" }
        }
        // The words of an HTML page drown in its mark-up.
        if response.contentType?.hasSuffix("html") == true {
            guard case .html(let title?)? = BodyFormat(of: response.body) else { return nil }
            return excerpt(title, secrets).map { "\"\($0)\"" }
        }
        return Excerpt.of(response.body, limit: limit, secrets: secrets).map { "\"\($0)\"" }
    }

    /// The beginning of a text, secrets masked; nil if there is nothing to see.
    static func excerpt(_ text: String, _ secrets: Secrets) -> String? {
        Excerpt.of(text, limit: limit, secrets: secrets)
    }
}
