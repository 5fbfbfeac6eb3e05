package import Feeds
package import HTTP

/// The format of a body that is not one JSON document, recognised by its beginning.
package enum BodyFormat: Sendable, Hashable {
    /// A page for people, with its title.
    case html(title: String?)
    case feed(FeedFormat)

    /// The number of bytes examined.
    private static let most = 16_384

    /// The format of a body; nil if it is none of them.
    ///
    /// - Parameter contentType: The upstream's media type, in lower case and without parameters.
    package init?(of body: Body, contentType: String? = nil) {
        let beginning = body.withUnsafeBytes { Self.text($0.prefix(Self.most)) }
        let text = beginning.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        if text.first == "<" {
            self = Self.markup(text)
        } else if text.first == "\u{1E}" {
            self = .feed(.jsonSequence)
        } else if contentType.flatMap(FeedFormat.init(mediaType:)) == .csv || Self.isTable(text) {
            self = .feed(.csv)
        } else if Self.isJSONLines(text) {
            self = .feed(.ndjson)
        } else {
            return nil
        }
    }

    /// The text of a body's beginning. Of UTF-16 the bytes that are not zero: what formats are told by is ASCII.
    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let start = Array(bytes.prefix(2))
        let isWide = [[0xFF, 0xFE], [0xFE, 0xFF], [0x3C, 0], [0, 0x3C]].contains(start)
        guard isWide else { return String(decoding: bytes, as: UTF8.self) }
        return String(decoding: bytes.drop { $0 > 0x7F }.filter { $0 > 0 && $0 < 0x80 }, as: UTF8.self)
    }

    private static func markup(_ text: Substring) -> BodyFormat {
        let (root, isHTML) = root(of: text)
        switch root {
        case "rss", "rdf": return .feed(.rss)
        case "feed": return .feed(.atom)
        case _ where isHTML || pageElements.contains(root):
            return .html(title: content(of: "title", in: text) ?? content(of: "h1", in: text))
        default: return .feed(.xml)
        }
    }

    /// The elements that pages for people begin with: servers' own error pages often have a heading alone.
    private static let pageElements: Set<String> = [
        "html", "head", "body", "title", "meta", "h1", "h2", "p", "center", "div", "script",
    ]

    /// The first element's name in lower case without its prefix, and whether the document declares itself as HTML.
    private static func root(of text: Substring) -> (name: String, isHTML: Bool) {
        var rest = text
        var isHTML = false
        while true {
            rest = rest.drop { $0 != "<" }
            if rest.hasPrefix("<!--") {
                guard let end = rest.firstRange(of: "-->") else { return ("", isHTML) }
                rest = rest[end.upperBound...]
            } else if rest.hasPrefix("<?") {
                guard let end = rest.firstRange(of: "?>") else { return ("", isHTML) }
                rest = rest[end.upperBound...]
            } else if rest.hasPrefix("<!") {
                isHTML = isHTML || rest.prefix(14).lowercased() == "<!doctype html"
                // Declarations of entities stand between brackets.
                let bracket = rest.firstIndex(of: "["), end = rest.firstIndex(of: ">")
                if let bracket, let end, bracket < end, let close = rest[bracket...].firstRange(of: "]") {
                    rest = rest[close.upperBound...].drop { $0 != ">" }
                } else {
                    rest = rest.drop { $0 != ">" }
                }
            } else {
                let name = rest.dropFirst().prefix { !$0.isWhitespace && !"/>".contains($0) }
                return (name.split(separator: ":").last.map { $0.lowercased() } ?? "", isHTML)
            }
        }
    }

    /// The text of the first element of a name, up to any markup in it.
    private static func content(of element: String, in text: Substring) -> String? {
        let bytes = Array(text.utf8)
        let lower = bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 32 : $0 }
        guard let name = lower.firstRange(of: Array("<\(element)".utf8)),
            let open = lower[name.upperBound...].firstIndex(of: UInt8(ascii: ">")),
            let close = lower[open...].firstRange(of: Array("</\(element)".utf8))
        else { return nil }
        var isMarkup = false
        let content = String(decoding: bytes[(open + 1)..<close.lowerBound], as: UTF8.self).map { character in
            if character == "<" { isMarkup = true }
            defer { if character == ">" { isMarkup = false } }
            return isMarkup ? " " : character
        }.split(whereSeparator: \.isWhitespace).map { String($0) }
        return content.isEmpty ? nil : content.joined(separator: " ")
    }

    /// True if the first two lines have equally many separators, and at least one.
    private static func isTable(_ text: Substring) -> Bool {
        guard let first = text.first, !"{[".contains(first) else { return false }
        let lines = text.split(whereSeparator: \.isNewline).prefix(2)
        guard lines.count == 2 else { return false }
        return ",;\t".contains { separator in
            let counts = lines.map { line in line.count { $0 == separator } }
            return counts[0] > 0 && counts[0] == counts[1]
        }
    }

    private static func isJSONLines(_ text: Substring) -> Bool {
        let lines = text.split(whereSeparator: \.isNewline).prefix(2)
        return lines.count == 2 && lines.allSatisfy { $0.first == "{" }
            && (try? JSONValue(parsing: String(lines[0]))) != nil
    }

    /// Its name in a sentence.
    func words(_ secrets: Secrets) -> String {
        switch self {
        case .html(nil): "HTML"
        case .html(let title?): "HTML with the title \"\(Excerpt.of(title, limit: 100, secrets: secrets) ?? "")\""
        case .feed(let format): format.words
        }
    }

    /// Advice for a feed with such a body.
    var advice: String {
        switch self {
        case .html: "open the URL in a browser: a login or error page is often HTML"
        case .feed(.xml):
            "ask for JSON, as with `headers: {Accept: application/json}`; or set `format: xml`, and `items` to the path of the items"
        case .feed(let format): "set `format: \(format.rawValue)` in the feed's definition"
        }
    }
}

extension FeedSyncError {
    /// The body is of another format than JSON; nil where it is not known which.
    package static func otherFormat(_ body: Body, contentType: String? = nil, secrets: Secrets) -> FeedSyncError? {
        BodyFormat(of: body, contentType: contentType).map {
            FeedSyncError(.undecodable, "expected JSON, but got \($0.words(secrets))", advice: $0.advice)
        }
    }
}
