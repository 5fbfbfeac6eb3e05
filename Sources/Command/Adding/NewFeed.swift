internal import FeedSync

/// A feed as the arguments of `feedsync add` describe it.
struct NewFeed: Sendable {
    /// Where it comes from.
    enum Source: Sendable {
        case url(String)
        case preset(Preset)
    }

    let name: String
    let source: Source
    /// What is known about it, in the order of the file.
    let entry: FeedEntry

    /// What of a curl command was left out, and what it leaves to say.
    let notes: [String]

    /// Reads the operands and the options of a command line.
    ///
    /// - Throws: `Failure` with exit code 64 for a word that means nothing.
    init(_ invocation: Invocation, presets: UserPresets) throws(Failure) {
        guard let name = invocation.operands.first else {
            throw .usage("add needs \(Command.add.need)", advice: Command.add.needAdvice)
        }
        self.name = name
        let curl = try invocation.options[.curl].map { text throws(Failure) in try Self.curl(text) }
        var words = invocation.operands.dropFirst()
        if let word = words.first, curl != nil, word.contains("://") || !word.contains("=") {
            throw .usage("--curl has a URL already; unexpected argument: \(word)", advice: "feedsync help add")
        }
        guard let word = curl?.url ?? words.popFirst() else {
            throw .usage("add needs \(Command.add.need)", advice: Command.add.needAdvice)
        }
        var parameters = try Self.parameters(words)
        var members: [FeedEntry.Member] = []
        if word.contains("://") || curl != nil {
            source = .url(word)
            members.append(.init("url", .text(word)))
        } else {
            let preset = try Self.preset(word, presets)
            source = .preset(preset)
            members.append(.init("preset", .text(preset.name)))
            let isOwn = { (parameter: FeedEntry.Member) in preset.parameters.contains(parameter.name) }
            let values = parameters.filter(isOwn)
            parameters.removeAll(where: isOwn)
            if !values.isEmpty { members.append(.init("with", .mapping(values))) }
            try Self.check(parameters, of: preset)
        }
        let query =
            (curl?.query ?? [])
            + parameters.map { .init($0.name.hasPrefix("?") ? String($0.name.dropFirst()) : $0.name, $0.value) }
        let headers =
            (curl?.headers ?? [])
            + (try (invocation.values[.header] ?? []).map { text throws(Failure) in try Self.header(text) })
        // YAML has a name but once: such a text would be no configuration.
        var names: Set<String> = []
        if let twice = headers.first(where: { !names.insert($0.name).inserted }) {
            throw .usage("the header `\(twice.name)` is given twice", advice: Command.add.helpAdvice)
        }
        let body = try invocation.options[.body].map { text throws(Failure) in try Self.body(text) } ?? curl?.body
        if let method = invocation.options[.request] ?? curl?.method ?? (body == nil ? nil : "POST") {
            members.append(.init("method", .text(method)))
        }
        if !query.isEmpty { members.append(.init("query", .mapping(query))) }
        if !headers.isEmpty { members.append(.init("headers", .mapping(headers))) }
        members += curl?.others ?? []
        if let body { members.append(.init("body", body)) }
        entry = FeedEntry(name: name, members: members + (try Self.given(invocation)))
        notes = curl.map(Self.notes) ?? []
    }

    private static func curl(_ text: String) throws(Failure) -> CurlCommand {
        do throws(CommandLineProblem) {
            return try CurlCommand(text)
        } catch {
            throw .usage(error.message, advice: error.advice)
        }
    }

    private static func notes(_ curl: CurlCommand) -> [String] {
        var notes: [String] = []
        if !curl.ignored.isEmpty {
            notes.append(
                "left out of the curl command, as it means nothing here: \(curl.ignored.joined(separator: ", "))")
        }
        if curl.isUntypedBody {
            notes.append("the body is sent as application/json; curl would call it a form without -H 'Content-Type: …'")
        }
        return notes
    }

    private static func body(_ text: String) throws(Failure) -> FeedEntry.Value {
        // Not shown: there may be a credential in it.
        guard let body = FeedEntry.Value(json: text) else {
            throw .usage(
                "\(Option.body.written) must be JSON", advice: "for example \(Option.body.written) '{\"page\": 1}'")
        }
        return body
    }

