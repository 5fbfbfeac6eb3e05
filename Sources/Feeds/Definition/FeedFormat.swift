/// The format of a feed's bodies, for `format` in the configuration.
package enum FeedFormat: String, Sendable, Hashable, CaseIterable {
    /// One JSON document.
    case json
    /// One JSON value a line.
    case ndjson
    /// A JSON text sequence: JSON values with a record separator before each.
    case jsonSequence = "json-seq"
    /// Server-sent events.
    case events = "sse"
    /// A table with a header line.
    case csv
    /// Atom; RSS is read as well.
    case atom
    /// RSS 2.0, 0.9x or 1.0; Atom is read as well.
    case rss
    /// Any other XML.
    case xml
}

extension FeedFormat {
    /// The format's name in a sentence.
    package var words: String {
        switch self {
        case .json: "JSON"
        case .ndjson: "one JSON value per line"
        case .jsonSequence: "a JSON text sequence"
        case .events: "server-sent events"
        case .csv: "CSV with a header line"
        case .atom: "an Atom feed"
        case .rss: "an RSS feed"
        case .xml: "XML"
        }
    }
}
