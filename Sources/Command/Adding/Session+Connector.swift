internal import Connectors
internal import FeedSync
internal import HTTP
internal import Reports

extension Session {
    /// Adds the streams of a low-code connector to the configuration, without requests to their upstream.
    ///
    /// - Throws: `Failure` with exit code 64 for words that mean nothing and settings that are missing, 65 for a file that
    ///   is not a manifest, and if no stream can become a feed.
    func addStreams(of path: String) async throws(Failure) -> ExitCode {
        let file = try configurationFile() ?? ConfigurationFile(path: "feedsync.yaml")
        let connector = try reading(try await connectorFiles(of: path)) { files throws(ConnectorError) in
            try Connector(files)
        }
        let given = try settings()
        func translation(besides text: [UInt8]) throws(Failure) -> Connector.Translation {
            let configuration = try parsed(text, of: file)
            let result = try reading(connector) { connector throws(ConnectorError) in
                try connector.translation(of: invocation.operands, given: given, besides: configuration.feeds)
            }
            guard result.feeds.isEmpty, result.known.isEmpty else { return result }
            throw Failure(
                .data, result.leftOut.map { reason($0) } + ["no stream of the connector becomes a feed"],
                advice: "feedsync help add")
        }
        let isDry = invocation.has(.dryRun)
        var result = Connector.Translation()
        if isDry {
            result = try translation(besides: try file.contents())
        } else {
            _ = try file.edit { text throws(Failure) in
                result = try translation(besides: text)
                let new = try Self.adding(result.feeds.map { entry(of: $0) }, to: text, of: file)
                _ = try parsed(new, of: file)
                return new
            }
        }
        print(result, in: file, isDry: isDry)
        return .done
    }

    /// The feed with what the command line says of its schedule.
    private func entry(of feed: Connector.Feed) -> FeedEntry {
        let every = invocation.options[.every].map { [FeedEntry.Member("every", .init(word: $0))] } ?? []
        return FeedEntry(name: feed.entry.name, members: feed.entry.members + every)
    }

    private func settings() throws(Failure) -> [(name: String, value: String)] {
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
        guard !path.contains("://") else { return try await download(path) }
        do throws(FileError) {
            return try Connector.Files(reading: path)
        } catch {
            let message = "\(path) \(error.problem)"
            throw error.code == 0
                ? Failure(.data, [message], advice: Command.add.helpAdvice)
                : .usage(message, advice: Command.add.helpAdvice)
        }
    }

    private func download(_ text: String) async throws(Failure) -> Connector.Files {
        let options = try engineOptions(folder: "")
        let response: Response
        do throws(HTTPError) {
            let request = Request(try WebURL(text), limits: Limits(body: Connector.Files.mostBytes))
            response = try await options.client.send(request)
        } catch {
            let isOfWords = error.kind == .invalidURL || error.kind == .unsupportedScheme
            throw Failure(isOfWords ? .usage : .unavailable, ["\(error)"], advice: Command.add.helpAdvice)
        }
        guard response.isSuccess else {
            throw Failure(
                .unavailable, ["\(response.url): the server answered with status \(response.status)"],
                advice: "give the URL of the manifest.yaml itself")
        }
        return Connector.Files(source: text, manifest: response.body.withUnsafeBytes { Array($0) })
    }

    private func reading<Value, Result>(
        _ value: Value, _ body: (Value) throws(ConnectorError) -> Result
    ) throws(Failure) -> Result {
        do throws(ConnectorError) { return try body(value) } catch {
            throw Failure(error.isOfWords ? .usage : .data, error.messages, advice: error.advice)
        }
    }

    private func reason(_ leftOut: Connector.LeftOut) -> String {
        "\(leftOut.stream): left out: \(leftOut.fault.problem) (line \(leftOut.fault.line))"
    }

    private func print(_ result: Connector.Translation, in file: ConfigurationFile, isDry: Bool) {
        if invocation.has(.json) { return print(json: result, in: file, isDry: isDry) }
        for (note, streams) in result.notes {
            let others = streams.count > 4 ? " and \(NumberFormat.count(streams.count - 4)) more" : ""
            console.note("note: \(streams.prefix(4).joined(separator: ", "))\(others): \(note)")
        }
        for leftOut in result.leftOut { console.warn(reason(leftOut)) }
        guard !isDry else {
            for feed in result.feeds { console.print(entry(of: feed).lines) }
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
            let entry = entry(of: feed)
            let fields: JSONFields = [
                "stream": feed.stream, "feed": feed.entry.name,
                "definition": JSONDocument((isDry ? entry : entry.masked).json),
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
