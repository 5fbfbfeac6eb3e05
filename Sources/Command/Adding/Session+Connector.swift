internal import Connectors
internal import Editing
internal import FeedSync
internal import HTTP
internal import Reports

extension Session {
    /// Adds the streams of a low-code connector to the configuration, without requests to their upstream.
    ///
    /// - Throws: `Failure` with exit code 64 for unknown words and settings that are missing, 65 for a file that
    ///   is not a manifest, and if no stream can become a feed.
    func addStreams(of path: String) async throws(Failure) -> ExitCode {
        let file = try configurationFile() ?? ConfigurationFile(path: "feedsync.yaml")
        let connector = try reading(try await connectorFiles(of: path)) { files throws(ConnectorError) in
            try Connector(files)
        }
        let given = try settings()
        return try add(to: file, orFailing: "no stream of the connector becomes a feed") { configured throws(Failure) in
            try reading(connector) { connector throws(ConnectorError) in
                try connector.translation(of: invocation.operands, given: given, besides: configured)
            }
        }
    }

    /// Adds the feeds that a description becomes beside those that there are.
    ///
    /// - Throws: `Failure` with exit code 65 and `problem` if there are none.
    func add(
        to file: ConfigurationFile, orFailing problem: String,
        _ translation: (_ configured: [FeedDefinition]) throws(Failure) -> Connector.Translation
    ) throws(Failure) -> ExitCode {
        let isDry = invocation.has(.dryRun)
        var result = Connector.Translation()
        func added(to text: [UInt8]) throws(Failure) -> [UInt8] {
            result = try translation(try parsed(text, of: file).feeds)
            guard !result.feeds.isEmpty || !result.known.isEmpty else {
                throw Failure(.data, result.leftOut.map { reason($0) } + [problem], advice: "feedsync help add")
            }
            var new = text
            for index in result.feeds.indices {
                // The feeds whose rows have its lists may be among those before it.
                let draft = FeedDraft(file: file, environment: environment, entry: entry(of: result.feeds[index]))
                let entry = try editing { () throws(EditingError) in try draft.withParent(in: new).entry }
                new = try Self.adding([entry], to: new, of: file)
                result.feeds[index].entry = entry
            }
            _ = try parsed(new, of: file)
            return new
        }
        if isDry {
            _ = try added(to: try file.contents())
        } else {
            _ = try file.edit { text throws(Failure) in try added(to: text) }
        }
        print(result, in: file, isDry: isDry)
        return .done
    }

    /// The feed with what the command line says of its schedule.
    private func entry(of feed: Connector.Feed) -> FeedEntry {
        let every = invocation.options[.every].map { [FeedEntry.Member("every", .init(word: $0))] } ?? []
        return FeedEntry(name: feed.entry.name, members: feed.entry.members + every)
    }

