internal import Connectors
internal import Editing
internal import FeedSync
internal import Reports
internal import Text

/// The feeds that a description of an API becomes, as `add` lists them and adds them.
struct DescribedFeeds {
    let session: Session
    /// The values of `--set`, by their names.
    let given: [(name: String, value: String)]

    /// - Throws: `Failure` with exit code 64 for `--set` without a value.
    init(_ session: Session) throws(Failure) {
        self.session = session
        given = try Self.settings(session.invocation)
    }

    /// A way to say the lists of a description as feeds.
    typealias Translating = (
        _ chosen: [String], _ given: [(name: String, value: String)], _ configured: [FeedDefinition],
        _ hasColumns: Bool
    ) throws(ConnectorError) -> Connector.Translation

    /// Lists the collections of a description, or adds those that the operands name.
    ///
    /// - Throws: `Failure` with exit code 65 and a problem if there are none to list, or none becomes a feed.
    func listOrAdd(
        _ collections: @autoclosure () -> [DescribedCollection], besides leftOut: [Connector.LeftOut], option: Option,
        of path: String, orFailing problems: (listing: String, adding: String), _ translation: Translating
    ) throws(Failure) -> ExitCode {
        guard !session.invocation.operands.isEmpty else {
            try print(collections(), besides: leftOut, option: option, of: path, orFailing: problems.listing)
            return .done
        }
        return try add(to: try session.fileForFeeds(), orFailing: problems.adding) {
            configured throws(ConnectorError) in
            try translation(session.invocation.operands, given, configured, session.invocation.has(.columns))
        }
    }

    /// Adds the feeds that a description becomes beside those that there are.
    ///
    /// - Throws: `Failure` with exit code 65 and `problem` if there are none.
    func add(
        to file: ConfigurationFile, orFailing problem: String,
        _ translation: (_ configured: [FeedDefinition]) throws(ConnectorError) -> Connector.Translation
    ) throws(Failure) -> ExitCode {
        let isDry = session.invocation.has(.dryRun)
        var result = Connector.Translation()
        func added(to text: [UInt8]) throws(Failure) -> [UInt8] {
            let configured = try file.configuration(in: text, session.environment).feeds
            result = try Self.reading(try translation(configured))
            guard !result.feeds.isEmpty || !result.known.isEmpty else {
                throw Failure(.data, result.leftOut.map(Self.reason) + [problem], advice: "feedsync help add")
            }
            var new = text
            for index in result.feeds.indices {
                // The feeds whose rows have its lists may be among those before it.
                let draft = FeedDraft(
                    file: file, environment: session.environment, entry: entry(of: result.feeds[index]))
                let entry = try editing(try draft.withParent(in: new).entry)
                new = try file.adding([entry], to: new)
                result.feeds[index].entry = entry
            }
            _ = try file.configuration(in: new, session.environment)
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
        FeedEntry(name: feed.entry.name, members: feed.entry.members + session.invocation.every)
    }

    /// The words of `--set`, as names with values.
    private static func settings(_ invocation: Invocation) throws(Failure) -> [(name: String, value: String)] {
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

    /// The value of an expression; a fault of a description becomes a failure.
    static func reading<Value>(_ value: @autoclosure () throws(ConnectorError) -> Value) throws(Failure) -> Value {
        do throws(ConnectorError) { return try value() } catch {
            throw Failure(error.isOfWords ? .usage : .data, error.messages, advice: error.advice)
        }
    }

    /// The reason for which a list becomes no feed, as a line.
    private static func reason(_ leftOut: Connector.LeftOut) -> String {
        let line = leftOut.fault.line.map { " (line \($0))" } ?? ""
        return "\(leftOut.stream): left out: \(leftOut.fault.problem)\(line)"
    }

    private func print(_ result: Connector.Translation, in file: ConfigurationFile, isDry: Bool) {
        if session.invocation.has(.json) { return print(json: result, in: file, isDry: isDry) }
        let console = session.console
        for (note, streams) in result.notes {
            let others = streams.count > 4 ? " and \(NumberFormat.count(streams.count - 4)) more" : ""
            console.note("note: \(streams.prefix(4).joined(separator: ", "))\(others): \(note)")
        }
        for leftOut in result.leftOut { console.warn(Self.reason(leftOut)) }
        guard !isDry else {
            for feed in result.feeds { console.print(feed.entry.lines) }
            return
        }
        let known = result.known.isEmpty ? "" : "; already there: \(NumberFormat.count(result.known.count))"
        let leftOut = result.leftOut.isEmpty ? "" : "; left out: \(NumberFormat.count(result.leftOut.count))"
        console.print("added \(NumberFormat.count(result.feeds.count, "feed")) to \(file.path)\(known)\(leftOut)")
        let variables = result.variables
        if !variables.isEmpty { console.print("Set: \(variables.joined(separator: ", "))") }
        console.print("Next: \(console.palette.hint("feedsync sync\(session.invocation.storeOptions)"))")
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
        session.print(result: [
            "added": JSONDocument(JSONLines.array(feeds)),
            "known": JSONDocument(JSONLines.array(result.known.map(JSONText.string))),
            "left_out": JSONDocument(JSONLines.array(leftOut)), "file": isDry ? nil : file.path,
        ])
    }

    /// Prints collections, with what is known of them.
    private func print(
        _ collections: [DescribedCollection], besides leftOut: [Connector.LeftOut], option: Option, of path: String,
        orFailing problem: String
    ) throws(Failure) {
        let console = session.console
        for leftOut in leftOut { console.warn(Self.reason(leftOut)) }
        guard !collections.isEmpty else { throw Failure(.data, [problem], advice: "feedsync add NAME URL") }
        session.list(collections) {
            var table = Table([
                .init(title: "PATH") { $0.name($1) }, "ITEMS", "KEY", "PAGINATION", "SIGN-IN", "NEEDS",
            ])
            for collection in collections {
                table.add([
                    collection.path, collection.items, collection.key ?? "-", collection.style ?? "-",
                    collection.signIn ?? "-", collection.needs.joined(separator: ", "),
                ])
            }
            console.print(table)
            let next = "feedsync add \(option.written) \(ShellWord.quoted(path)) PATH\(session.invocation.storeOptions)"
            console.print("Next: \(console.palette.hint(next))")
        }
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

extension DescribedCollection: JSONRecord {
    var fields: JSONFields {
        [
            "path": path, "items": items, "key": key, "pagination": pagination, "sign_in": signIn, "needs": needs,
            "summary": summary,
        ]
    }
}
