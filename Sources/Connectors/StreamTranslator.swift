internal import Feeds
internal import YAML

/// Says one stream of a manifest as a feed.
struct StreamTranslator {
    let stream: Component
    /// The parts of the stream that say how it is read.
    let retriever: Component
    let requester: Component
    let name: String
    let schema: StreamSchema
    var evaluator: Evaluator
    var feed: TranslatedFeed

    /// - Parameter schemas: Gives the text of a schema's file, by its name.
    init(
        _ component: Component, settings: ConnectorSettings, schemas: (String) -> Node?
    ) throws(ConnectorFault) {
        let stream = try Self.readableStream(component)
        self.stream = stream
        evaluator = Evaluator(settings: settings)
        name = try Self.name(of: stream, evaluator)
        feed = TranslatedFeed(stream: name)
        if try component.member("full_refresh_stream") != nil {
            feed.notes.append("the list is read whole, not by its events")
        }
        let found = try stream.member("retriever")
        for part in [stream, found] { try Self.refuseCode(part) }
        guard let retriever = found, let requester = try retriever.member("requester") else {
            let asynchronous = try stream.member("retriever", "creation_requester") != nil
            throw ConnectorFault(
                .request, asynchronous ? "its export is made first and fetched later" : "it has no request",
                at: stream.mark)
        }
        try Self.refuseCode(requester)
        (self.retriever, self.requester) = (retriever, requester)
        schema = try StreamSchema(stream, evaluator, schemas)
    }

    /// The name of a stream.
    static func name(of stream: Component, _ evaluator: Evaluator) throws(ConnectorFault) -> String {
        let plain = try readableStream(stream)
        guard let name = try evaluator.literal(try plain.member("name")) else {
            throw ConnectorFault(.manifest, "a stream has no name", at: stream.mark)
        }
        return name
    }

    /// The stream that reads the whole list, of those that take turns.
    private static func readableStream(_ component: Component) throws(ConnectorFault) -> Component {
        try component.member("full_refresh_stream") ?? component
    }

    /// - Throws: `ConnectorFault` for a component that is a Python class.
    static func refuseCode(_ component: Component?) throws(ConnectorFault) {
        guard let component, let name = component.customClass else { return }
        throw ConnectorFault(.code, "`\(name)` is code of the connector's own", at: component.mark)
    }

    /// The feed; partitions come from `parent`, once its own stream is translated.
    ///
    /// - Parameter parent: Translates the stream that the list goes through, and names the column of a path.
    mutating func translate(
        parent: (_ stream: Component, _ path: Path) throws(ConnectorFault) -> (feed: TranslatedFeed, column: String)
    ) throws(ConnectorFault) -> TranslatedFeed {
        try readPartitions(parent)
        let window = try TimeWindow(stream, evaluator)
        if let window {
            evaluator.partition.values["start_time"] = window.start
            evaluator.partition.values["end_time"] = window.end
        }
        try readAddress()
        try readInputs()
        try readAuthentication()
        try readItems()
        try readColumns()
        try readPagination()
        try readResponses()
        try window?.add(to: &self)
        return feed
    }
}

extension StreamTranslator {
    private mutating func readAddress() throws(ConnectorFault) {
        let address = try address(of: requester)
        (feed.method, feed.url) = (address.method, address.url)
    }

    /// The method and the URL of a requester.
    func address(of requester: Component) throws(ConnectorFault) -> (method: String, url: ConfigurationWords) {
        let method = try evaluator.literal(try requester.member("http_method"))?.uppercased() ?? "GET"
        guard ["GET", "POST"].contains(method) else {
            throw ConnectorFault(.request, "it is requested by \(method)", at: requester.mark)
        }
        // Newer manifests have the whole address in `url`.
        let address = [try requester.member("url_base"), try requester.member("url")]
        guard var url = try evaluator.words(address.compactMap(\.self).first) else {
            throw ConnectorFault(.request, "it has no `url_base`", at: requester.mark)
        }
        let path = try evaluator.words(try requester.member("path"))
        if let path, case .literal(let text)? = path.pieces.first, text.contains("://") {
            url = path
        } else if let path {
            url = Self.trimming(url, "/", atEnd: true)
            url.append(ConfigurationWords("/"))
            url.append(Self.trimming(path, "/", atEnd: false))
        }
        // A literal space would end the URL.
        return (method, Self.trimming(url, "?", atEnd: true).mapped { $0.replacing(" ", with: "%20") })
    }

    private static func trimming(_ words: ConfigurationWords, _ mark: Character, atEnd: Bool) -> ConfigurationWords {
        guard let place = atEnd ? words.pieces.indices.last : words.pieces.indices.first,
            case .literal(let text) = words.pieces[place]
        else { return words }
        let trimmed =
            atEnd
            ? String(text.reversed().drop { $0 == mark || $0.isWhitespace }.reversed())
            : String(text.drop { $0 == mark || $0.isWhitespace })
        var result = ConfigurationWords("")
        for (index, piece) in words.pieces.enumerated() {
            switch piece {
            case .literal(let text): result.append(ConfigurationWords(index == place ? trimmed : text))
            case .reference(let text): result.append(ConfigurationWords(reference: text))
            }
        }
        return result
    }

    /// Query, headers and body.
    private mutating func readInputs() throws(ConnectorFault) {
        for (name, value) in try inputs("request_parameters", of: requester) {
            if case .mapping = value {
                throw ConnectorFault(.request, "the parameter `\(name)` is an object", at: requester.mark)
            }
            if value.words?.literal == "" { continue }
            if let entry = value.entryValue { set(name, entry) }
        }
        for (name, value) in try inputs("request_headers", of: requester) {
            guard let words = value.words, words.literal != "" else { continue }
            feed.headers.append(.init(name, .text(words.written)))
        }
        try readBody()
        guard feed.method == "POST" || feed.body.isEmpty else {
            throw ConnectorFault(.request, "a GET with a body", at: requester.mark)
        }
    }

