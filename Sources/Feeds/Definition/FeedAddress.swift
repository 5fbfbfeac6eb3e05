internal import YAML

extension MappingDecoder {
    /// The feed's `url`, checked as far as possible without its references.
    func url(_ name: String) -> Template? {
        guard let template = template(name) else { return nil }
        let start = template.literalPrefix
        let isWhole = template.isLiteral
        // A URL that begins with a reference is checked once the reference is followed.
        guard isWhole || !start.isEmpty else { return template }
        guard let afterScheme = Self.afterScheme(start) else {
            report("`\(name)` of \(subject) must begin with `https://` or `http://`", at: name)
            return nil
        }
        let authority = afterScheme.utf8.prefix { !"/?#".utf8.contains($0) }
        if authority.contains(UInt8(ascii: "@")) {
            report(
                "`\(name)` of \(subject) has a user or password in it; give them as `auth: {basic: {user, password}}`",
                at: name)
            return nil
        }
        if isWhole, authority.isEmpty {
            report("`\(name)` of \(subject) names no host", at: name)
            return nil
        }
        return template
    }

    /// The value of a preset's parameter, checked as far as possible without its references.
    func parameter(_ name: String, as role: ParameterRole) -> Template? {
        switch role {
        case .part:
            guard let part = template(name) else { return nil }
            // These are no part of a path: they would lead to another one.
            guard !part.isLiteral || !["", ".", ".."].contains(part.literalPrefix) else {
                report(
                    "`\(name)` of \(subject) is part of the URL, and cannot be `\(part.literalPrefix)`", at: name)
                return nil
            }
            return part
        case .wholeURL: return url(name)
        case .site:
            guard let site = url(name) else { return nil }
            guard !site.hasLiteral(where: { "?#".contains($0) }) else {
                report(
                    "`\(name)` of \(subject) is the beginning of a URL: nothing may follow its path", at: name)
                return nil
            }
            return site
        case .host:
            guard let host = template(name) else { return nil }
            // A reference for the host is checked later, when the whole URL is parsed.
            guard !host.parts.isEmpty, !host.hasLiteral(where: { !Self.isOfHost($0) }) else {
                report(
                    "`\(name)` of \(subject) must be a host such as `example.com`, perhaps with a port: no scheme, no user, no path",
                    at: name)
                return nil
            }
            return host
        }
    }

    /// True if a host with a port may contain the character; one with letters beyond ASCII has its `xn--` form.
    private static func isOfHost(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || ".-_:[]".contains(character))
    }

    /// A list of origins such as `https://host:8080`.
    func origins(_ name: String) -> [String] {
        strings(name).compactMap { text, node in
            guard let authority = Self.afterScheme(text), !authority.isEmpty,
                !authority.contains(where: { "/?#@".contains($0) || $0.isWhitespace })
            else {
                report(
                    "`\(text)` in `\(name)` of \(subject) is not an origin such as `https://example.com`",
                    at: SourcePosition(node.mark), word: text)
                return nil
            }
            return text
        }
    }

    private static func afterScheme(_ text: String) -> Substring? {
        ["https://", "http://"].first { Substring(text.utf8.prefix($0.utf8.count)).isSameASCII(as: $0) }
            .map { Substring(text.utf8.dropFirst($0.utf8.count)) }
    }
}

extension Template {
    fileprivate func hasLiteral(where isWanted: (Character) -> Bool) -> Bool {
        parts.contains { if case .literal(let text) = $0 { text.contains(where: isWanted) } else { false } }
    }
}
