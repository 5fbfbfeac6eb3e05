internal import YAML

/// One feed: its request, its pagination, the place of its items, and the columns to keep.
///
/// It is made from a configuration file, with a preset's members for those that the file lacks.
///
/// Many steps of a run hold a copy: rules with many members are `indirect`, or the steps would take twice the memory.
public struct FeedDefinition: Sendable {
    /// The feed's name.
    public package(set) var name: String
    /// The preset it starts from.
    package let presetName: String?
    /// The URL of the first page.
    package internal(set) var url: Template
    /// The body; nil for GETs.
    package internal(set) var body: BodyTemplate?
    /// The method of its requests.
    package internal(set) var method = RequestMethod.get
    /// Query parameters besides those in `url`, in order; a name may come several times.
    package internal(set) var query: [NamedTemplate]
    /// Header fields, in order.
    package internal(set) var headers: [NamedTemplate]
    /// The authentication of the requests.
    package let authentication: Authentication?
    /// Other origins, as `https://host:port`, that may be followed to; they never get credentials.
    package let allowOrigins: [String]
    /// The format of the bodies; nil to discover it.
    package internal(set) var format: FeedFormat?
    /// The place of the items in the body; nil to discover it, or if the body itself is the array or the only item.
    package internal(set) var items: ItemsRule?
    /// The names of the columns that identify items; empty to discover them.
    public internal(set) var key: [String]
    /// The rule that groups items into sections.
    package let section: SectionRule?
    /// The model view that shows this feed.
    public package(set) var model: String?
    /// The table's columns with the key's among them; no two names are alike.
    package internal(set) var columns: [ColumnDefinition]
    /// True if columns for all other members of the items are discovered.
    package let hasOpenColumns: Bool
    /// The rule for discovered columns.
    package let found: FoundColumns
    /// The rule that finds the next page.
    package internal(set) var pagination: any Paginator
    /// The partitions in which it is requested; nil for a feed without partitions.
    package let partitioning: PartitionScheme?
    /// Responses that mean something else than HTTP says, in the order in which they are tried.
    package let responses: [ResponseRule]
    /// The mode of `sync`.
    package let sync: SyncRule
    /// The interval of complete crawls for a sync that usually reads less; nil for never.
    package let fullCrawlEvery: Duration?
    /// The rule for proving that a sync missed nothing.
    package let verify: VerifyRule
    /// True if each item's JSON is kept.
    package let keepsRaw: Bool
    /// The rule for stored values whose members an item lacks; nil where items come whole, and such values go.
    package let missing: MissingMember?
    /// The interval of `sync --due`; nil to use the upstream's or the default.
    public let every: Duration?
    /// True if `sync --due` passes the feed over.
    package let isPaused: Bool
    /// The time limit of a response.
    package let timeout: Duration
    /// The number of further tries for a failed request.
    package let retries: Int
    /// The most pages of one crawl.
    package let maxPages: Int?
    /// The memory that a page may use.
    package let memory: PageMemory
    /// The connections to the host.
    package let connection: ConnectionRule
    /// The mark of a removed item; nil without one.
    package let removed: RemovedRule?
    /// Members of the item whose changes are ignored.
    package let ignore: [Path]
    /// The columns to show of an item; nil to choose them automatically.
    package let show: ShowRule?
    /// The rule for searching; nil if the feed cannot be searched.
    package let search: SearchRule?
    /// The names of the elements of items that are arrays, in order: those of `columns`, where it is a list.
    package internal(set) var rowNames: [String] = []
    /// The end of a stream of server-sent events.
    package internal(set) var stream = StreamRule.standard
    /// The columns with lists that have views of their own, by name or path.
    package let lists: [String]
    /// True if the store keeps the changes of rows.
    package let keepsChanges: Bool
    /// The time for which the feed's history is kept; nil for that of the configuration.
    package let keep: Duration?
    /// The change hook, if any.
    package internal(set) var hook: ChangeHook?
    /// The parent, whose rows each have a list of this feed; nil for a feed that is one list.
    package var forEach: ForEachRule?
    /// The list of the feed that this definition requests; nil for a whole feed.
    package var part: FeedPart?
    /// The feed's position in its file.
    public let position: SourcePosition

    /// The time a response may take if nothing is said.
    static let standardTimeout = Duration.seconds(30)
    /// The default number of further tries.
    static let standardRetries = 5
    /// The default interval of complete crawls.
    static let standardFullCrawl = Duration.seconds(86_400)
    /// The longest time that any member may give: ten years.
    static let longestTime = Duration.seconds(3650 * 86_400)
    /// The most columns of a feed.
    package static let mostColumns = 1_000
}