    private mutating func readBody() throws(ConnectorFault) {
        if let data = try requester.member("request_body_data"), !(data.node.pairs?.isEmpty ?? false) {
            throw ConnectorFault(.request, "its body is a form, not JSON", at: data.mark)
        }
        for (name, value) in try inputs("request_body_json", of: requester) {
            if let entry = value.entryValue { setInBody(name, entry) }
        }
        guard let body = try requester.member("request_body") else { return }
        guard ["RequestBodyJsonObject", "RequestBodyGraphQL"].contains(body.type ?? ""),
            case .mapping(let members) = try evaluator.value(try body.member("value"))
        else {
            throw ConnectorFault(.request, "its body is no JSON object", at: body.mark)
        }
        for member in members { if let entry = member.value.entryValue { setInBody(member.name, entry) } }
    }

    /// The members of an input, or of the expression that makes them.
    func inputs(_ name: String, of requester: Component) throws(ConnectorFault) -> [(String, ConnectorValue)] {
        guard let component = try requester.member(name) else { return [] }
        switch try evaluator.value(component) {
        case .mapping(let members): return members.map { ($0.name, $0.value) }
        case .nothing: return []
        case .text(let words):
            // As in a URL: `a=1&b=2`
            guard let text = words.literal, text.contains("=") else { break }
            return text.split(separator: "&").map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1)
                return (String(parts[0]), .text(parts.count > 1 ? String(parts[1]) : ""))
            }
        default: break
        }
        throw ConnectorFault(.request, "`\(name)` is no object", at: component.mark)
    }

    /// Gives a query parameter a value.
    mutating func set(_ name: String, _ value: FeedEntry.Value) {
        feed.query.removeAll { $0.name == name }
        feed.query.append((name, value))
    }

    mutating func setInBody(_ name: String, _ value: FeedEntry.Value) {
        feed.body.removeAll { $0.name == name }
        feed.body.append(.init(name, value))
    }

    /// Puts a value where a `RequestOption` says.
    mutating func inject(_ words: ConfigurationWords, _ option: Component) throws(ConnectorFault) {
        let place = try RequestPlace(option, evaluator)
        switch place {
        case .query(let name): set(name, .text(words.written))
        case .header(let name): feed.headers.append(.init(name, .text(words.written)))
        case .body(let names):
            guard names.count == 1 else {
                throw ConnectorFault(.request, "a value inside a body's object", at: option.mark)
            }
            setInBody(names[0], .text(words.written))
        case .path:
            throw ConnectorFault(.request, "a value in the path that no path names", at: option.mark)
        }
    }

    private mutating func readItems() throws(ConnectorFault) {
        guard let selector = try retriever.member("record_selector"), let extractor = try selector.member("extractor")
        else { throw ConnectorFault(.items, "it does not say where its items are", at: retriever.mark) }
        try Self.refuseCode(selector)
        try Self.refuseCode(extractor)
        if let filter = try selector.member("record_filter") {
            try Self.refuseCode(filter)
            let condition = try filter.member("condition")
            guard let condition, evaluator.isAlwaysTrue(condition) else {
                throw ConnectorFault(
                    .filter, "it keeps only items for which \(Excerpt.quoted(condition?.text ?? "", limit: 100))",
                    at: filter.mark)
            }
        }
        guard try extractor.member("record_expander") == nil else {
            throw ConnectorFault(.items, "its items are inside other items", at: extractor.mark)
        }
        // The names before the first `*`, and behind each.
        var groups: [[String]] = [[]]
        for element in try extractor.member("field_path")?.elements() ?? [] {
            guard let name = try evaluator.literal(element) else { continue }
            if name == "*" {
                groups.append([])
            } else if name.contains("*") {
                throw ConnectorFault(.items, "its items are at members with names like `\(name)`", at: element.mark)
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
        try Self.refuseCode(decoder)
        switch decoder.type {
        case "JsonDecoder"?, nil: return
        case "JsonlDecoder"?: feed.format = "ndjson"
        case "CsvDecoder"?: feed.format = "csv"
        case let type?: throw ConnectorFault(.items, "its pages are decoded by `\(type)`", at: decoder.mark)
        }
    }
}

/// The place in a request that a `RequestOption` names.
enum RequestPlace: Sendable, Hashable {
    case query(String)
    case header(String)
    case body([String])
    case path

    init(_ option: Component, _ evaluator: Evaluator) throws(ConnectorFault) {
        if option.type == "RequestPath" {
            self = .path
            return
        }
        var names: [String] = []
        for element in try option.member("field_path")?.elements() ?? [] {
            if let name = try evaluator.literal(element) { names.append(name) }
        }
        if let name = try evaluator.literal(try option.member("field_name")) { names = [name] }
        let place = try evaluator.literal(try option.member("inject_into"))
        if place == "path" {
            self = .path
            return
        }
        guard let name = names.first else {
            throw ConnectorFault(.request, "a `RequestOption` without a `field_name`", at: option.mark)
        }
        switch place {
        case "request_parameter": self = .query(name)
        case "header": self = .header(name)
        case "body_json": self = .body(names)
        case let other: throw ConnectorFault(.request, "a value is sent in `\(other ?? "")`", at: option.mark)
        }
    }
}
