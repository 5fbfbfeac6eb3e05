package import HTTP
internal import XML

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
        let bytes = page.withUnsafeBytes { Array($0.prefix(most)) }
        var baseReference: String?
        var links: [[String: String]] = []
        for token in HTMLTokens(bytes, opaque: ["script", "style"]) {
            switch token {
            // The first one counts, for the links before it, too:
            // https://html.spec.whatwg.org/multipage/urls-and-fetching.html#document-base-url
            case .start("base", let attributes): baseReference = baseReference ?? attributes["href"]
            case .start("link", let attributes): links.append(attributes)
            case .text, .start, .end: break
            }
        }
        let base = baseReference.flatMap { try? url.resolving($0) } ?? url
        var found: [AlternateLink] = []
        for attributes in links {
            if let reference = attributes["href"], !reference.isEmpty,
                attributes["rel"]?.lowercased().split(separator: " ").contains("alternate") == true,
                let type = attributes["type"]?.mediaType, types.contains(type),
                // In a configuration, braces are placeholders.
                let target = try? base.resolving(reference), !target.text.contains("{"),
                !found.contains(where: { $0.url == target })
            {
                let title = attributes["title"].flatMap { $0.isEmpty ? nil : $0 }
                found.append(AlternateLink(url: target, title: title))
            }
        }
        return found
    }
}
