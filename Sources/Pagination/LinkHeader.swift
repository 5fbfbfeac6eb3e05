internal import Text

/// The links of a response's `Link` fields.
///
/// After malformed input, the links before it are kept.
///
/// Source: https://www.rfc-editor.org/rfc/rfc8288#appendix-B
package struct LinkHeader: Sendable, Hashable {
    /// One link.
    package struct Link: Sendable, Hashable {
        /// The target, absolute or relative, as written.
        package let target: String
        /// Its relation types in lower case.
        package let relations: [String]
        /// The context, if it is not the response's own URL.
        package let anchor: String?
        /// True unless the link states that it has no results.
        package let hasResults: Bool
    }

    /// Every link in order, including those with an anchor.
    package let links: [Link]

    /// Reads the values of all `Link` fields of a message, each of them one link or several.
    package init(_ values: [String]) {
        links = values.flatMap { value in
            var parser = LinkParser(value)
            return parser.links()
        }
    }

    /// The target of the first link of that relation type, in any case; links with an anchor are ignored, and those
    /// that say of themselves that no results are there: https://docs.sentry.io/api/pagination/
    package func target(of relation: String) -> String? {
        let relation = relation.lowercasedASCII
        return links.first { $0.anchor == nil && $0.hasResults && $0.relations.contains(relation) }?.target
    }
}

/// Reads one field's value from left to right; every step consumes something, so that the time is linear.
private struct LinkParser {
    private var rest: ArraySlice<UInt8>

    init(_ value: String) {
        rest = ArraySlice(value.utf8)
    }

    mutating func links() -> [LinkHeader.Link] {
        var links: [LinkHeader.Link] = []
        while true {
            // A list may have empty elements: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.1.2
            take { Self.isSpace($0) || $0 == UInt8(ascii: ",") }
            guard take(UInt8(ascii: "<")) else { return links }
            let target = text(take { $0 != UInt8(ascii: ">") })
            guard take(UInt8(ascii: ">")) else { return links }
            links.append(link(to: target.trimmingSpaces))
            guard take(UInt8(ascii: ",")) || take(UInt8(ascii: ";")) else { return links }
        }
    }

    private mutating func link(to target: some StringProtocol) -> LinkHeader.Link {
        var relations: String?
        var anchor: String?
        var results: String?
        while let (name, value) = parameter() {
            // Of a parameter that comes more than once, the first counts.
            switch name {
            case "rel": relations = relations ?? value
            case "anchor": anchor = anchor ?? value
            case "results": results = results ?? value
            default: continue
            }
        }
        let types = (relations ?? "").lowercasedASCII.split { $0 == " " || $0 == "\t" }.map(String.init)
        return LinkHeader.Link(
            target: String(target), relations: types, anchor: anchor, hasResults: results?.lowercasedASCII != "false")
    }

    /// The next parameter, its name in lower case; nil if there is none.
    private mutating func parameter() -> (name: String, value: String)? {
        take(while: Self.isSpace)
        // The next link may come behind a semicolon in place of a comma.
        guard rest.dropFirst().drop(while: Self.isSpace).first != UInt8(ascii: "<"), take(UInt8(ascii: ";")) else {
            return nil
        }
        take(while: Self.isSpace)
        let name = text(take { !Self.isSpace($0) && !"=;,".utf8.contains($0) }).lowercasedASCII
        take(while: Self.isSpace)
        guard take(UInt8(ascii: "=")) else { return (name, "") }
        take(while: Self.isSpace)
        if take(UInt8(ascii: "\"")) { return (name, quotedText()) }
        let value = text(take { !";,".utf8.contains($0) }).trimmingSpaces
        let isQuoted = value.utf8.count > 1 && value.hasPrefix("'") && value.hasSuffix("'")
        return (name, String(isQuoted ? value.dropFirst().dropLast() : value))
    }

    /// The text after an opening quote, up to the closing one or the end.
    private mutating func quotedText() -> String {
        var bytes: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            if let escaped = rest.popFirst() { bytes.append(escaped) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @discardableResult
    private mutating func take(while isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let taken = rest.prefix(while: isWanted)
        rest = rest[taken.endIndex...]
        return taken
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest.removeFirst()
        return true
    }

    private func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
