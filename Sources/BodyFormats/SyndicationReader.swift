internal import Feeds
internal import HTTP
internal import Time
internal import XML

/// Reads an Atom or RSS document; an object with `items` is written, with the same names for both formats.
///
/// An item is written as soon as it ends: no more than one is kept.
///
/// Source: https://www.rfc-editor.org/rfc/rfc4287, https://www.rssboard.org/rss-specification,
/// https://web.resource.org/rss/1.0/spec
struct SyndicationReader {
    let text: [UInt8]
    let url: WebURL

    /// - Throws: `BodyFault` with line and column.
    func write(to output: inout JSONOutput) throws(BodyFault) {
        var versions = EntryVersions()
        try write(to: &output, noting: &versions)
        guard !versions.superseded.isEmpty else { return }
        output.startOver()
        try write(to: &output, noting: &versions)
    }

    /// Writes the document without the entries that are known to be superseded.
    private func write(to output: inout JSONOutput, noting versions: inout EntryVersions) throws(BodyFault) {
        let superseded = versions.superseded
        let authors = FeedAuthors()
        var index = 0
        try output.write("{\"items\":[")
        var isFirst = true
        var fault: BodyFault?
        let root: XMLElement
        do throws(XMLError) {
            root = try XMLStream.read(
                text,
                choose: { name, outer in Self.isItem(name, in: outer) },
                use: { element, outer in
                    guard Self.isFeed(outer[0].name) else { return Self.stranger(outer[0].name) }
                    defer { index += 1 }
                    if superseded.contains(index) { return nil }
                    do throws(BodyFault) {
                        let item = SyndicationItem(element, outer: outer, url: url, authors: authors)
                        if let id = item.entryID { versions.meet(id, updated: item.updated, at: index) }
                        if !isFirst { try output.write(",\n") }
                        isFirst = false
                        try output.write(item.json)
                        return nil
                    } catch {
                        fault = error
                        return error.problem
                    }
                })
        } catch {
            throw fault ?? BodyFault(error, in: text, advice: Self.advice(error))
        }
        guard Self.isFeed(root.name) else {
            throw BodyFault(Self.stranger(root.name), line: 1, advice: Self.advice(root.name))
        }
        try output.write("],\"feed\":")
        let feed = SyndicationFeed(root, url: url)
        try output.write(feed.json)
        try output.write(",\"next\":")
        try output.write(feed.next.map { .string($0) } ?? .null)
        for count in feed.counts {
            try output.write(",")
            try output.write(string: count.name)
            try output.write(":")
            // The total counts the versions of an entry that were not written, too.
            let others = count.name == "totalResults" ? superseded.count : 0
            let written = others > 0 ? count.value.count.map { max($0 - others, 0) } : nil
            try output.write(written.map { .number("\($0)") } ?? count.value)
        }
        try output.write("}")
    }

    private static func isItem(_ name: XMLName, in outer: [XMLElement]) -> Bool {
        switch name.local {
        case "item": outer.count <= 2 && outer[0].name.local != "feed"
        case "entry": outer.count == 1 && outer[0].name.local == "feed"
        default: false
        }
    }

    private static func isFeed(_ name: XMLName) -> Bool { ["feed", "rss", "RDF"].contains(name.local) }

    private static func stranger(_ name: XMLName) -> String {
        name.local.lowercased() == "html" ? "it is HTML" : "it begins with `<\(name.local)>`"
    }

    private static func advice(_ name: XMLName) -> String {
        name.local.lowercased() == "html"
            ? BodyFault.adviceOnHTML
            : "check that the URL is that of an Atom or RSS feed"
    }

    private static func advice(_ error: XMLError) -> String {
        error.isCutOff
            ? "run it again"
            : "tell the upstream: a feed validator such as https://validator.w3.org/feed/ shows it, too"
    }
}

/// The entries of an Atom document that have one id: they are versions of one entry, and the latest one stays.
///
/// Source: https://www.rfc-editor.org/rfc/rfc4287#section-4.1.1
private struct EntryVersions {
    private var latest: [String: (index: Int, updated: Timestamp?)] = [:]
    /// The places of the others among the document's entries.
    private(set) var superseded: Set<Int> = []

    /// Notes an entry. Of two that say no later time, the first one stays: feeds begin with the newest.
    mutating func meet(_ id: String, updated: String?, at index: Int) {
        let time = updated.flatMap { Timestamp($0) }
        guard let known = latest[id] else {
            latest[id] = (index, time)
            return
        }
        let isLater = time.map { time in known.updated.map { $0.text < time.text } ?? true } ?? false
        superseded.insert(isLater ? known.index : index)
        if isLater { latest[id] = (index, time) }
    }
}

/// A document's description of itself.
struct SyndicationFeed {
    private let channel: XMLElement
    private let url: WebURL
    private let base: WebURL
    private let isAtom: Bool

    init(_ root: XMLElement, url: WebURL) {
        self.url = url
        let inner = root.elements.first { $0.name.local == "channel" }
        channel = inner ?? root
        isAtom = root.name.local == "feed"
        base = Reference.base(of: inner == nil ? [root] : [root, channel], url: url)
    }

    /// The URL of the next page: RFC 5005's `next`, else `prev-archive`.
    var next: String? { link("next") ?? link("prev-archive") }

    /// The URL of a relation, which Atom may also write as a URL of its own.
    ///
    /// Source: https://www.rfc-editor.org/rfc/rfc4287#section-4.2.7.2
    private func link(_ relation: String) -> String? {
        let names = [relation, "http://www.iana.org/assignments/relation/\(relation)"]
        let links = channel.elements.filter {
            $0.name.local == "link" && names.contains(($0.attribute("rel") ?? "").lowercased())
        }
        return links.first.flatMap { $0.attribute("href") }.map { Reference.resolve($0, against: base) }
    }

    /// The counts of a search by OpenSearch, with their own names; none where the document has none.
    ///
    /// Source: https://github.com/dewitt/opensearch/blob/master/opensearch-1-1-draft-6.md#opensearch-response-elements
    var counts: [(name: String, value: JSONValue)] {
        ["totalResults", "startIndex", "itemsPerPage"].compactMap { name in
            let element = channel.elements.first {
                FeedNamespace.key($0.name, inAtom: isAtom).lowercased() == "opensearch:\(name.lowercased())"
            }
            guard let text = element?.text.trimmed, !text.isEmpty else { return nil }
            return (name, Int64(text).map { .number("\($0)") } ?? .string(text))
        }
    }

    /// Its title and link, for people.
    var json: JSONValue {
        let title = channel.elements.first { $0.name.local == "title" }?.text.trimmed
        return .object(["title": title.map { .string($0) } ?? .null])
    }
}

/// Relative URLs.
enum Reference {
    /// The document's URL after `xml:base`.
    static func base(of elements: [XMLElement], url: WebURL) -> WebURL {
        elements.reduce(url) { base, element in
            element.base.flatMap { try? base.resolving($0) } ?? base
        }
    }

    /// The absolute URL, with its fragment. An absolute URL stays as it came, and so does text that is not a URL.
    static func resolve(_ reference: String, against base: WebURL) -> String {
        let reference = reference.trimmed
        let scheme = reference.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        if !scheme.isEmpty, scheme.first?.isLetter == true, reference.dropFirst(scheme.count).first == ":" {
            return reference
        }
        guard let url = try? base.resolving(reference) else { return reference }
        return url.text + reference.drop { $0 != "#" }
    }
}
