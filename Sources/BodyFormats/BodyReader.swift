internal import Concurrency
package import Feeds
package import HTTP
internal import ResponseBody

/// Turns a body of another format into the JSON that it says, for everything that reads pages.
///
/// It writes at most 64 MiB and eight times the body, and both together take no more than a page may; more is an error.
///
/// - Isolation: any; it keeps nothing.
package struct BodyReader: Sendable {
    private let format: FeedFormat?
    private let numbers: Set<String>
    private let memory: PageMemory

    /// - Parameters:
    ///   - format: What the feed's bodies are; nil where each response has to say.
    ///   - columns: The feed's columns: a table's texts become numbers where these say so.
    ///   - memory: What a body and its JSON may take together; the page decoder takes no longer JSON, either.
    package init(_ format: FeedFormat?, columns: [ColumnDefinition] = [], memory: PageMemory = .standard) {
        self.format = format
        self.memory = memory
        let isTable = format == nil || format == .csv
        let numeric = isTable ? columns.filter { $0.type == .integer || $0.type == .real } : []
        numbers = Set(
            numeric.compactMap { column in
                guard column.path.segments.count == 1, case .member(let name)? = column.path.segments.first else {
                    return nil
                }
                return name
            })
    }

    /// The body as JSON, with its original format; nil if it is JSON already, or unreadable.
    ///
    /// - Throws: `FeedSyncError` of kind `undecodable` with the line of the fault.
    package func read(
        _ response: Response, secrets: Secrets = Secrets()
    ) throws(FeedSyncError) -> (format: FeedFormat, body: Body)? {
        let format = format ?? FeedFormat(of: response)
        guard format != .json else { return nil }
        let bytes = response.body.bytes
        do throws(BodyFault) {
            let encoding = try TextEncoding(
                of: bytes, charset: response.charset, isXML: format == .atom || format == .rss)
            var output = JSONOutput(limit: min((64 << 20) + 8 * bytes.count, memory.most - bytes.count))
            let text = try encoding.utf8(bytes)
            switch format {
            case .json: return nil
            case .ndjson: try JSONLinesReader(text).write(to: &output)
            case .csv:
                let isTabbed = response.contentType == "text/tab-separated-values"
                var table = TableReader(text, separator: isTabbed ? UInt8(ascii: "\t") : nil, numbers: numbers)
                try table.write(to: &output)
            case .atom, .rss:
                try SyndicationReader(text, url: response.url).write(to: &output)
            }
            return (format, output.body)
        } catch {
            // Its fault is that nobody wants it any more.
            if WorkLimit.hasToEnd { throw .cancelled }
            throw error.error(of: response, as: format, secrets: secrets)
        }
    }
}

extension FeedFormat {
    /// The format of a response: from its `Content-Type` if that is clear, else from the first bytes.
    package init(of response: Response) {
        let type = response.contentType ?? ""
        switch type {
        case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl",
            "application/jsonlines", "application/x-jsonlines", "application/json-lines", "application/stream+json":
            self = .ndjson
        case "text/csv", "application/csv", "text/tab-separated-values": self = .csv
        case "application/atom+xml": self = .atom
        case "application/rss+xml", "application/rdf+xml": self = .rss
        case _ where type.hasSuffix("json"): self = .json
        default:
            switch BodyFormat(of: response.body) {
            case .rss?: self = .rss
            case .atom?: self = .atom
            case .csv?: self = .csv
            case .ndjson?: self = .ndjson
            case .html?, .xml?, nil: self = .json
            }
        }
    }
}

extension Response {
    /// The `charset` of the `Content-Type`, in lower case.
    fileprivate var charset: String? {
        for parameter in (headers["Content-Type"] ?? "").split(separator: ";").dropFirst() {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].trimmingSpaces.isSameASCII(as: "charset") else { continue }
            let name = parts[1].filter { $0 != "\"" && $0 != "'" }.trimmingSpaces.lowercasedASCII
            return name.isEmpty ? nil : name
        }
        return nil
    }
}
