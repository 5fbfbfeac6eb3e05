package import HTTP

/// A feed that a web page names: `<link rel="alternate" type="application/rss+xml" href="…">`.
///
/// Source: https://html.spec.whatwg.org/multipage/links.html#rel-alternate
package struct AlternateLink: Sendable, Hashable {
    /// The URL of the feed.
    package let url: WebURL
    /// The page's title for it.
    package let title: String?

    /// The media types of feeds, including JSON's (https://www.jsonfeed.org/version/1.1/#discovery).
    private static let types: Set<String> = [
        "application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json",
    ]
    /// The bytes of a page to search: links are in its head.
    private static let most = 1 << 20

    /// The feeds that a page names, in its order, each once.
    ///
    /// - Parameters:
    ///   - page: The body of an HTML page.
    ///   - url: The URL that it came from.
    package static func all(in page: Body, at url: WebURL) -> [AlternateLink] {
        let text = page.withUnsafeBytes { String(decoding: $0.prefix(most), as: UTF8.self) }
        let tags = HTMLTag.all(in: text)
        // The first one counts, for the links before it, too:
        // https://html.spec.whatwg.org/multipage/urls-and-fetching.html#document-base-url
        let baseReference = tags.lazy.filter { $0.name == "base" }.compactMap { $0["href"] }.first
        let base = baseReference.flatMap { try? url.resolving($0) } ?? url
        var found: [AlternateLink] = []
        for tag in tags where tag.name == "link" {
            if let reference = tag["href"],
                tag["rel"]?.lowercased().split(separator: " ").contains("alternate") == true,
                let type = tag["type"]?.mediaType, types.contains(type),
                // In a configuration, braces are placeholders.
                let target = try? base.resolving(reference), !target.text.contains("{"),
                !found.contains(where: { $0.url == target })
            {
                found.append(AlternateLink(url: target, title: tag["title"].flatMap { $0.isEmpty ? nil : $0 }))
            }
        }
        return found
    }
}

/// A start tag of HTML with its attributes; other content of a page is skipped.
private struct HTMLTag {
    let name: String
    private var attributes: [String: String] = [:]

    private init(name: String) { self.name = name }

    /// The value of an attribute; the first one of a name counts.
    subscript(name: String) -> String? { attributes[name] }

    /// The tags `link` and `base` of a page that are not within comments or scripts.
    static func all(in text: String) -> [HTMLTag] {
        let bytes = Array(text.utf8)
        var tags: [HTMLTag] = []
        var place = 0
        while let start = bytes[place...].firstIndex(of: UInt8(ascii: "<")) {
            place = start + 1
            if bytes[place...].starts(with: "!--".utf8) {
                guard let end = bytes[place...].firstRange(of: Array("-->".utf8)) else { break }
                place = end.upperBound
                continue
            }
            let name = word(in: bytes, at: &place)
            switch name {
            case "link", "base":
                var tag = HTMLTag(name: name)
                tag.readAttributes(of: bytes, at: &place)
                tags.append(tag)
            case "script", "style":
                guard let end = bytes[place...].firstRange(of: Array("</\(name)".utf8)) else { return tags }
                place = end.upperBound
            default: break
            }
        }
        return tags
    }

    private static func word(in bytes: [UInt8], at place: inout Int) -> String {
        let start = place
        while place < bytes.count, !" \t\r\n\u{c}/>=".utf8.contains(bytes[place]) { place += 1 }
        return String(decoding: bytes[start..<place], as: UTF8.self).lowercased()
    }

    private mutating func readAttributes(of bytes: [UInt8], at place: inout Int) {
        func skip(_ letters: String) {
            while place < bytes.count, letters.utf8.contains(bytes[place]) { place += 1 }
        }
        while true {
            skip(" \t\r\n\u{c}/=")
            guard place < bytes.count, bytes[place] != UInt8(ascii: ">") else { return }
            let name = Self.word(in: bytes, at: &place)
            skip(" \t\r\n\u{c}")
            guard place < bytes.count, bytes[place] == UInt8(ascii: "=") else { continue }
            place += 1
            skip(" \t\r\n\u{c}")
            guard place < bytes.count else { return }
            let start: Int
            let end: Int
            let quote = bytes[place]
            if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                start = place + 1
                end = bytes[start...].firstIndex(of: quote) ?? bytes.count
                place = min(end + 1, bytes.count)
            } else {
                start = place
                end = bytes[start...].firstIndex { " \t\r\n\u{c}>".utf8.contains($0) } ?? bytes.count
                place = end
            }
            let value = String(decoding: bytes[start..<end], as: UTF8.self).replacing("&amp;", with: "&")
            if attributes[name] == nil { attributes[name] = value }
        }
    }
}
