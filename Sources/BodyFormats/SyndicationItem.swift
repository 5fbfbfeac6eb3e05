internal import Feeds
internal import HTTP
internal import XML

/// An item of an Atom or RSS document, with the same names for both.
struct SyndicationItem {
    private let element: XMLElement
    private let elements: [XMLElement]
    private let outer: [XMLElement]
    private let base: WebURL
    private let isAtom: Bool

    private let authors: FeedAuthors

    /// - Parameter authors: The feed's authors as far as they are known; the same for all items of a document.
    init(_ element: XMLElement, outer: [XMLElement], url: WebURL, authors: FeedAuthors) {
        self.element = element
        self.authors = authors
        elements = element.elements
        self.outer = outer
        isAtom = element.name.local == "entry"
        base = Reference.base(of: outer + [element], url: url)
    }

    /// The id of an Atom entry; nil for one without, and for other items.
    var entryID: String? { isAtom ? firstText("id") : nil }

    /// The time of the last update, as the JSON says it.
    var updated: String? { date(isAtom ? ["updated", "modified"] : ["atom:updated", "dcterms:modified"]) }

    /// The item, with further members for elements that the common names do not cover.
    var json: JSONValue {
        var members: [JSONObject.Member] = [
            ("title", text(title)), ("link", text(link)), ("author", text(author)),
            (
                "published",
                text(date(isAtom ? ["published", "issued", "created"] : ["pubDate", "dc:date", "atom:published"]))
            ),
            ("updated", text(updated)),
            ("summary", text(first(isAtom ? "summary" : "description").map(construct))),
            ("content", text(content)), ("categories", .array(categories)), ("enclosures", .array(enclosures)),
        ]
        members += others.json
        members.insert(("id", .string(id ?? Self.hash(members))), at: 0)
        return .object(JSONObject(members))
    }

    private func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    /// The key of an element. In RSS whose default namespace is Atom's, the elements without a prefix are meant as RSS.
    private func key(_ element: XMLElement) -> String {
        let isMeantAsRSS =
            element.name.prefix == nil && outer.first?.name.local == "rss"
            && outer.first?.name.space == FeedNamespace.atom
        return FeedNamespace.key(element.name, inAtom: isAtom || isMeantAsRSS)
    }

    private func all(_ key: String) -> [XMLElement] { elements.filter { self.key($0) == key } }

    private func first(_ key: String) -> XMLElement? { elements.first { self.key($0) == key } }

    /// The text of the first of these elements that has some.
    private func firstText(_ keys: String...) -> String? {
        keys.lazy.compactMap { first($0)?.text.trimmed }.first { !$0.isEmpty }
    }

    private var id: String? {
        if isAtom { return firstText("id") ?? link }
        return firstText("guid") ?? element.attribute("about", in: FeedNamespace.rdf) ?? link
    }

    private static func hash(_ members: [JSONObject.Member]) -> String {
        var hash = ContentHash()
        hash.add(JSONValue.object(JSONObject(members)).json.utf8)
        return hash.digits
    }

    private var title: String? { (first("title") ?? (isAtom ? nil : first("dc:title"))).map(construct) }

    /// Text, or the markup in it: https://www.rfc-editor.org/rfc/rfc4287#section-3.1
    private func construct(_ element: XMLElement) -> String {
        let inner = element.elements
        guard !inner.isEmpty else { return element.text.trimmed }
        let isWrapped = inner.count == 1 && inner[0].name.local == "div" && element.attribute("type") == "xhtml"
        return (isWrapped ? inner[0] : element).innerMarkup.trimmed
    }

    private var content: String? {
        if isAtom { return first("content").flatMap { $0.attribute("src") == nil ? construct($0) : nil } }
        return (first("content:encoded") ?? first("xhtml:body")).map(construct)
    }

    private var link: String? {
        if isAtom { return href(links("link")) }
        if let text = firstText("link") { return Reference.resolve(text, against: base) }
        if let href = href(links("atom:link")) { return href }
        // A guid is a link unless it says that it is none.
        guard let guid = first("guid"), guid.attribute("isPermaLink")?.lowercased() != "false" else { return nil }
        let text = guid.text.trimmed
        return text.hasPrefix("http://") || text.hasPrefix("https://") ? text : nil
    }

    private func links(_ key: String) -> [XMLElement] { all(key).filter { $0.attribute("href") != nil } }

    private func relation(_ link: XMLElement) -> String { (link.attribute("rel") ?? "alternate").lowercased() }

    /// The link to the item itself, HTML before others.
    private func href(_ links: [XMLElement]) -> String? {
        let fitting = links.filter { relation($0) == "alternate" }
        let best = fitting.first { ($0.attribute("type") ?? "text/html").contains("html") } ?? fitting.first
        return best.flatMap { $0.attribute("href") }.map { Reference.resolve($0, against: base) }
    }

    private var author: String? {
        if isAtom {
            // An entry without an author has that of its source or of the feed.
            let own = elements.isEmpty ? [] : people(in: element)
            let source = first("source").map(people) ?? []
            let names =
                !own.isEmpty
                ? own
                : !source.isEmpty
                    ? source
                    : authors.names(in: outer[0]) { author in
                        key(author) == "author" ? person(author) : nil
                    }
            if !names.isEmpty { return names.joined(separator: ", ") }
            return firstText("dc:creator")
        }
        if let author = first("author"), author.elements.isEmpty, !author.text.trimmed.isEmpty {
            return author.text.trimmed
        }
        let creators = all("dc:creator").map(\.text.trimmed).filter { !$0.isEmpty }
        if !creators.isEmpty { return creators.joined(separator: ", ") }
        return firstText("itunes:author") ?? all("atom:author").compactMap(person).first
    }

