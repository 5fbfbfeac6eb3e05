internal import Feeds
internal import YAML

/// Says one stream of a manifest as a feed.
struct StreamTranslator {
    private let stream: Component
    /// The parts of the stream that say how it is read.
    private let retriever: Component
    private let requester: Component
    private let schema: StreamSchema
    private var evaluator: Evaluator
    private var feed: TranslatedFeed

    /// - Parameter schemas: Gives the text of a schema's file, by its name.
    init(
        _ component: Component, settings: ConnectorSettings, schemas: (String) -> Node?
    ) throws(ConnectorFault) {
        let stream = try Self.readableStream(component)
        self.stream = stream
        evaluator = Evaluator(settings: settings)
        feed = TranslatedFeed(stream: try Self.name(of: stream, evaluator))
        if try component.member("full_refresh_stream") != nil {
            feed.notes.append("the list is read whole, not by its events")
        }
        let found = try stream.member("retriever")
        try stream.refuseCode()
        try found?.refuseCode()
        guard let retriever = found, let requester = try retriever.member("requester") else {
            let asynchronous = try stream.member("retriever", "creation_requester") != nil
            throw stream.fault(
                .request, asynchronous ? "its export is made first and fetched later" : "it has no request")
        }
        try requester.refuseCode()
        (self.retriever, self.requester) = (retriever, requester)
        schema = try StreamSchema(stream, evaluator, schemas)
    }

    /// The name of a stream.
    static func name(of stream: Component, _ evaluator: Evaluator) throws(ConnectorFault) -> String {
        let plain = try readableStream(stream)
        guard let name = try evaluator.literal(try plain.member("name")) else {
            throw stream.fault(.manifest, "a stream has no name")
        }
        return name
    }

    /// The stream that reads the whole list, of those that take turns.
    private static func readableStream(_ component: Component) throws(ConnectorFault) -> Component {
        try component.member("full_refresh_stream") ?? component
    }

    /// The feed; partitions come from `parent`, once its own stream is translated.
    ///
    /// - Parameter parent: Translates the stream that the list goes through, and names the column of a path.
    mutating func translate(
        parent: (_ stream: Component, _ path: Path) throws(ConnectorFault) -> (feed: TranslatedFeed, column: String)
    ) throws(ConnectorFault) -> TranslatedFeed {
        if let router = try retriever.member("partition_router") {
            var partitions = PartitionReader(evaluator: evaluator)
            try partitions.read(router, into: &feed, parent)
            evaluator = partitions.evaluator
        }
        let window = try TimeWindow(stream, evaluator)
        if let window {
            evaluator.partition.values["start_time"] = window.start
            evaluator.partition.values["end_time"] = window.end
        }
        try RequestReader(evaluator: evaluator).read(requester, into: &feed)
        if let authenticator = try requester.member("authenticator") {
            try AuthenticationReader(evaluator: evaluator).read(authenticator, into: &feed)
        }
        try readItems()
        let columns = ColumnReader(stream: stream, schema: schema, evaluator: evaluator)
        try columns.read(into: &feed)
        if let paginator = try retriever.member("paginator") {
            try PaginationReader(evaluator: evaluator, schema: schema).read(paginator, into: &feed)
        }
        if let handler = try requester.member("error_handler") {
            try ResponseReader(evaluator: evaluator).read(handler, into: &feed)
        }
        try window?.add(to: &feed, columns)
        return feed
    }

    private mutating func readItems() throws(ConnectorFault) {
        guard let selector = try retriever.member("record_selector"), let extractor = try selector.member("extractor")
        else { throw retriever.fault(.items, "it does not say where its items are") }
        try selector.refuseCode()
        try extractor.refuseCode()
        if let filter = try selector.member("record_filter") {
            try filter.refuseCode()
            let condition = try filter.member("condition")
            guard let condition, evaluator.isAlwaysTrue(condition) else {
                throw filter.fault(
                    .filter, "it keeps only items for which \(Excerpt.quoted(condition?.text ?? "", limit: 100))")
            }
        }
        guard try extractor.member("record_expander") == nil else {
            throw extractor.fault(.items, "its items are inside other items")
        }
        // The names before the first `*`, and behind each.
        var groups: [[String]] = [[]]
        for element in try extractor.member("field_path")?.elements() ?? [] {
            guard let name = try evaluator.literal(element) else { continue }
            if name == "*" {
                groups.append([])
            } else if name.contains("*") {
                throw element.fault(.items, "its items are at members with names like `\(name)`")
            } else {
                groups[groups.count - 1].append(name)
            }
        }
        if groups.count > 1 {
            let lists = ScatteredLists(
                root: groups[0], groups: groups.dropFirst().map { $0.map { .member($0) } })
            (feed.items, feed.scattered) = (lists.path, lists)
        } else {
            feed.items = Path(groups[0].map { .member($0) })
        }
        try readFormat()
    }

    private mutating func readFormat() throws(ConnectorFault) {
        guard let decoder = try retriever.member("decoder") else { return }
        try decoder.refuseCode()
        switch decoder.type {
        case "JsonDecoder"?, nil: return
        case "JsonlDecoder"?: feed.format = "ndjson"
        case "CsvDecoder"?: feed.format = "csv"
        case let type?: throw decoder.fault(.items, "its pages are decoded by `\(type)`")
        }
    }
}
