internal import YAML

/// Reads one feed: its own members over its preset's.
struct FeedReader {
    /// A feed as written in the file.
    struct Entry {
        let name: String
        let position: SourcePosition
        let node: Node
    }

    private let entry: Entry
    private let preset: Preset?
    private let members: MappingDecoder

    /// The settings that feeds of one configuration share.
    struct Common {
        /// Members that a feed has unless it or its preset has its own.
        var defaults: Node?
        /// The user's own presets.
        var presets: UserPresets?
    }

    init(_ entry: Entry, common: Common = Common(), log: Diagnostics) {
        let subject = "feed `\(entry.name)`"
        self.entry = entry
        preset = MappingDecoder(entry.node, of: subject, at: entry.position, log: log)
            .preset("preset", of: common.presets)
        let merged = DefinitionMerge.merge(entry.node, over: preset?.members, defaults: common.defaults)
        members = MappingDecoder(merged, of: subject, at: entry.position, log: log)
    }

    /// The feed; not to be used if the log has a diagnostic then.
    func feed() -> FeedDefinition {
        defer { members.finish() }
        let forEach = members.forEachRule("for_each")
        let (url, query) = request()
        let items = members.itemsRule("items")
        let (columns, key, isOpen) = columnsAndKey(items)
        let sync = members.syncRule("sync")
        let method = members.choice("method", RequestMethod.self) ?? .get
        // A preset's `show` may name columns that the feed itself has taken away.
        let isShowGiven = entry.node["show"] != nil || entry.node["columns"] == nil
        var feed = FeedDefinition(
            name: entry.name, presetName: preset?.name, url: url, body: members.body(method, "body"),
            query: query, headers: members.headers("headers"),
            authentication: members.authentication("auth"), allowOrigins: members.origins("allow_origins"),
            format: members.choice("format", FeedFormat.self), items: items, key: key,
            section: members.sectionRule("section"),
            model: members.string("model"), columns: columns, hasOpenColumns: isOpen,
            found: members.foundColumns(isOpen: isOpen),
            pagination: Paginators.read("pagination", of: members), partitioning: members.partitionScheme("partition"),
            responses: members.responses("responses"),
            sync: sync.rule, fullCrawlEvery: sync.full, verify: sync.verify,
            keepsRaw: members.boolean("raw") ?? false, missing: members.choice("missing", MissingMember.self),
            every: members.duration("every", in: .seconds(1)...FeedDefinition.longestTime),
            isPaused: members.boolean("paused") ?? false,
            timeout: members.duration("timeout", in: .milliseconds(1)...Duration.seconds(86_400))
                ?? FeedDefinition.standardTimeout,
            retries: members.integer("retries", in: 0...100) ?? FeedDefinition.standardRetries,
            maxPages: members.integer("max_pages", in: 1...Int.max),
            memory: members.size("max_memory", in: PageMemory.range).map { PageMemory(most: $0) } ?? .standard,
            connection: members.connectionRule(),
            removed: members.removedRule("removed"),
            ignore: members.strings("ignore").compactMap { members.path("ignore", $0.node) },
            show: members.showRule("show", of: columns, isOpen: isOpen || !isShowGiven),
            search: members.searchRule("search", of: columns, isOpen: isOpen),
            lists: members.lists("lists", of: columns, isOpen: isOpen),
            keepsChanges: members.boolean("changes") ?? true,
            keep: members.duration("keep", in: .zero...FeedDefinition.longestTime),
            hook: members.changeHook("on_change"),
            forEach: forEach, position: entry.position)
        feed.method = method
        feed.rowNames = rowNames()
        feed.stream = members.streamRule("stream")
        if !feed.lists.isEmpty {
            feed.columns = feed.columns.map { $0.asList(among: feed.lists, of: feed.columns) }
        }
        if feed.keepsRaw, feed.columns.contains(where: { $0.derivation?.maskKey != nil }) {
            members.report("`raw` of feed `\(entry.name)` keeps items whole, with what `mask` hides", at: "raw")
        }
        refer(&feed)
        checkParameters(of: feed)
        feed.partitioning?.check(feed, members)
        if let name = feed.memberOutsideForm {
            members.report(
                "`body` of feed `\(entry.name)` is a form, which cannot hold the object `\(name)`", at: "body")
        }
        return feed
    }
}

