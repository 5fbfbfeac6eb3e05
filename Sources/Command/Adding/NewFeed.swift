internal import Editing
internal import FeedSync

/// A feed as the arguments of `feedsync add` describe it.
struct NewFeed: Sendable {
    let name: String
    /// The origin of the feed.
    let source: FeedSource
    /// The known settings, in the order of the file.
    let entry: FeedEntry

    /// The ignored parts of a curl command, and further remarks.
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
        let source = try editing(curl == nil ? try FeedSource(word, presets: presets) : .url(word))
        self.source = source
        let parameters = try editing(try source.distributed(try FeedWords.parameters(words)))
        var members = [source.member]
        members.add("with", parameters.values)
        let query = (curl?.query ?? []) + parameters.query
        let headers =
            (curl?.headers ?? [])
            + (try (invocation.values[.header] ?? []).map { text throws(Failure) in try Self.header(text) })
        // YAML has a name but once: such a text would be no configuration.
        try editing(try FeedWords.checkNames(of: headers))
        let body = try invocation.options[.body].map { text throws(Failure) in try Self.body(text) } ?? curl?.body
        if let method = invocation.options[.request] ?? curl?.method ?? (body == nil ? nil : "POST") {
            members.append(.init("method", .text(method)))
        }
        members.add("query", query)
        members.add("headers", headers)
        members += curl?.others ?? []
        if let body { members.append(.init("body", body)) }
        members += try Self.given(invocation)
        let set = try editing(try FeedWords.members(invocation.values[.set] ?? []))
        var stated = Self.members(statedBy: invocation)
        // A curl command is from elsewhere, and its members may be replaced.
        if curl == nil { stated.append((source.member.name, Self.words(for: source))) }
        if !parameters.values.isEmpty { stated.append(("with", "KEY=VALUE")) }
        if !parameters.query.isEmpty { stated.append(("query", "KEY=VALUE")) }
        for member in set {
            if let other = stated.first(where: { $0.member == member.name }) {
                throw .usage(
                    "\(other.words) and \(Option.set.written) \(member.name)=… cannot be used together",
                    advice: "feedsync help add")
            }
            members.removeAll { $0.name == member.name }
            if let value = member.value { members.append(.init(member.name, value)) }
        }
        entry = FeedEntry(name: name, members: members)
        notes = curl.map(Self.notes) ?? []
    }

    /// The members that options of their own write, with these options.
    private static func members(statedBy invocation: Invocation) -> [(member: String, words: String)] {
        let members: [(option: Option, name: String)] = [
            (.request, "method"), (.header, "headers"), (.body, "body"), (.items, "items"), (.key, "key"),
            (.paginate, "pagination"), (.sync, "sync"), (.every, "every"), (.columns, "columns"),
        ]
        return members.filter { invocation.has($0.option) }.map { ($0.name, $0.option.written) }
    }

    private static func words(for source: FeedSource) -> String {
        switch source {
        case .url: "a URL"
        case .preset: "a preset"
        }
    }

    private static func curl(_ text: String) throws(Failure) -> CurlCommand {
        do throws(CommandLineProblem) {
            return try CurlCommand(text, in: AbsolutePath.of("."))
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

    /// The settings that the options state explicitly, which therefore need no discovery.
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
            // The mode is the most common setting.
            if case .mapping = sync {
                members.append(.init("sync", sync))
            } else {
                members.append(.init("sync", .mapping([.init("mode", sync)])))
            }
        }
        return members + invocation.every
    }

    private static func value(of option: Option, _ invocation: Invocation) throws(Failure) -> FeedEntry.Value? {
        guard let text = invocation.options[option] else { return nil }
        return try editing(try FeedWords.value(text, of: option.written))
    }

    /// Advice for arguments that make no valid feed: the whole line for a preset with parameters.
    var advice: String {
        guard case .preset(let preset) = source, !preset.parameters.isEmpty else { return "feedsync help add" }
        return "feedsync add NAME \(preset.name) " + preset.parameters.map { "\($0)=…" }.joined(separator: " ")
    }

    private static func header(_ text: String) throws(Failure) -> FeedEntry.Member {
        if let header = FeedWords.header(text) { return header }
        // Not shown: it may be a credential.
        throw .usage(
            "--header must have the form 'Name: value'", advice: "for example --header 'Accept: application/json'")
    }
}

extension Invocation {
    /// The interval that `--every` gives new feeds.
    var every: [FeedEntry.Member] { options[.every].map { [.init("every", .init(word: $0))] } ?? [] }
}
