internal import FeedSync
internal import Reports
internal import Text

extension Command {
    /// `search TEXT...`
    static let search = Command(
        name: "search", operands: "TEXT...", need: "the words to search for", count: 1...anyNumber,
        options: [.feed, .limit] + RowFormat.options, store: .any, isForResults: true,
        summary: "Find items by their words",
        explanation: """
            Prints the stored items that have all words of the text, the best first. A word may be the beginning of a
            longer one; case and accents do not matter. In Chinese and other scripts without spaces, a word may begin
            anywhere. Items that have a word only inside of another one come last.

            Only feeds whose definition has `search` are searched, as in `search: [title, body]`. The next
            sync makes the index, and every stored page updates it. Words in the first column count most.

            The formats are those of `feedsync show`.
            """,
        example: "feedsync search swift pack --limit 20"
    ) { session throws(Failure) in
        let format = try RowFormat(session.invocation, isTerminal: session.console.width != nil)
        let text = SearchText(session.invocation.operands.joined(separator: " "))
        guard !text.isEmpty else {
            throw .usage("the text to search for is empty", advice: session.invocation.command.helpAdvice)
        }
        let configuration = try session.configurationForReading()
        let store = try await session.storeIfAny(
            configuration, of: session.invocation.values[.feed] ?? [], searched: configuration?.feeds ?? [])
        guard let store else {
            throw .noStore(at: session.storePath(configuration), session.invocation.storeOptions)
        }
        let feeds = try await session.searchedFeeds(configuration, store)
        var query = SearchQuery(text, in: feeds.map(\.name), limit: try session.limit())
        for feed in feeds { query.show[feed.name] = feed.definition?.show }
        session.console.startPager()
        let count = try await session.read(try await store.print(query, session.console, format))
        if count == 0 { session.console.note("nothing found") }
        return .done
    }
}

extension Session {
    /// The feeds to search.
    ///
    /// - Throws: `Failure` with exit code 64 for an unknown feed, 78 where none can be searched.
    fileprivate func searchedFeeds(
        _ configuration: Configuration?, _ store: Store
    ) async throws(Failure) -> [KnownFeed] {
        let names = invocation.values[.feed] ?? []
        let known = try await knownFeeds(configuration, store, names: names, includesRemoved: !names.isEmpty)
        let searchable = try await read(try await store.searchableFeeds().map(\.feed))
        let feeds = known.filter { searchable.contains($0.name) }
        let others = known.filter { !searchable.contains($0.name) }
        if let waiting = others.first(where: { $0.definition?.search?.words.isEmpty == false }), feeds.isEmpty {
            throw Failure(
                .configuration, ["\(waiting.name) has no index yet"],
                advice: "feedsync sync \(waiting.name)\(invocation.storeOptions)  # makes it")
        }
        guard let feed = others.first else { return feeds }
        guard feeds.isEmpty || !names.isEmpty else { return feeds }
        throw Failure(
            .configuration, ["\(feed.name) cannot be searched: its definition has no `search`"],
            advice: "add search: [COLUMN, ...] to it, and run feedsync sync \(feed.name)")
    }

    /// The value of `--limit`; nil for all.
    ///
    /// - Throws: `Failure` with exit code 64.
    func limit() throws(Failure) -> Int? {
        guard invocation.options[.limit] != "all" else { return nil }
        return try invocation.count(.limit)
    }
}

extension Store {
    /// The number of printed items.
    fileprivate func print(
        _ query: SearchQuery, _ console: Console, _ format: RowFormat
    ) throws(FeedSyncError) -> Int {
        let printer = HitPrinter(console, format, query.text)
        printer.begin()
        try search(query) { printer.take($0) }
        return printer.end()
    }
}

/// Prints search results as rows.
///
/// - Isolation: the store's, while it reads.
private final class HitPrinter {
    private let rows: RowPrinter
    private let format: RowFormat

    init(_ console: Console, _ format: RowFormat, _ text: SearchText) {
        self.format = format
        var rule = ShowRule()
        (rule.title, rule.text, rule.link, rule.figures) = ("title", "excerpt", "link", ["feed"])
        rows = RowPrinter(console, format, choice: .telling(rule)) { palette, cell in
            MarkedText(cell, text).pieces.map { $0.isMatch ? palette.attention($0.text) : $0.text }.joined()
        }
    }

    private static let columns = ["feed", "title", "excerpt", "link"].map { RowColumn(name: $0) }
    private static let more = [RowColumn(name: "key", type: .json), RowColumn(name: "matches", type: .json)]

    func begin() { rows.begin(Self.columns + (format.isForPeople ? [] : Self.more)) }

    func take(_ hit: SearchHit) -> Bool {
        var values: [StoredValue] = [
            .text(hit.feed), .text(text(hit.title)), .text(text(hit.excerpt)), hit.link.map(StoredValue.text) ?? .null,
        ]
        if !format.isForPeople {
            let matches = hit.title.matches + hit.excerpt.matches.filter { !hit.title.matches.contains($0) }
            values += [.text(hit.key), .text(matches.json)]
        }
        return rows.take(values)
    }

    func end() -> Int { rows.end().rowCount }

    private func text(_ text: MarkedText) -> String {
        guard format == .markdown else { return text.text }
        return text.pieces.map { $0.isMatch ? "**\($0.text)**" : $0.text }.joined()
    }
}
