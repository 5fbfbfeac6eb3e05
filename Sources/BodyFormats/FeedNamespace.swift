internal import XML

/// The namespaces of feeds, each with the prefix of its elements in paths, whichever prefix the document uses.
enum FeedNamespace {
    static let atom = "http://www.w3.org/2005/Atom"
    static let oldAtom = "http://purl.org/atom/ns#"
    static let dublinCore = "http://purl.org/dc/elements/1.1/"
    static let content = "http://purl.org/rss/1.0/modules/content/"
    static let itunes = "http://www.itunes.com/dtds/podcast-1.0.dtd"
    static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    static let xhtml = "http://www.w3.org/1999/xhtml"
    static let xml = "http://www.w3.org/XML/1998/namespace"

    /// The namespaces of the formats themselves, whose elements have no prefix.
    private static let own: Set<String> = [
        "http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/",
        "http://channel.netscape.com/rdf/simple/0.9/",
        "http://backend.userland.com/rss2", "http://blogs.law.harvard.edu/tech/rss",
        "http://cyber.law.harvard.edu/rss/",
    ]

    private static let prefixes: [String: String] = [
        atom: "atom", oldAtom: "atom", dublinCore: "dc", "http://purl.org/dc/terms/": "dcterms", content: "content",
        itunes: "itunes", rdf: "rdf", xhtml: "xhtml", xml: "xml", "http://search.yahoo.com/mrss/": "media",
        "http://search.yahoo.com/mrss": "media", "http://purl.org/syndication/thread/1.0": "thr",
        "http://www.georss.org/georss": "georss", "http://www.w3.org/2003/01/geo/wgs84_pos#": "geo",
        "https://podcastindex.org/namespace/1.0": "podcast", "http://purl.org/rss/1.0/modules/slash/": "slash",
        "http://wellformedweb.org/CommentAPI/": "wfw", "http://purl.org/rss/1.0/modules/syndication/": "sy",
        "http://www.google.com/schemas/play-podcasts/1.0": "googleplay",
        "http://www.youtube.com/xml/schemas/2015": "yt",
        "http://a9.com/-/spec/opensearch/1.1/": "opensearch", "http://a9.com/-/spec/opensearchrss/1.0/": "opensearch",
        "http://purl.org/syndication/history/1.0": "fh",
        "http://www.w3.org/2007/app": "app", "http://arxiv.org/schemas/atom": "arxiv",
    ]

    /// The name of an element or attribute: the specification's prefix, else the document's, and none for the format's
    /// own.
    static func key(_ name: XMLName, inAtom: Bool) -> String {
        guard let space = name.space else { return name.prefix.map { "\($0):\(name.local)" } ?? name.local }
        if own.contains(space) || inAtom && (space == atom || space == oldAtom) { return name.local }
        return (prefixes[space] ?? name.prefix).map { "\($0):\(name.local)" } ?? name.local
    }
}
