extension FeedDefinition {
    /// Everything that makes stored pages comparable with new ones, as text: request, credential, paging, items, key,
    /// columns, ignored parts and mode. If it changes, validators, page cursor, a synced range and watermark lapse.
    ///
    /// One member a line, sorted, so that definitions that differ only in order are equal. References such as `${NAME}`
    /// stay as written. Literal credentials are replaced by a hash: everything in `auth`, headers and parameters
    /// named like one, and the query in the URL.
    ///
    /// - Parameter salt: Goes into the hashes; keep it with the text, or two texts cannot be compared.
    package func canonicalText(salt: String) -> String { canonicalText(salt: salt, common: commonLines(salt: salt)) }

    /// The canonical text of a list, which shares all lines but the request with its feed's other lists.
    package func canonicalText(salt: String, common: CommonLines) -> String {
        // A parameter may come several times, in an order that counts: Swift's sort keeps it.
        (CommonLines(requestMembers(salt: salt)).lines + common.lines).sorted { $0.name < $1.name }.map(\.text).joined()
    }

    /// The lines of the canonical text that all lists of a feed share.
    package struct CommonLines: Sendable {
        fileprivate let lines: [(name: String, text: String)]

        fileprivate init(_ members: [(name: String, value: String)]) {
            lines = members.map { ($0.name, "\(line($0.name))=\(line($0.value))\n") }
        }
    }

    /// The lines that say nothing of the request itself.
    package func commonLines(salt: String) -> CommonLines {
        let hashed = { (literal: String) in CredentialHash.hash(literal, salt: salt) }
        var members: [(name: String, value: String)] = [
            ("pagination", pagination.canonicalText),
            ("items", items?.description ?? ""),
            ("key", key.joined(separator: " ")),
            ("sync", sync.canonicalText),
            ("section", section.map { "\($0.path) \($0.interval?.rawValue ?? "")" } ?? ""),
            ("raw", "\(keepsRaw)"),
            ("max_pages", maxPages.map { "\($0)" } ?? ""),
        ]
        if let missing { members.append(("missing", missing.rawValue)) }
        // As before there were other formats.
        if let format, format != .json { members.append(("format", format.rawValue)) }
        if let forEach { members.append(("for_each", forEach.feed)) }
        if let removed { members.append(("removed", removed.canonicalText)) }
        if let partitioning { members.append(("partition", partitioning.canonicalText)) }
        members += authentication.map { $0.canonicalMembers(hashed) } ?? []
        // As before there were client certificates.
        if let certificate = connection.clientCertificate?.certificate {
            members.append(("client_certificate", certificate.path))
        }
        if hasOpenColumns { members.append(("columns", "found")) }
        members += columns.map { ("columns.\($0.name)", $0.canonicalText) }
        members += responses.enumerated().map { index, rule in
            let body = rule.body.map { "\($0.path)=\($0.value)" }.joined(separator: " ")
            return ("responses.\(index)", "\(rule.status.map { "\($0)" } ?? "") \(body) \(rule.action.rawValue)")
        }
        members += ignore.map { ("ignore.\($0)", "") }
        return CommonLines(members)
    }

    /// The members of the request: a list's have values of its parent's row in them.
    private func requestMembers(salt: String) -> [(name: String, value: String)] {
        let hashed = { (literal: String) in CredentialHash.hash(literal, salt: salt) }
        var members = [(name: "url", value: url.canonicalURL(hashed))]
        // A GET has no line of its own, as before there were POSTs.
        if let body {
            members += [("method", "POST"), ("body", body.canonicalText { $0.canonicalValue(hashed) })]
        }
        members += query.map { ("query.\($0.name)", $0.canonicalValue(hashed)) }
        members += headers.map { ("headers.\($0.name.lowercased())", $0.canonicalValue(hashed)) }
        return members
    }

    /// The identity of items, as text: each key column with its path. If it changes, stored rows have lost their
    /// identity.
    package var keyText: String {
        key.map { name in
            let path = columns.first { $0.name == name }?.path.description ?? ""
            return "\(line(name))=\(line(path))\n"
        }.joined()
    }
}

private func line(_ text: String) -> String {
    // As hardly any text has one; looking for bytes costs a hundredth of replacing.
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "\n") }) else { return text }
    return text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
}

extension Template {
    /// A URL, the literal text in its query hashed.
    fileprivate func canonicalURL(_ hashed: (String) -> String) -> String {
        var isInQuery = false
        return written { literal in
            guard !isInQuery else { return hashed(literal) }
            guard let mark = literal.firstIndex(of: "?") else { return literal }
            isInQuery = true
            return literal[...mark] + hashed(String(literal[literal.index(after: mark)...]))
        }
    }
}

extension NamedTemplate {
    fileprivate func canonicalValue(_ hashed: (String) -> String) -> String {
        SecretName.matches(name) ? value.written(hashed) : value.description
    }
}

extension Authentication {
    fileprivate func canonicalMembers(_ hashed: (String) -> String) -> [(name: String, value: String)] {
        switch self {
        case .bearer(let token): [("auth.bearer", token.written(hashed))]
        case .basic(let user, let password):
            [("auth.basic.user", user.written(hashed)), ("auth.basic.password", password.written(hashed))]
        case .headers(let headers): headers.map { ("auth.header.\($0.name.lowercased())", $0.value.written(hashed)) }
        case .query(let parameters): parameters.map { ("auth.query.\($0.name)", $0.value.written(hashed)) }
        case .oauth2(let client):
            [
                ("auth.oauth2.token_url", client.tokenURL.canonicalURL(hashed)),
                ("auth.oauth2.client_id", client.id.written(hashed)),
                ("auth.oauth2.client_secret", client.secret.written(hashed)),
                ("auth.oauth2.scope", client.scope?.description ?? ""),
                ("auth.oauth2.audience", client.audience?.description ?? ""),
                ("auth.oauth2.send", client.sending.rawValue),
            ]
        }
    }
}

extension ColumnDefinition {
    fileprivate var canonicalText: String { type.map { "\(path) \($0.rawValue)" } ?? path.description }
}

extension SyncRule {
    fileprivate var canonicalText: String {
        guard case .since(let watermark) = self else { return mode }
        let overlap =
            switch watermark.overlap {
            case .time(let time): DurationText.text(time)
            // As it was written when 0 was the same as nothing said: mirrors made then stay as they are.
            case .standard: "0"
            case .count(let count): count == 0 ? "none" : "\(count)"
            }
        let value = watermark.value == SyncRule.Watermark.placeholder ? "" : " value \(watermark.value)"
        return "since param \(watermark.parameter)\(value) from \(watermark.path) overlap \(overlap)"
    }
}

/// A short hash of a credential. It reveals a change of the value, but not the value.
enum CredentialHash {
    /// 32 bits of the salt and the text: many texts share each value.
    static func hash(_ text: String, salt: String) -> String {
        var hash = FNV1a()
        hash.add(Array(salt.utf8) + [0] + Array(text.utf8))
        let digits = String(hash.lowerHalf, radix: 16)
        return "#" + String(repeating: "0", count: 8 - digits.count) + digits
    }
}