extension FeedReader {
    /// The names of all members that a feed can have: those that reading one asks for.
    static let memberNames: [String] = {
        let start = Mark(source: "", line: 1, column: 1)
        let nothing = Entry(name: "x", position: SourcePosition(start), node: Node(.mapping([]), mark: start))
        let reader = FeedReader(nothing, log: Diagnostics())
        _ = reader.feed()
        return reader.members.names
    }()

    /// The URL and the query, with the preset's parameters put in.
    private func request() -> (Template, [NamedTemplate]) {
        // If the preset is unknown, so are the members that the feed lacks.
        if preset != nil || !members.has("preset") {
            members.require("url", "say where the first page is, or start from a `preset`")
        }
        let url =
            (beginsWithParameter || beginsWithColumn ? members.template("url") : members.url("url"))
            ?? Template([], position: entry.position)
        let query = members.parameters("query")
        let values = presetParameters(of: url, usedIn: [url] + query.map(\.value))
        return (
            url.substituting(values, isURL: true),
            query.map { NamedTemplate(name: $0.name, value: $0.value.substituting(values, isURL: false)) }
        )
    }

    /// Makes references of the words in braces that name a column.
    private func refer(_ feed: inout FeedDefinition) {
        guard let parent = feed.forEach?.feed else {
            for column in feed.columns {
                guard let word = column.derivation?.value?.referringToColumns().columns.first?.word else { continue }
                members.report(
                    "column `\(column.name)` of feed `\(entry.name)` has `\(word)`, and the feed has no `for_each`",
                    at: "columns")
            }
            return
        }
        let refer = { (template: Template) in template.referringToColumns() }
        feed.url = refer(feed.url)
        feed.query = feed.query.map { NamedTemplate(name: $0.name, value: refer($0.value)) }
        feed.headers = feed.headers.map { NamedTemplate(name: $0.name, value: refer($0.value)) }
        feed.body = feed.body?.mapped(refer)
        feed.columns = feed.columns.map { $0.withValue(refer) }
        var before = ""
        for part in feed.url.parts {
            // A row's data must not name the host that credentials go to.
            if case .column = part, !before.isEmpty, URLPart(after: before) == .beginning {
                members.report(
                    "`url` of feed `\(entry.name)` has a column in its host: put a `/` before it, or let a column be the whole URL",
                    at: "url")
            }
            if case .literal(let text) = part { before += text } else { before += "x" }
        }
        if feed.templates.allSatisfy(\.columns.isEmpty) {
            members.report(
                "feed `\(entry.name)` asks for the same list for each row: put a column in its `url` or `query`, as in `{\(parent).id}`",
                at: "for_each")
        }
    }

    /// True if `url` begins with a column, whose value can only be checked once it is known.
    private var beginsWithColumn: Bool {
        guard members.has("for_each"), let text = members.node("url")?.text else { return false }
        let template = Template([.literal(text)], position: entry.position).referringToColumns()
        if case .column = template.parts.first { return true }
        return false
    }

    /// True if `url` begins with a parameter of the preset, whose value is checked instead.
    private var beginsWithParameter: Bool {
        guard let preset, let text = members.node("url")?.text else { return false }
        return preset.parameters.contains { text.hasPrefix("{\($0)}") }
    }

    /// The values that `with` gives to the preset's parameters.
    private func presetParameters(of url: Template, usedIn texts: [Template]) -> [String: Template] {
        // Read from the feed's own mapping before the merge.
        let namesPreset = members.has("preset")
        let given = members.reader("with")
        guard let preset else {
            if given != nil, !namesPreset {
                members.report("`with` of feed `\(entry.name)` makes sense only with a `preset`", at: "with")
            }
            return [:]
        }
        var values: [String: Template] = [:]
        for parameter in preset.parameters {
            // A column's value is encoded for its place, once it is known.
            let hasParent = members.has("for_each")
            values[parameter] = given?.parameter(parameter, as: url.role(of: parameter)).map { value in
                hasParent ? value.referringToColumns() : value
            }
            guard given?.has(parameter) != true, texts.contains(where: { $0.mentions(parameter) }) else { continue }
            members.report(
                "feed `\(entry.name)` needs `with: {\(parameter): …}` for the URL of its preset `\(preset.name)`",
                at: "with")
        }
        given?.finish()
        return values
    }

    /// The names in a list of columns; none where one of them is a longer path.
    private func rowNames() -> [String] {
        let words = (members.node("columns")?.elements ?? []).compactMap(\.text)
        let names = words.compactMap { word -> String? in
            guard let path = try? Path(word), path.segments.count == 1, case .member(let name)? = path.segments.first
            else { return nil }
            return name
        }
        return names.count == words.count ? names : []
    }

