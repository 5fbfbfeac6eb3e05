extension Template {
    /// The template with `{name}` in its literal text replaced by the values given for the names of a preset's
    /// parameters.
    ///
    /// - Parameters:
    ///   - values: The names and what to put in; other words in braces stay.
    ///   - isURL: Whether literal values are percent-encoded in the path and the query, so that one stays one part of
    ///     them. A value that the URL begins with, or that stands for its host, goes in as it is.
    func substituting(_ values: [String: Template], isURL: Bool) -> Template {
        var result = Substitution(isURL: isURL)
        for part in parts {
            switch part {
            case .literal(let text): result.add(text, values)
            default: result.add(part)
            }
        }
        return Template(result.finished, position: position)
    }

    /// Whether `{name}` occurs in the literal text.
    func mentions(_ name: String) -> Bool {
        parts.contains { if case .literal(let text) = $0 { text.contains("{\(name)}") } else { false } }
    }

    /// What `{name}` stands for in a URL that this is the template of.
    func role(of name: String) -> ParameterRole {
        guard case .literal(let text) = parts.first, let place = text.firstRange(of: "{\(name)}") else { return .part }
        if place.lowerBound == text.startIndex { return place.upperBound == text.endIndex ? .wholeURL : .site }
        return URLPart.isHost(after: String(text[..<place.lowerBound])) ? .host : .part
    }
}

/// What a preset's parameter stands for in the URL.
enum ParameterRole {
    /// All of it.
    case wholeURL
    /// Its beginning: more of the path follows.
    case site
    /// The host, perhaps with a port.
    case host
    /// A part of the path or the query.
    case part
}

/// Puts values in the place of names in braces.
private struct Substitution {
    let isURL: Bool
    private var parts: [Template.Part] = []
    private var literal = ""
    /// All that stands before, a reference as the `x` of some text that nobody knows yet.
    private var before = ""

    init(isURL: Bool) {
        self.isURL = isURL
    }

    var finished: [Template.Part] { literal.isEmpty ? parts : parts + [.literal(literal)] }

    mutating func add(_ part: Template.Part) {
        if !literal.isEmpty { parts.append(.literal(literal)) }
        literal = ""
        parts.append(part)
        before += "x"
    }

    mutating func add(_ text: String, _ values: [String: Template]) {
        var rest = Substring(text)
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let name = String(rest[rest.index(after: open)..<close])
            guard let value = values[name] else {
                add(rest[...open])
                rest = rest[rest.index(after: open)...]
                continue
            }
            add(rest[..<open])
            rest = rest[rest.index(after: close)...]
            add(value, isFollowedBySlash: rest.first == "/")
        }
        add(rest)
    }

    private mutating func add(_ text: Substring) {
        literal += text
        before += text
    }

    private mutating func add(_ value: Template, isFollowedBySlash: Bool) {
        let isBeginning = before.isEmpty
        let isAsGiven = !isURL || isBeginning || URLPart.isHost(after: before)
        for (index, part) in value.parts.enumerated() {
            guard case .literal(var text) = part else {
                add(part)
                continue
            }
            // People write a site's URL with a slash at its end as often as without.
            if isURL, isBeginning, isFollowedBySlash, index == value.parts.count - 1 {
                while text.last == "/" { text.removeLast() }
            }
            add(Substring(isAsGiven ? text : PercentCoding.encoded(text)))
        }
    }
}

extension URLPart {
    /// Whether the host comes where a URL starts so.
    fileprivate static func isHost(after start: String) -> Bool {
        start.authorityStart != nil && URLPart(after: start) == .beginning
    }
}