extension FeedDefinition {
    /// The URL as written, without its query, which may hold anything.
    package var shownURL: String { String(url.description.prefix { $0 != "?" }) }

    /// Reads a feed from YAML text that holds its members alone, as they stand below the feed's name in a file.
    ///
    /// - Parameters:
    ///   - name: The feed's name.
    ///   - yaml: The members.
    ///   - file: The name of the text in errors.
    ///   - allowsCommands: True if `${command: …}` may be in it, to be run when the feed is used.
    /// - Throws: `ConfigurationError` with every diagnostic.
    public static func parse(
        name: String, yaml: String, file: String = "feed", allowsCommands: Bool = false
    ) throws(ConfigurationError) -> FeedDefinition {
        let node = try Node.ofConfiguration(Array(yaml.utf8), source: file)
        let start = Mark(source: file, line: 1, column: 1)
        return try read(name, node ?? Node(.mapping([]), mark: start), at: start, allowsCommands: allowsCommands)
    }

    /// A feed defined in Swift, with the members of a configuration file, their names and their checks.
    ///
    ///     let feed = try FeedDefinition(
    ///         "releases",
    ///         ["preset": "github.releases", "url": "https://api.github.com/repos/\(owner)/\(name)/releases"])
    ///
    /// - Parameters:
    ///   - name: The feed's name.
    ///   - members: The members below the name in a file.
    ///   - allowsCommands: True if it may contain `${command: …}`, which runs when the feed is used.
    /// - Throws: `ConfigurationError` with every diagnostic.
    public init(_ name: String, _ members: Value, allowsCommands: Bool = false) throws(ConfigurationError) {
        // No file, and so no line.
        let start = Mark(source: "feed", line: 0, column: 0)
        if let twice = members.repeatedName {
            throw ConfigurationError(
                Diagnostic(position: SourcePosition(start), problem: "`\(twice)` stands twice in feed `\(name)`"))
        }
        self = try Self.read(name, members.node(at: start), at: start, allowsCommands: allowsCommands)
    }

    private static func read(
        _ name: String, _ node: Node, at start: Mark, allowsCommands: Bool
    ) throws(ConfigurationError) -> FeedDefinition {
        let log = Diagnostics()
        let entry = FeedReader.Entry(name: name, position: SourcePosition(start), node: node)
        let feed = FeedReader(entry, log: log).feed()
        var names = FeedNames()
        names.add(feed, log: log)
        FeedTree.check(feed, log: log)
        if !allowsCommands { feed.refusedCommands().forEach(log.add) }
        try log.throwIfAny()
        return feed
    }
}

extension FeedDefinition {
    /// Every text of the request that may refer to a value elsewhere.
    package var templates: [Template] {
        [url] + (query + headers + (body?.texts ?? [])).map(\.value) + (authentication?.templates ?? [])
            + connection.templates + columns.compactMap { $0.derivation?.maskKey }
    }

    /// The keys of the masked columns, in the columns' order.
    package var maskKeys: [Template] { columns.compactMap { $0.derivation?.maskKey } }

    /// The parameters of requests that paging and `sync` set.
    package var changingParameters: [String] {
        var names = pagination.cursorParameters
        switch sync {
        case .since(let rule): names += [rule.parameter, rule.windows?.until].compactMap(\.self)
        case .delta(let rule): if case .parameter(let name) = rule.target { names.append(name) }
        case .auto, .new, .all: break
        }
        return names
    }

    /// True if a request may wait at the host for the previous one. False if a rule reads success from the body,
    /// because the request has been sent by then, and if its access token may have expired by its turn.
    package var mayRequestAhead: Bool {
        authentication?.needsToken != true && !responses.contains(where: \.doubtsSuccess)
    }

    /// True if a request of the feed uses the output of a command.
    package var refersToCommands: Bool { templates.contains { !$0.commands.isEmpty } }

    /// The diagnostics of a definition with commands in a place where commands may not run, one for each.
    func refusedCommands() -> [Diagnostic] {
        let trust = "only for a file that you name with --config or $FEEDSYNC_CONFIG, and that nobody else may write"
        let hooks = [hook].compactMap(\.self).map { hook in
            Diagnostic(
                position: hook.position,
                problem: "feed `\(name)` has an `on_change`, and what changed is told \(trust)")
        }
        return hooks
            + templates.filter { !$0.commands.isEmpty }.map { template in
                Diagnostic(
                    position: template.position,
                    problem: "feed `\(name)` has a `${command:…}`, and commands are run \(trust)")
            }
    }
}

extension Template {
    /// The commands that it refers to.
    package var commands: [String] {
        parts.compactMap { if case .command(let command) = $0 { command } else { nil } }
    }

    /// The template without references that only a command can resolve.
    package var withoutCommands: Template {
        Template(parts.filter { if case .command = $0 { false } else { true } }, position: position)
    }
}

