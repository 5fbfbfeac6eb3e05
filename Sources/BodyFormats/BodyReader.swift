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
    /// The columns that the feed reads of a table.
    private let tableColumns: TableReader.Columns
    private let memory: PageMemory
    private let items: ItemsRule?
    private let plainList: PlainList
    private let columns: [Path]

    /// - Parameters:
    ///   - format: The format of the feed's bodies; nil where each response has to say.
    ///   - items: The place of the items, which are a list in XML even if there is only one.
    ///   - columns: The feed's columns: a table's texts become numbers where these say so.
    ///   - rowNames: The names of the elements of items that are arrays.
    ///   - key: The paths of the key; empty where it is found.
    ///   - memory: The memory that a body and its JSON may take together; the page decoder takes no longer JSON,
    ///     either.
    package init(
        _ format: FeedFormat?, items: ItemsRule? = nil, columns: [ColumnDefinition] = [],
        rowNames: [String] = [], key: [Path] = [], memory: PageMemory = .standard
    ) {
        self.format = format
        self.items = items
        plainList = PlainList(items: items?.path, names: rowNames, key: key)
        self.memory = memory
        self.columns = columns.map(\.path)
        // Only a member is a column of a table; the definition has other values.
        let names = { (paths: [Path]) in
            paths.compactMap { path in
                if case .member(let name)? = path.segments.first { name } else { nil }
            }
        }
        tableColumns = TableReader.Columns(key: names(key), all: names(columns.map(\.path)))
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
        var format = format ?? .json
        do throws(BodyFault) {
            let content = try Archive.content(of: response.body, limit: memory.most - response.body.count)
            let response = content.map { response.replacing(body: $0) } ?? response
            format = self.format ?? FeedFormat(of: response)
            let body = format == .json ? try json(response) ?? content : try converted(response, from: format, secrets)
            let gathered = try items?.scattered.flatMap { lists throws(BodyFault) in
                try GatheredList.body(body ?? response.body, of: lists, limit: limit(response))
            }
            let present = gathered ?? body ?? response.body
            let objects = format.holdsJSON ? try plainList.objects(in: present, limit: limit(response)) : nil
            return (objects ?? gathered ?? body).map { (format, $0) }
        } catch {
            // Its fault is that nobody wants it any more.
            if WorkLimit.hasToEnd { throw .cancelled }
            throw error.error(of: response, as: format, secrets: secrets)
        }
    }

    /// A JSON text of another encoding, or behind a byte order mark, as plain UTF-8; nil if it is plain UTF-8 already,
    /// whatever its header says.
    private func json(_ response: Response) throws(BodyFault) -> Body? {
        let (isWide, isMarked) = response.body.withUnsafeBytes { bytes in
            (
                [[0xFF, 0xFE], [0xFE, 0xFF]].contains(Array(bytes.prefix(2))) || bytes.prefix(2).contains(0),
                bytes.starts(with: [0xEF, 0xBB, 0xBF])
            )
        }
        let mayDiffer = isWide || isMarked || ![nil, "utf-8", "utf8", "us-ascii"].contains(response.charset)
        guard mayDiffer else { return nil }
        let bytes = response.body.bytes
        guard isWide || String(validating: bytes, as: UTF8.self) == nil else {
            return isMarked ? Body(bytes.withoutByteOrderMark) : nil
        }
        return Body(try TextEncoding(of: bytes, charset: response.charset, isXML: false).utf8(bytes))
    }

    private func limit(_ response: Response) -> Int {
        let count = response.body.count
        return min((64 << 20) + 8 * count, memory.most - count)
    }

    private func converted(
        _ response: Response, from format: FeedFormat, _ secrets: Secrets
    ) throws(BodyFault) -> Body {
        let bytes = response.body.bytes
        let isXML = [.atom, .rss, .xml].contains(format)
        let encoding = try TextEncoding(of: bytes, charset: response.charset, isXML: isXML)
        var output = JSONOutput(limit: limit(response))
        let text = try encoding.utf8(bytes)
        switch format {
        case .json: return response.body
        case .ndjson: try JSONLinesReader(text: text).write(to: &output)
        case .jsonSequence: try JSONLinesReader(text: text, separator: 0x1E).write(to: &output)
        case .events: try EventStreamReader(text: text).write(to: &output)
        case .csv:
            let isTabbed = response.contentType == "text/tab-separated-values"
            var table = TableReader(
                text, separator: isTabbed ? UInt8(ascii: "\t") : nil, numbers: numbers, wanted: tableColumns,
                mayBeCut: response.isOpenEnded, secrets: secrets)
            try table.write(to: &output)
        case .atom, .rss:
            do throws(BodyFault) {
                try SyndicationReader(text: text, url: response.url).write(to: &output)
            } catch {
                // Only what cannot be read as it is gets mended: the fault of the original counts.
                guard let repaired = XMLRepair.repaired(text) else { throw error }
                output.startOver()
                do throws(BodyFault) {
                    try SyndicationReader(text: repaired, url: response.url).write(to: &output)
                } catch let other {
                    throw other.line == nil ? other : error
                }
            }
        case .xml:
            let place = items?.scattered == nil ? items?.path : nil
            try XMLReader(text, items: place, columns: columns).write(to: &output)
        }
        return output.body
    }
}

extension FeedFormat {
    /// True for JSON values as they are, whatever is around them.
    fileprivate var holdsJSON: Bool { [.json, .ndjson, .jsonSequence].contains(self) }

    /// The format of a response: from its `Content-Type` if that is clear, else from the first bytes.
    package init(of response: Response) {
        if let format = response.contentType.flatMap({ FeedFormat(mediaType: $0) }) {
            self = format
        } else if case .feed(let format)? = BodyFormat(of: response.body), format != .xml {
            self = format
        } else {
            self = .json
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
