internal import YAML

extension MappingDecoder {
    /// A URL, checked as far as possible without its references.
    func url(_ name: String) -> Template? {
        guard let node = node(name), let template = template(name, node) else { return nil }
        let start = template.literalPrefix
        let isWhole = template.isLiteral
        // A URL that begins with a reference is checked once the reference is followed.
        guard isWhole || !start.isEmpty else { return template }
        // Most URLs are so, and need no further look.
        if isWhole, NormalURL.origin(of: start) != nil { return template }
        guard let afterScheme = Self.afterScheme(start) else {
            report("`\(name)` of \(subject) must begin with `https://` or `http://`", at: name)
            return nil
        }
        if reports(URLFault(controlIn: template), of: name, node) { return nil }
        let authority = Substring(afterScheme.utf8.prefix { !"/?#".utf8.contains($0) })
        if authority.utf8.contains(UInt8(ascii: "@")) {
            report(
                "`\(name)` of \(subject) has a user or password in it; give them as `auth: {basic: {user, password}}`",
                at: name)
            return nil
        }
        // A reference may continue the host.
        guard isWhole || authority.endIndex < afterScheme.endIndex else { return template }
        if authority.isEmpty {
            report("`\(name)` of \(subject) names no host", at: name)
            return nil
        }
        if reports(URLFault(inHostOf: start), of: name, node) { return nil }
        return template
    }

    /// True if a URL has a fault. It is reported where it is; nothing of the URL is quoted, as it may have a credential.
    func reports(_ fault: URLFault?, of name: String, _ node: Node) -> Bool {
        guard let fault else { return false }
        report("`\(name)` of \(subject) \(fault.problem)", at: SourcePosition(node, offset: fault.offset))
        return true
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
            guard let node = node(name), let host = template(name, node) else { return nil }
            // A reference for the host is checked later, when the whole URL is parsed.
            guard !host.parts.isEmpty, !host.hasLiteral(where: { !Self.isOfHost($0) }) else {
                report(
                    "`\(name)` of \(subject) must be a host such as `example.com`, perhaps with a port: no scheme, no user, no path",
                    at: name)
                return nil
            }
            if host.isLiteral, reports(URLFault(inHostOf: host.literalText), of: name, node) { return nil }
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
            if reports(URLFault(inHostOf: text), of: name, node) { return nil }
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

/// The reason for which no request could be made to a URL.
struct URLFault {
    /// As it follows the name of the member.
    let problem: String
    /// The number of Unicode scalars before the fault.
    let offset: Int

    /// A character in a template's own text that libcurl takes in no URL; spaces and letters beyond ASCII are encoded.
    init?(controlIn template: Template) {
        for (index, part) in template.parts.enumerated() {
            guard case .literal(let text) = part,
                let control = text.unicodeScalars.firstIndex(where: { $0.value < 0x20 || $0.value == 0x7F })
            else { continue }
            // The place of a later part is not known.
            self.init(
                "has a control character in it",
                at: index == 0 ? text.unicodeScalars.distance(from: text.startIndex, to: control) : 0)
            return
        }
        return nil
    }

    /// The fault of a host or a port that cannot be requested; nil if there is none, or if a word in braces stands for
    /// it.
    ///
    /// - Parameter url: A URL, or only a host with a port.
    ///
    /// Source: https://www.rfc-editor.org/rfc/rfc3986#section-3.2
    init?(inHostOf url: String) {
        let start = url.authorityStart ?? url.startIndex
        let end = url.utf8[start...].firstIndex { "/?#".utf8.contains($0) }
        var authority = url[start..<(end ?? url.endIndex)]
        guard !authority.utf8.contains(UInt8(ascii: "{")) else { return nil }
        // Spaces at the end of a URL are not sent.
        while end == nil, authority.last == " " { authority.removeLast() }
        // That of a proxy may begin with a user.
        if let at = authority.lastIndex(of: "@") { authority = authority[url.index(after: at)...] }
        let scalars = Array(authority.unicodeScalars)
        let before = url.unicodeScalars.distance(from: url.startIndex, to: authority.startIndex)
        let (host, fault) = scalars.first == "[" ? Self.address(scalars) : Self.name(scalars)
        let digits = scalars[host.endIndex...].dropFirst()
        if let fault {
            self.init(fault.problem, at: before + fault.offset)
        } else if !digits.isEmpty, !Self.isPort(digits) {
            self.init("has a port that is not a number from 1 to 65535", at: before + digits.startIndex)
        } else {
            return nil
        }
    }

    private init(_ problem: String, at offset: Int) { (self.problem, self.offset) = (problem, offset) }

    /// The name of a host before its port, and its fault.
    private static func name(_ scalars: [Unicode.Scalar]) -> (host: ArraySlice<Unicode.Scalar>, fault: URLFault?) {
        let host = scalars.prefix { $0 != ":" }
        if host.isEmpty { return (host, URLFault("names no host", at: 0)) }
        if let place = host.firstIndex(where: { !$0.isASCII }) {
            return (host, URLFault("has letters beyond ASCII in its host; write it in its `xn--` form", at: place))
        }
        if let place = host.firstIndex(where: { !isOfName($0) && $0 != "%" }) {
            let character = host[place] == " " ? "a space" : "`\(host[place])`"
            return (host, URLFault("has \(character) in its host", at: place))
        }
        guard let place = host.firstIndex(of: "%") else { return (host, nil) }
        var text = Substring.UnicodeScalarView()
        text.append(contentsOf: host)
        let isName = PercentCoding.decoded(Substring(text).utf8, plus: "+").unicodeScalars.allSatisfy(isOfName)
        return (host, isName ? nil : URLFault("has `%` in its host", at: place))
    }

    /// An IPv6 address in brackets, perhaps with its interface, and its fault.
    ///
    /// Source: https://www.rfc-editor.org/rfc/rfc6874
    private static func address(_ scalars: [Unicode.Scalar]) -> (host: ArraySlice<Unicode.Scalar>, fault: URLFault?) {
        let end = scalars.firstIndex(of: "]").map { $0 + 1 }
        let host = scalars[..<(end ?? scalars.endIndex)]
        let digits = host.dropFirst().dropLast().prefix { $0 != "%" }
        let isAddress =
            digits.contains(":") && digits.allSatisfy { $0.properties.isASCIIHexDigit || $0 == ":" || $0 == "." }
        let isAlone = end.map { $0 == scalars.endIndex || scalars[$0] == ":" } ?? false
        return (host, isAddress && isAlone ? nil : URLFault("has no IPv6 address in the brackets of its host", at: 0))
    }

    private static func isOfName(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": true
        default: false
        }
    }

    private static func isPort(_ digits: ArraySlice<Unicode.Scalar>) -> Bool {
        guard digits.allSatisfy({ ("0"..."9").contains($0) }) else { return false }
        let value = digits.drop { $0 == "0" }
        return (1...5).contains(value.count) && value.reduce(0) { $0 * 10 + Int($1.value) - 0x30 } <= 65_535
    }
}