    /// The words of `--set`, as names with values.
    func settings() throws(Failure) -> [(name: String, value: String)] {
        var settings: [(name: String, value: String)] = []
        for word in invocation.values[.set] ?? [] {
            guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
                // Not shown: it may be a credential.
                throw .usage("--set must have the form NAME=VALUE", advice: "for example --set start_date=2024-01-01")
            }
            settings.append((String(word[..<equals]), String(word[word.index(after: equals)...])))
        }
        return settings
    }

    private func connectorFiles(of path: String) async throws(Failure) -> Connector.Files {
        guard !path.contains("://") else {
            let manifest = try await download(
                path, limit: Connector.Files.mostBytes, advice: "give the URL of the manifest.yaml itself")
            return Connector.Files(source: path, manifest: manifest)
        }
        do throws(FileError) {
            return try Connector.Files(reading: path)
        } catch {
            let message = "\(path) \(error.problem)"
            throw error.code == 0
                ? Failure(.data, [message], advice: Command.add.helpAdvice)
                : .usage(message, advice: Command.add.helpAdvice)
        }
    }

    /// The text at a URL.
    ///
    /// - Throws: `Failure` with exit code 64 for a word that is not a URL, else 69.
    func download(_ text: String, limit: Int, advice: String) async throws(Failure) -> [UInt8] {
        let options = try engineOptions(folder: "")
        let response: Response
        do throws(HTTPError) {
            response = try await options.client.send(Request(try WebURL(text), limits: Limits(body: limit)))
        } catch {
            let isOfWords = error.kind == .invalidURL || error.kind == .unsupportedScheme
            throw Failure(isOfWords ? .usage : .unavailable, ["\(error)"], advice: Command.add.helpAdvice)
        }
        guard response.isSuccess else {
            throw Failure(
                .unavailable, ["\(response.url): the server answered with status \(response.status)"], advice: advice)
        }
        return response.body.withUnsafeBytes { Array($0) }
    }

    /// Runs `body`, and turns a fault of a description into a failure.
    func reading<Value, Result>(
        _ value: Value, _ body: (Value) throws(ConnectorError) -> Result
    ) throws(Failure) -> Result {
        do throws(ConnectorError) { return try body(value) } catch {
            throw Failure(error.isOfWords ? .usage : .data, error.messages, advice: error.advice)
        }
    }

    /// The reason for which a list becomes no feed, as a line.
    func reason(_ leftOut: Connector.LeftOut) -> String {
        let line = leftOut.fault.line.map { " (line \($0))" } ?? ""
        return "\(leftOut.stream): left out: \(leftOut.fault.problem)\(line)"
    }

    private func print(_ result: Connector.Translation, in file: ConfigurationFile, isDry: Bool) {
        if invocation.has(.json) { return print(json: result, in: file, isDry: isDry) }
        for (note, streams) in result.notes {
            let others = streams.count > 4 ? " and \(NumberFormat.count(streams.count - 4)) more" : ""
            console.note("note: \(streams.prefix(4).joined(separator: ", "))\(others): \(note)")
        }
        for leftOut in result.leftOut { console.warn(reason(leftOut)) }
        guard !isDry else {
            for feed in result.feeds { console.print(feed.entry.lines) }
            return
        }
        let known = result.known.isEmpty ? "" : "; already there: \(NumberFormat.count(result.known.count))"
        let leftOut = result.leftOut.isEmpty ? "" : "; left out: \(NumberFormat.count(result.leftOut.count))"
        console.print("added \(NumberFormat.count(result.feeds.count, "feed")) to \(file.path)\(known)\(leftOut)")
        let variables = result.variables
        if !variables.isEmpty { console.print("Set: \(variables.joined(separator: ", "))") }
        console.print("Next: \(console.palette.hint("feedsync sync"))")
    }

    private func print(json result: Connector.Translation, in file: ConfigurationFile, isDry: Bool) {
        let feeds = result.feeds.map { feed in
            let fields: JSONFields = [
                "stream": feed.stream, "feed": feed.entry.name,
                "definition": JSONDocument((isDry ? feed.entry : feed.entry.masked).json),
                "notes": JSONDocument(JSONLines.array(feed.notes.map(JSONText.string))),
            ]
            return fields.json
        }
        let leftOut = result.leftOut.map { leftOut in
            let fields: JSONFields = [
                "stream": leftOut.stream, "kind": leftOut.fault.kind.rawValue, "reason": leftOut.fault.problem,
                "line": leftOut.fault.line,
            ]
            return fields.json
        }
        let document: JSONFields = [
            "added": JSONDocument(JSONLines.array(feeds)),
            "known": JSONDocument(JSONLines.array(result.known.map(JSONText.string))),
            "left_out": JSONDocument(JSONLines.array(leftOut)), "file": isDry ? nil : file.path,
        ]
        print(result: document)
    }
}

extension Connector.Translation {
    /// Each remark once, with the streams that it is about.
    fileprivate var notes: [(note: String, streams: [String])] {
        var notes: [(note: String, streams: [String])] = []
        for feed in feeds {
            for note in feed.notes {
                if let index = notes.firstIndex(where: { $0.note == note }) {
                    notes[index].streams.append(feed.stream)
                } else {
                    notes.append((note, [feed.stream]))
                }
            }
        }
        return notes
    }

    /// The environment variables that the feeds need.
    fileprivate var variables: [String] {
        var names: Set<String> = []
        for feed in feeds {
            for text in feed.entry.json.split(separator: "${").dropFirst() {
                names.insert(String(text.prefix { $0 != "}" }))
            }
        }
        return names.filter { !$0.contains(":") }.sorted()
    }
}