extension FeedDefinition {
    /// Everything that makes stored pages comparable with new ones, as text: request, credential, paging, items, key,
    /// columns, ignored parts and mode. If it changes, validators, page cursor, a synced range and watermark lapse.
    ///
    /// One member a line, sorted, so that definitions that differ only in order are equal. References such as `${NAME}`
    /// stay as written. Literal credentials are replaced by a hash: everything in `auth`, headers and parameters
    /// named like one, and the query in the URL.
    ///
    /// - Parameter salt: Goes into the hashes; keep it with the text, or two texts cannot be compared.
    package func canonicalText(salt: String) -> String { canonicalText(salt: salt, common: commonLines(salt: salt)) }

    /// The canonical text of a list, which shares all lines but the request with its feed's other lists.
    package func canonicalText(salt: String, common: CommonLines) -> String {
        // A parameter may come several times, in an order that counts: Swift's sort keeps it.
        (CommonLines(requestMembers(salt: salt)).lines + common.lines).sorted { $0.name < $1.name }.map(\.text).joined()
    }

    /// The lines of the canonical text that all lists of a feed share.
    package struct CommonLines: Sendable {
        fileprivate let lines: [(name: String, text: String)]

        fileprivate init(_ members: [(name: String, value: String)]) {
            lines = members.map { member in
                var text = line(member.name)
                text.reserveCapacity(member.name.utf8.count + member.value.utf8.count + 2)
                text += "="
                text += line(member.value)
                text += "\n"
                return (member.name, text)
            }
        }
    }

    /// The lines that say nothing of the request itself.
    package func commonLines(salt: String) -> CommonLines {
        let hashed = { (literal: String) in CredentialHash.hash(literal, salt: salt) }
        var members: [(name: String, value: String)] = [
            ("pagination", pagination.canonicalText),
            ("items", items?.description ?? ""),
            ("key", key.joined(separator: " ")),
            ("sync", sync.canonicalText),
            ("section", section.map { "\($0.path) \($0.interval?.rawValue ?? "")" } ?? ""),
            ("raw", "\(keepsRaw)"),
            ("max_pages", maxPages.map { "\($0)" } ?? ""),
        ]
        if let missing { members.append(("missing", missing.rawValue)) }
        // As before there were other formats.
        if let format, format != .json { members.append(("format", format.rawValue)) }
        if let forEach { members.append(("for_each", forEach.feed)) }
        if let removed { members.append(("removed", removed.canonicalText)) }
        if let partitioning { members.append(("partition", partitioning.canonicalText)) }
        members += authentication.map { $0.canonicalMembers(hashed) } ?? []
        // As before there were client certificates.
        if let certificate = connection.clientCertificate?.certificate {
            members.append(("client_certificate", certificate.path))
        }
        if hasOpenColumns { members.append(("columns", "found")) }
        members += columns.map { ("columns.\($0.name)", $0.canonicalText(hashed)) }
        members += responses.enumerated().map { index, rule in
            let body = rule.body.map { "\($0.path)=\($0.value)" }.joined(separator: " ")
            return ("responses.\(index)", "\(rule.status.map { "\($0)" } ?? "") \(body) \(rule.action.rawValue)")
        }
        members += ignore.map { ("ignore.\($0)", "") }
        if !rowNames.isEmpty { members.append(("rows", rowNames.joined(separator: "\n"))) }
        members += found.canonicalMembers
        return CommonLines(members)
    }

    /// The members of the request: a list's have values of its parent's row in them.
    private func requestMembers(salt: String) -> [(name: String, value: String)] {
        let hashed = { (literal: String) in CredentialHash.hash(literal, salt: salt) }
        var members = [(name: "url", value: url.canonicalURL(hashed))]
        // A GET has no line of its own, as before there were POSTs.
        if let body {
            members += [("method", method.rawValue), ("body", body.canonicalText { $0.canonicalValue(hashed) })]
        }
        members += query.map { ("query.\($0.name)", $0.canonicalValue(hashed)) }
        members += headers.map { ("headers.\($0.name.lowercased())", $0.canonicalValue(hashed)) }
        // A parent's row may have other values, which the rows of its list then have.
        members += columns.compactMap { column in
            (column.derivation?.value).map { ("value.\(column.name)", $0.description) }
        }
        return members
    }

    /// The identity of items, as text: each key column with its path. If it changes, stored rows have lost their
    /// identity.
    package var keyText: String {
        key.map { name in
            let path = columns.first { $0.name == name }?.path.description ?? ""
            return "\(line(name))=\(line(path))\n"
        }.joined()
    }
}