    /// What the options say of the feed in so many words, and what therefore is not searched for.
    private static func given(_ invocation: Invocation) throws(Failure) -> [FeedEntry.Member] {
        var members: [FeedEntry.Member] = []
        if let items = invocation.options[.items] { members.append(.init("items", .text(items))) }
        if let key = invocation.options[.key] {
            let names = key.split(separator: ",", omittingEmptySubsequences: false).map {
                FeedEntry.Value.text(String($0))
            }
            members.append(.init("key", names.count == 1 ? names[0] : .list(names)))
        }
        if let pagination = try value(of: .paginate, invocation) { members.append(.init("pagination", pagination)) }
        if let sync = try value(of: .sync, invocation) {
            // The mode is what people say most.
            if case .mapping = sync {
                members.append(.init("sync", sync))
            } else {
                members.append(.init("sync", .mapping([.init("mode", sync)])))
            }
        }
        if let every = invocation.options[.every] { members.append(.init("every", .init(word: every))) }
        return members
    }

    private static func value(of option: Option, _ invocation: Invocation) throws(Failure) -> FeedEntry.Value? {
        guard let text = invocation.options[option] else { return nil }
        do throws(ConfigurationError) {
            return try FeedEntry.Value(yaml: text)
        } catch {
            throw .usage(
                "\(option.written) is neither a word nor a mapping: \(error.diagnostics.first?.problem ?? text)",
                advice: "write a mapping as '{name: value, name: value}'")
        }
    }

    /// What to try if the arguments do not make a feed: the whole line for a preset with parameters.
    var advice: String {
        guard case .preset(let preset) = source, !preset.parameters.isEmpty else { return "feedsync help add" }
        return "feedsync add NAME \(preset.name) " + preset.parameters.map { "\($0)=…" }.joined(separator: " ")
    }

    private static func preset(_ word: String, _ presets: UserPresets) throws(Failure) -> Preset {
        do throws(ConfigurationError) {
            if let preset = try presets.named(word) { return preset }
        } catch {
            throw Failure(error)
        }
        let nearest = NearestWord.suggestion(for: word, among: presets.names)
        let hint = nearest.map { "; did you mean \($0)?" } ?? ""
        throw .usage(
            "\(word) is neither a URL nor the name of a preset\(hint)",
            advice: "begin a URL with https://; feedsync presets lists the presets")
    }

    /// A query parameter that the preset does not have may be a slip, unless it is written as one.
    private static func check(_ parameters: [FeedEntry.Member], of preset: Preset) throws(Failure) {
        let known = preset.parameters + preset.queryNames
        for parameter in parameters where !parameter.name.hasPrefix("?") && !known.contains(parameter.name) {
            let name = parameter.name
            let hint = NearestWord.suggestion(for: name, among: known).map { "; did you mean \($0)?" } ?? ""
            let own = known.isEmpty ? "none" : known.joined(separator: ", ")
            throw .usage(
                "\(preset.name) has no parameter \(name)\(hint)",
                advice: "its parameters are \(own); write '?\(name)=…' to add another query parameter")
        }
    }

    /// `name=value` words; a repeated name has several values.
    private static func parameters(_ words: ArraySlice<String>) throws(Failure) -> [FeedEntry.Member] {
        FeedEntry.Member.parameters(
            try words.map { word throws(Failure) in
                guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
                    throw .usage(
                        "unexpected argument: \(word)", advice: "write parameters as name=value, for example size=100")
                }
                return (String(word[..<equals]), String(word[word.index(after: equals)...]))
            })
    }

    private static func header(_ text: String) throws(Failure) -> FeedEntry.Member {
        guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else {
            // Not shown: it may be a credential.
            throw .usage(
                "--header must have the form 'Name: value'", advice: "for example --header 'Accept: application/json'")
        }
        let value = text[text.index(after: colon)...].drop { $0 == " " }
        return FeedEntry.Member(String(text[..<colon]), .text(String(value)))
    }
}
