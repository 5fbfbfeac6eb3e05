package import JSON

/// The place of what leads on in a response, to the next page or to the next sync: a path in its body, or a header.
package enum NextSource: Sendable, Hashable, CustomStringConvertible {
    case body(Path)
    case header(String)

    /// The member with its value.
    var canonicalText: String {
        switch self {
        case .body(let path): "next \(path)"
        case .header(let name): "header \(name)"
        }
    }

    /// The place for a message.
    package var description: String {
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

    /// True for a header, which a 304 may leave out.
    var isHeader: Bool { bodyPaths.isEmpty }

    /// The value at that place; nil if it leads nowhere: null, false, an empty text or the text `null`.
    ///
    /// The path is the first of the paginator's `bodyPaths`.
    func value(in page: PaginationInput) -> JSONScalar? {
        let value: JSONScalar? =
            switch self {
            case .body: page.values.first ?? nil
            case .header(let name): page.values(ofHeader: name).first.map(JSONScalar.text)
            }
        return [.null, .boolean(false), .text(""), .text("null")].contains(value) ? nil : value
    }
}
