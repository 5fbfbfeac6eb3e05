extension Template {
    /// The template with `{name}` in its literal text replaced by the values of a preset's parameters.
    ///
    /// - Parameters:
    ///   - values: The values by name; other words in braces stay.
    ///   - isURL: True to percent-encode literal values in the path and the query, so that a value stays one component.
    ///     A value at the start of the URL, or in place of its host, is not encoded.
    func substituting(_ values: [String: Template], isURL: Bool) -> Template {
        guard !values.isEmpty else { return self }
        var result = Substitution(isURL: isURL)
        for part in parts {
            switch part {
            case .literal(let text): result.add(text, values)
            default: result.add(part)
            }
        }
        return Template(result.finished, position: position)
    }

    /// True if `{name}` occurs in the literal text.
    func mentions(_ name: String) -> Bool {
        parts.contains { if case .literal(let text) = $0 { text.contains("{\(name)}") } else { false } }
    }

    /// The role of `{name}` in a URL with this template.
    func role(of name: String) -> ParameterRole {
        guard case .literal(let text) = parts.first, let place = text.firstRange(of: "{\(name)}") else { return .part }
        if place.lowerBound == text.startIndex { return place.upperBound == text.endIndex ? .wholeURL : .site }
        return URLPart.isHost(after: String(text[..<place.lowerBound])) ? .host : .part
    }
}

/// The role of a preset's parameter in the URL.
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
    /// All text so far, with `x` for each reference of unknown value.
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
    /// True if the host follows such a start of a URL.
    fileprivate static func isHost(after start: String) -> Bool {
        start.authorityStart != nil && URLPart(after: start) == .beginning
    }
}
