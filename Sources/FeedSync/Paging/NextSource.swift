/// Where a response says what comes next: at a path in its body, or in a header.
enum NextSource: Sendable, Hashable, CustomStringConvertible {
    case body(Path)
    case header(String)

    /// Reads `next`, a path, or `header`, a name; nil, with the mistake reported, unless it is one of them.
    init?(_ members: MappingDecoder) {
        let path = members.path("next")
        let header = members.string("header")
        switch (members.has("next"), members.has("header")) {
        case (true, true):
            members.mistake("`next` and `header` cannot be used together", at: "header")
            return nil
        case (false, false):
            members.mistake("say what leads to the next page: `next`, a path in the body, or `header`, a name")
            return nil
        default:
            guard let source = path.map(Self.body) ?? header.map(Self.header) else { return nil }
            self = source
        }
    }

    /// The member with its value.
    var canonicalText: String {
        switch self {
        case .body(let path): "next \(path)"
        case .header(let name): "header \(name)"
        }
    }

    /// The place for a message.
    var description: String {
        switch self {
        case .body(let path): "`\(path)`"
        case .header(let name): "the header `\(name)`"
        }
    }

    /// The path, where it is one.
    var bodyPaths: [Path] {
        guard case .body(let path) = self else { return [] }
        return [path]
    }

    /// Whether a header says it, which a 304 may leave out.
    var isHeader: Bool { bodyPaths.isEmpty }

    /// What stands there, if it is anything that leads on: not null, false or an empty text.
    ///
    /// The path is the first of the style's `bodyPaths`.
    func value(in page: PaginationInput) -> JSONScalar? {
        let value: JSONScalar? =
            switch self {
            case .body: page.values.first ?? nil
            case .header(let name): page.values(ofHeader: name).first.map(JSONScalar.text)
            }
        return value == .null || value == .boolean(false) || value == .text("") ? nil : value
    }
}