private func line(_ text: String) -> String {
    // As hardly any text has one; looking for bytes costs a hundredth of replacing.
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "\n") }) else { return text }
    return text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
}

extension Template {
    /// A URL, the literal text in its query hashed.
    fileprivate func canonicalURL(_ hashed: (String) -> String) -> String {
        var isInQuery = false
        return written { literal in
            guard !isInQuery else { return hashed(literal) }
            guard let mark = literal.utf8.firstIndex(of: UInt8(ascii: "?")) else { return literal }
            isInQuery = true
            return literal[...mark] + hashed(String(literal[literal.index(after: mark)...]))
        }
    }
}

extension NamedTemplate {
    fileprivate func canonicalValue(_ hashed: (String) -> String) -> String {
        SecretName.matches(name) ? value.written(hashed) : value.description
    }
}

extension Authentication {
    fileprivate func canonicalMembers(_ hashed: (String) -> String) -> [(name: String, value: String)] {
        switch self {
        case .bearer(let token): [("auth.bearer", token.written(hashed))]
        case .basic(let user, let password):
            [("auth.basic.user", user.written(hashed)), ("auth.basic.password", password.written(hashed))]
        case .headers(let headers): headers.map { ("auth.header.\($0.name.lowercased())", $0.value.written(hashed)) }
        case .query(let parameters): parameters.map { ("auth.query.\($0.name)", $0.value.written(hashed)) }
        case .oauth2(let client):
            client.canonicalMembers(hashed, url: client.tokenURL.canonicalURL(hashed))
        case .jwt(let rule): rule.canonicalMembers(hashed, url: rule.exchange?.url.canonicalURL(hashed) ?? "")
        case .session(let rule): rule.canonicalMembers(hashed, url: rule.url.canonicalURL(hashed))
        case .digest(let user, let password):
            [("auth.digest.user", user.written(hashed)), ("auth.digest.password", password.written(hashed))]
        case .negotiate: [("auth.negotiate", "true")]
        case .aws(let account):
            [
                ("auth.aws.access_key", account.accessKey.written(hashed)),
                ("auth.aws.secret_key", account.secretKey.written(hashed)),
                ("auth.aws.session_token", account.sessionToken?.written(hashed) ?? ""),
                ("auth.aws.scope", "\(account.region ?? "") \(account.service ?? "")"),
            ]
        case .oneOf(let ways): ways.flatMap { $0.canonicalMembers(hashed) }
        }
    }
}

extension ColumnDefinition {
    fileprivate func canonicalText(_ hashed: (String) -> String) -> String {
        let plain = type.map { "\(path) \($0.rawValue)" } ?? path.description
        guard case .change(let change)? = derivation else { return plain }
        let replacement = change.pattern.map {
            " replace \(JSONText.string($0)) \(JSONText.string(change.replacement))"
        }
        return plain + (replacement ?? "") + (change.maskKey.map { " mask \($0.written(hashed))" } ?? "")
    }
}

extension SyncRule {
    fileprivate var canonicalText: String {
        if case .delta(let rule) = self { return rule.canonicalText }
        guard case .since(let watermark) = self else { return mode }
        let overlap =
            switch watermark.overlap {
            case .time(let time): DurationText.text(time)
            // As it was written when 0 was the same as nothing said: mirrors made then stay as they are.
            case .standard: "0"
            case .count(let count): count == 0 ? "none" : "\(count)"
            }
        let value = watermark.value == SinceRule.placeholder ? "" : " value \(watermark.value)"
        let words: [(String, String?)] = [
            ("param", watermark.parameter.map { $0 + value }), ("from", watermark.path?.description),
            ("overlap", overlap), ("format", watermark.format?.text), ("start", watermark.start?.canonicalText),
            ("until", watermark.windows?.until), ("widest", watermark.windows?.widest.map { "\($0)" }),
            ("gap", watermark.windows.map { "\($0.gap)" }),
        ]
        return "since " + words.compactMap { word, value in value.map { "\(word) \($0)" } }.joined(separator: " ")
    }
}

extension SyncRule.Start {
    fileprivate var canonicalText: String {
        switch self {
        case .at(let second): "\(second)"
        case .before(let distance): "-\(distance)"
        }
    }
}

/// A short hash of a credential. It reveals a change of the value, but not the value.
enum CredentialHash {
    /// 32 bits of the salt and the text: many texts share each value.
    static func hash(_ text: String, salt: String) -> String {
        "#" + Hexadecimal.digits(FNV1a("\(salt)\0\(text)").lowerHalf, count: 8)
    }
}

/// The rule for a stored value whose member an item lacks: `missing` in the configuration.
package enum MissingMember: String, Sendable, Hashable, CaseIterable {
    /// It stays: items hold only what changed.
    case keep
}