    /// The columns that are given, with those of the items' names; the names of the key's columns; and true if other
    /// columns are to be found.
    private func columnsAndKey(_ items: ItemsRule?) -> ([ColumnDefinition], [String], Bool) {
        var columns = members.columns("columns")
        // Values alone say nothing of the items' members.
        let isOpen = !members.has("columns") || !columns.isEmpty && columns.allSatisfy { $0.path == .given }
        if let name = items?.keyedBy, !columns.contains(where: { $0.path == .memberName }) {
            columns.append(ColumnDefinition(name: name, path: .memberName, type: .text))
        }
        for name in items?.scattered?.names ?? [] {
            let path = Path([.member(name)])
            if !columns.contains(where: { $0.path == path }) {
                columns.append(ColumnDefinition(name: name, path: path, type: .text))
            }
        }
        let list = members.node("columns")
        if list?.pairs?.isEmpty == true || list?.elements?.isEmpty == true {
            members.report("`columns` of feed `\(entry.name)` is empty", at: "columns")
        }
        var key: [Int] = []
        for (text, node) in members.strings("key") {
            guard let index = columnIndex(for: text, node, in: &columns) else { continue }
            if key.contains(index) {
                members.report(
                    "`key` of feed `\(entry.name)` has `\(text)` twice", at: SourcePosition(node.mark), word: text)
            }
            key.append(index)
        }
        if let elements = members.node("key")?.elements, elements.isEmpty {
            members.report("`key` of feed `\(entry.name)` is empty", at: "key")
        }
        let names = ColumnNames.columnNames(for: columns.map(\.name))
        let named = zip(names, columns).map { $1.named($0) }
        return (named, key.map { names[$0] }, isOpen)
    }

    /// The column that a word of `key` names, or that its path becomes.
    private func columnIndex(for text: String, _ node: Node, in columns: inout [ColumnDefinition]) -> Int? {
        if let index = columns.firstIndex(where: { $0.name == text }) { return index }
        guard let path = members.path("key", node) else { return nil }
        if let index = columns.firstIndex(where: { $0.path == path && $0.derivation == nil }) { return index }
        columns.append(ColumnDefinition(name: path.columnName, path: path))
        return columns.count - 1
    }

    /// Refuses a parameter that is given twice, because it would be unclear which one is sent.
    private func checkParameters(of feed: FeedDefinition) {
        if let text = feed.body?.plainText?.description { checkPlaces(in: text, of: feed) }
        let query = Set(feed.query.map(\.name))
        for name in feed.pagination.cursorParameters
        where feed.body != nil && feed.body?.plainText == nil && PathCounter(parameter: name) == nil {
            checkPlace(of: name, in: feed)
        }
        for name in feed.pagination.cursorParameters where feed.body == nil && query.contains(name) {
            members.report(
                "`query` of feed `\(feed.name)` has `\(name)`, which its pagination sets; \(feed.pagination.firstPageAdvice)",
                at: "query")
        }
        for name in feed.authentication?.queryNames ?? []
        where feed.pagination.cursorParameters.contains(name) {
            members.report("`auth` of feed `\(feed.name)` has `\(name)`, which its pagination sets", at: "auth")
        }
        for name in feed.authentication?.queryNames ?? [] where query.contains(name) {
            members.report("`query` of feed `\(feed.name)` has `\(name)`, which its `auth` sets", at: "query")
        }
    }

    /// A text has a place for each parameter.
    private func checkPlaces(in text: String, of feed: FeedDefinition) {
        for name in feed.changingParameters where PathCounter(parameter: name) == nil && !TextBody.has(name, in: text) {
            members.report(
                "`body` of feed `\(feed.name)` has no place for `\(name)`: put `\(TextBody.place(of: name))` where its value goes",
                at: "body")
        }
    }

    /// A body's parameter is a member, of which the body may have the first value.
    private func checkPlace(of name: String, in feed: FeedDefinition) {
        guard let place = PageRequest.members(of: name) else {
            members.report(
                "`pagination` of feed `\(feed.name)` has a `param` that is not a member of its `body`: give a path of names such as `variables.after`",
                at: "pagination")
            return
        }
        guard feed.body?.hasRoom(for: place[...]) == true else {
            members.report(
                "`body` of feed `\(feed.name)` cannot hold `\(name)`, which its pagination sets: a part of that path is not a mapping",
                at: "body")
            return
        }
    }
}
