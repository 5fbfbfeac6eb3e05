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
    /// The format of a media type, in lower case and without parameters; nil if it says none, as `application/xml` and
    /// `text/plain` do.
    package init?(mediaType: String) {
        switch mediaType {
        case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl",
            "application/jsonlines", "application/x-jsonlines", "application/json-lines", "application/stream+json":
            self = .ndjson
        case "text/csv", "application/csv", "text/tab-separated-values": self = .csv
        case "application/atom+xml": self = .atom
        case "application/rss+xml", "application/rdf+xml": self = .rss
        case "text/event-stream": self = .events
        case _ where mediaType.hasSuffix("json-seq"): self = .jsonSequence
        case _ where mediaType.hasSuffix("json"): self = .json
        default: return nil
        }
    }

    /// True if the text shows where it ends: a part of it cannot be read.
    package var showsItsEnd: Bool {
        switch self {
        case .ndjson, .jsonSequence, .csv, .events: false
        case .json, .atom, .rss, .xml: true
        }
    }

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
