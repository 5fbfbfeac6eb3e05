/// The likelihood that a member identifies items, by its name.
enum KeyName: Int, Comparable {
    /// `id`, `uuid`, `sha`, the name of the member that the item is …
    case identifier
    /// An id with the name of the resource: `question_id` of `/questions`.
    case ownIdentifier
    /// The id of an object that the item wraps: `node.id`, `repo.id`.
    case wrappedIdentifier
    /// `url`, `slug`, `name` …
    case name
    /// Another id, perhaps of something else.
    case otherIdentifier
    /// A day or a time by itself, as in a series.
    case moment
    /// The name of a person or a product, a title: two may have the same, today or tomorrow.
    case label
    /// Nothing is known of the name.
    case unknown
    /// A value that changes, or is equal by chance: a title, a number, `created_at`.
    case fleeting

    static func < (one: KeyName, other: KeyName) -> Bool { one.rawValue < other.rawValue }

    /// In the order in which they are preferred, folded.
    static let identifiers = [
        "id", "uuid", "guid", "objectid", "key", "sha", "hash", "nodeid", "uid", "pk", "oid", "gid", "urn", "doi",
        "isbn", "issn", "isrc", "ean", "sku", "iid", "accession", "identifier", "docid", "recordid", "rowid", "rcid",
        "logid", "revid",
    ]
    /// Names that a thing has as others have theirs, which rarely change.
    private static let addresses: Set<String> = [
        "slug", "url", "href", "uri", "htmlurl", "permalink", "fullname", "login", "username", "symbol", "iso",
    ]
    private static let names = [
        "slug", "url", "href", "link", "uri", "htmlurl", "permalink", "number", "no", "nr", "fullname", "login",
        "username", "handle", "code", "symbol", "iso", "path", "email", "word", "term", "file", "filename", "domain",
        "host", "version", "tagname", "ref",
    ]
    /// The last words of names that number things.
    private static let numberingWords: Set<String> = ["key", "no", "number", "nr", "code", "slug"]
    private static let labels: Set<String> = ["name", "title", "label", "displayname", "caption"]
    private static let moments: Set<String> = [
        "date", "time", "timestamp", "day", "month", "year", "period", "datetime", "at", "ts", "when",
    ]
    private static let freeTexts: Set<String> = [
        "msg", "message", "log", "line", "text", "body", "content", "description", "comment", "note", "notes",
        "summary",
        "details", "caption",
    ]
    private static let fleetingWords: Set<String> = [
        "at", "on", "count", "total", "size", "length", "score", "rank", "price", "amount", "body", "text", "content",
        "description", "summary", "title", "excerpt", "message", "comment", "comments", "views", "likes", "stars",
        "votes",
        "points", "updated", "created", "modified", "published", "pushed", "index", "position", "order", "duration",
        "width", "height", "lat", "latitude", "lng", "lon", "longitude", "value", "percent", "rating", "age", "weight",
        "rendered", "html", "avatar", "image", "icon", "picture", "thumbnail", "signature", "payload", "type", "kind",
    ]
    private static let wrappers: Set<String> = [
        "node", "resource", "item", "data", "attributes", "sys", "source", "fields", "properties", "repo", "repository",
        "track", "video", "post", "object", "entity", "record", "document", "snippet", "result", "product",
        "metadata",
    ]

    /// True if the path ends in a name that identifies things anywhere, though it is not an id.
    static func isAddress(_ path: Path) -> Bool {
        path.lastName.map { addresses.contains(MemberName($0).folded) } ?? false
    }

    /// True if the name is one of sentences.
    static func isFreeText(_ path: Path) -> Bool {
        path.lastName.map { freeTexts.contains(MemberName($0).folded) } ?? false
    }

    /// The rank of a path, and a number that orders those of one rank.
    static func rank(_ path: Path, resource: String?) -> (name: KeyName, order: Int) {
        let names = path.segments.compactMap { if case .member(let name) = $0 { MemberName(name) } else { nil } }
        guard let last = names.last else { return (.identifier, -1) }
        let parents = names.dropLast()
        let order = 100 * parents.count
        let place = identifiers.firstIndex(of: last.folded)
        if parents.isEmpty {
            if let place { return (.identifier, place) }
            if last.folded.hasSuffix("id"), isOwn(last, resource) { return (.ownIdentifier, 0) }
            if let place = self.names.firstIndex(of: last.folded) { return (.name, place) }
            if isIdentifier(last) { return (isOwn(last, resource) ? .ownIdentifier : .otherIdentifier, 0) }
            if last.words.count > 1, let word = last.words.last, numberingWords.contains(word) {
                return (.otherIdentifier, 10)
            }
            if moments.contains(last.folded) { return (.moment, 0) }
            if labels.contains(last.folded) { return (.label, 0) }
        } else if parents.allSatisfy({ wrappers.contains($0.folded) }) {
            if let place { return (.wrappedIdentifier, order + place) }
            if isIdentifier(last) { return (.wrappedIdentifier, order + 50) }
            if let place = self.names.firstIndex(of: last.folded) { return (.name, order + place) }
        } else if place != nil || isIdentifier(last) {
            return (.otherIdentifier, order)
        }
        let isFleeting = last.words.contains(where: fleetingWords.contains) || !parents.isEmpty
        return (isFleeting ? .fleeting : .unknown, order)
    }

    private static func isIdentifier(_ name: MemberName) -> Bool {
        if ["id", "uuid", "guid"].contains(name.words.last) { return true }
        // In one word: `appid`, `recommendationid`. A word like `paid` does not differ from item to item.
        if name.words.count == 1, name.folded.hasSuffix("id"), name.folded.count > 4 { return true }
        // The parts of a key, numbered.
        return name.folded.hasPrefix("pk") && name.folded.count > 2 && Int(name.folded.dropFirst(2)) != nil
    }

    /// True if an id has the name of the resource, or of a single one: `topic_id` of `topics`, `category_id` of
    /// `categories`.
    private static func isOwn(_ name: MemberName, _ resource: String?) -> Bool {
        guard let resource = resource.map({ MemberName($0).folded }), !resource.isEmpty else { return false }
        let isOneWord = name.words.count == 1 && name.folded.hasSuffix("id")
        let own = isOneWord ? String(name.folded.dropLast(2)) : name.words.dropLast().joined()
        guard !own.isEmpty else { return false }
        // MediaWiki lists pages as `allpages`.
        return [own, own + "s", own + "es", own.dropLast() + "ies"].contains(resource) || resource == "all\(own)s"
    }
}