    private func people(in element: XMLElement) -> [String] {
        element.elements.filter { key($0) == "author" }.compactMap(person)
    }

    private func person(_ author: XMLElement) -> String? {
        let parts = ["name", "email", "uri", "url"].lazy.compactMap { name in
            author.elements.first { $0.name.local == name }?.text.trimmed
        }
        let own = author.elements.isEmpty ? author.text.trimmed : ""
        return parts.first { !$0.isEmpty } ?? (own.isEmpty ? nil : own)
    }

    private func date(_ keys: [String]) -> String? {
        keys.lazy.compactMap { first($0)?.text.trimmed }.first { !$0.isEmpty }.map(FeedDate.text)
    }

    private var categories: [JSONValue] {
        let own = all("category").compactMap { category in
            isAtom ? category.attribute("term") ?? category.attribute("label") : category.text.trimmed
        }
        var known: Set<String> = []
        return (own + all("dc:subject").map(\.text.trimmed)).filter { !$0.isEmpty && known.insert($0).inserted }
            .map { .string($0) }
    }

    /// `url`, `type` and `length` of each.
    private var enclosures: [JSONValue] {
        let links = links(isAtom ? "link" : "atom:link").filter { relation($0) == "enclosure" }
        return (all("enclosure") + links).compactMap { enclosure in
            guard let url = enclosure.attribute("url") ?? enclosure.attribute("href") else { return nil }
            var members: [JSONObject.Member] = [("url", .string(Reference.resolve(url, against: base)))]
            for name in ["type", "length"] {
                if let value = enclosure.attribute(name) { members.append((name, .string(value))) }
            }
            return .object(JSONObject(members))
        }
    }

    /// The elements that the common names cover completely.
    private var covered: Set<String> {
        isAtom
            ? ["id", "title", "author", "published", "updated", "issued", "created", "modified", "summary", "category"]
            : ["guid", "title", "link", "author", "pubDate", "description", "content:encoded", "category", "enclosure"]
    }

    private var others: ElementMembers {
        var members = ElementMembers(
            reserved: [
                "id", "title", "link", "author", "published", "updated", "summary", "content", "categories",
                "enclosures",
            ], inAtom: isAtom, base: base)
        for element in elements where !covered.contains(key(element)) {
            switch key(element) {
            case "link" where isAtom, "atom:link":
                if !["alternate", "enclosure"].contains(relation(element)) {
                    members.add(element, as: "links", isList: true)
                }
            case "content" where isAtom:
                if let src = element.attribute("src") {
                    members.add("content_src", .string(Reference.resolve(src, against: base)))
                }
            default: members.add(element, as: key(element))
            }
        }
        return members
    }
}

/// The authors of a feed, looked for among its elements once for all entries without one of their own.
///
/// - Isolation: one thread.
final class FeedAuthors {
    private var count = 0
    private var known: [String] = []

    /// The names as far as the feed has been read.
    ///
    /// - Parameter name: The name of an author; nil for other elements.
    func names(in feed: XMLElement, name: (XMLElement) -> String?) -> [String] {
        // Of what was looked at, only a text can have grown.
        for node in feed.nodes[min(count, feed.nodes.count)...] {
            if case .element(let element) = node, let name = name(element) { known.append(name) }
        }
        count = feed.nodes.count
        return known
    }
}

/// The elements and attributes of an element as members: the first of a name by its name, the rest in a list
/// `NAME_more`.
struct ElementMembers {
    private var names: [String] = []
    private var values: [String: JSONValue] = [:]
    private var lists: [String: [JSONValue]] = [:]
    private let reserved: Set<String>
    private let inAtom: Bool
    private let base: WebURL

    init(reserved: Set<String> = [], inAtom: Bool, base: WebURL) {
        self.reserved = reserved
        self.inAtom = inAtom
        self.base = base
    }

    mutating func add(_ element: XMLElement, as name: String, isList: Bool = false) {
        add(name, Self.value(of: element, inAtom: inAtom, base: base), isList: isList)
    }

    mutating func add(_ name: String, _ value: JSONValue, isList: Bool = false) {
        let name = reserved.contains(name) ? "own_\(name)" : name
        if !isList, values[name] == nil, lists[name] == nil {
            names.append(name)
            values[name] = value
            return
        }
        let list = isList ? name : "\(name)_more"
        if lists[list] == nil, values[list] == nil { names.append(list) }
        lists[list, default: []].append(value)
    }

    var json: [JSONObject.Member] {
        names.compactMap { name in
            (lists[name].map { .array($0) } ?? values[name]).map { (name: name, value: $0) }
        }
    }

    /// Text where there is nothing else; else an object with attributes, elements and `text`.
    private static func value(of element: XMLElement, inAtom: Bool, base: WebURL) -> JSONValue {
        let base = Reference.base(of: [element], url: base)
        let inner = element.elements
        guard !inner.isEmpty || !element.attributes.isEmpty else { return .string(element.text.trimmed) }
        var members = ElementMembers(inAtom: inAtom, base: base)
        for attribute in element.attributes where attribute.name.space != FeedNamespace.xml {
            let isURL = ["href", "url", "src"].contains(attribute.name.local)
            members.add(
                FeedNamespace.key(attribute.name, inAtom: inAtom),
                .string(isURL ? Reference.resolve(attribute.value, against: base) : attribute.value))
        }
        for child in inner { members.add(child, as: FeedNamespace.key(child.name, inAtom: inAtom)) }
        let own = element.nodes.map { if case .text(let text) = $0 { text } else { "" } }.joined().trimmed
        if !own.isEmpty { members.add("text", .string(own)) }
        return .object(JSONObject(members.json))
    }
}
