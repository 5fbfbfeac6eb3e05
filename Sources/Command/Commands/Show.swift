internal import FeedSync
internal import Reports
internal import Text

extension Command {
    /// `show FEED`
    static let show = Command(
        name: "show", operands: "FEED", count: 1...1,
        options: [.namedColumns, .where, .since, .at, .sort, .limit, .section, .removed] + RowFormat.options,
        store: .any, isForResults: true,
        summary: "Print the items of a feed",
        explanation: """
            Lists the items in feed order, section by section, without those the server no longer has.

            A terminal gets a table of the columns that say most (a title, counts, a text, a link), as many as fit,
            through $PAGER or less. --markdown prints the same columns as a
            Markdown table. A pipe and the formats for programs get all columns;
            in a pipe, values are separated by tabs, and \\t, \\n, \\r and \\\\ stand for what would break the line.

            The rows are never cut unless --limit says so. -o FILE writes them to a file, which is replaced when all is
            written; Parquet is written by DuckDB (Docs/query.md).

            --at undoes the changes since TIME. Sections and the order of the items are those of today.
            """,
        example: "feedsync show swift-repos --where 'stars > 5000' --sort -stars"
    ) { session throws(Failure) in
        let format = try RowFormat(session.invocation, isTerminal: session.console.width != nil)
        let configuration = try session.configurationForReading()
        let store = try await session.storeIfAny(configuration)
        guard let feed = try await session.knownFeeds(configuration, store).first else { return .done }
        let query = try await session.itemQuery(
            feed, in: store,
            keep: (configuration?.retention ?? .standard)[FeedPart.feed(ofPart: feed.name) ?? feed.name])
        let choice = query.columns == nil ? ColumnChoice.telling(feed.definition?.show) : .all
        session.console.startPager()
        let printed = try await session.print(query, in: store, format, choice)
        session.console.noteSkipped(printed.skipped)
        let options = session.invocation.storeOptions
        if printed.rowCount == 0 {
            session.console.note("\(feed.name): note: \(query.reasonForNothing(feed, options))")
        }
        return .done
    }
}

extension Session {
    /// The query of the command line for a feed.
    ///
    /// - Throws: `Failure` with exit code 64 for an unknown column or section.
    fileprivate func itemQuery(_ feed: KnownFeed, in store: Store?, keep: Duration) async throws(Failure) -> ItemQuery {
        var query = ItemQuery(feed: feed.name)
        query.limit = try limit()
        query.condition = invocation.options[.where]
        query.includesRemoved = invocation.has(.removed)
        query.since = try moment(.since)
        query.time = try past(feed, keep: keep)
        guard let store else { return query }
        let columns = try await read(try await store.columns(of: feed.name))
        // As long as nothing is stored, no name is wrong.
        guard !columns.isEmpty else { return query }
        func known(_ name: Substring) throws(Failure) -> String {
            if let column = columns.first(where: { $0.name == name }) { return column.name }
            throw .unknown(
                "column", String(name), among: columns.map(\.name),
                advice: "feedsync explain \(feed.name)  # lists the columns")
        }
        if let names = invocation.options[.namedColumns] {
            var wanted: [String] = []
            for name in names.split(separator: ",") { wanted.append(try known(name.trimmingSpaces)) }
            query.columns = wanted
        }
        for name in invocation.options[.sort]?.split(separator: ",") ?? [] {
            let isDescending = name.trimmingSpaces.hasPrefix("-")
            let column = try known(isDescending ? name.trimmingSpaces.dropFirst() : name.trimmingSpaces)
            query.order.append(ItemOrder(column: column, isDescending: isDescending))
        }
        return query
    }

    /// The time of an option, as the store writes times; nil if it was not given.
    ///
    /// - Throws: `Failure` with exit code 64.
    private func moment(_ option: Option) throws(Failure) -> String? {
        guard let text = invocation.options[option] else { return nil }
        if let time = PointInTime.stored(text) { return time }
        throw .usage(
            "\(option.written) must be a time such as 90m, 7d, 2w, 1mo, yesterday or 2026-11-21, not \(text)",
            advice: invocation.command.helpAdvice)
    }

    /// The time of `--at`; nil if it was not given.
    ///
    /// - Throws: `Failure` with exit code 64 for a time of which the changes since are not kept.
    private func past(_ feed: KnownFeed, keep: Duration) throws(Failure) -> String? {
        guard let time = try moment(.at) else { return nil }
        try invocation.check(.at, without: .since, .removed)
        guard feed.definition?.keepsChanges ?? true else {
            throw .usage(
                "the changes of \(feed.name) are not kept: it has `changes: false`",
                advice: "feedsync show \(feed.name)")
        }
        let oldest = WallClock.system.milliseconds - Int64(clamping: keep.components.seconds) * 1_000
        if let first = Timestamp(milliseconds: oldest)?.text, time < first {
            throw .usage(
                "changes are kept for \(DurationText.text(keep)): the oldest time for --at is \(first)",
                advice: "a longer `keep` in the configuration keeps them longer from now on")
        }
        return time
    }

    /// Prints items, by section if the feed has several and nothing else sorts them.
    fileprivate func print(
        _ query: ItemQuery, in store: Store?, _ format: RowFormat, _ choice: ColumnChoice
    ) async throws(Failure) -> RowPrinter.Outcome {
        let printer = RowPrinter(console, format, choice: choice)
        guard let store else { return printer.end() }
        let all = try await read(try await store.sections(of: query.feed))
        let wanted = try sections(among: all, of: query.feed)
        let isUnsectioned = !query.order.isEmpty || query.time != nil
        let isPlain = wanted.allSatisfy { $0.name == nil } || isUnsectioned && !invocation.has(.section)
        let isWhole =
            query.condition == nil && query.since == nil && query.time == nil && query.limit == nil
            && !query.includesRemoved
        let parts = isPlain ? [] : wanted.map { SectionPart($0, console.palette, showsCount: isWhole) }
        do throws(QueryError) {
            return try await store.read(query, parts: parts.map { ($0.name, $0.title) }, into: printer)
        } catch {
            let columns = (try? await store.columns(of: query.feed)) ?? []
            throw Failure(
                error.suggesting(among: columns.map(\.name)), of: query.condition ?? "", option: .where,
                advice: invocation.command.helpAdvice)
        }
    }

    /// - Throws: `Failure` with exit code 64 for an unknown section.
    private func sections(among sections: [FeedSection], of feed: String) throws(Failure) -> [FeedSection] {
        guard let name = invocation.options[.section] else { return sections }
        guard let section = sections.first(where: { $0.name == name }) else {
            throw .unknown(
                "section", name, among: sections.compactMap(\.name), advice: "feedsync show \(feed)  # shows them all")
        }
        return [section]
    }
}

/// A section, with the line above its items.
private struct SectionPart {
    let name: String?
    let title: String

    init(_ section: FeedSection, _ palette: Palette, showsCount: Bool) {
        name = section.name
        let count = showsCount ? "  \(palette.faint(NumberFormat.count(section.itemCount, "item")))" : ""
        title = palette.name(section.name.map(DisplayWidth.printable) ?? "(no section)") + count
    }
}

extension ItemQuery {
    /// The reason for an empty result.
    ///
    /// - Parameter options: The options that name the configuration and the store.
    fileprivate func reasonForNothing(_ feed: KnownFeed, _ options: String) -> String {
        guard feed.record?.itemCount ?? 0 > 0 else {
            if feed.record?.isComplete == true { return "the list has no items" }
            return "no items stored yet; feedsync sync \(feed.name)\(options) fetches them"
        }
        guard time == nil else { return "it had no items then" }
        return "no item matches (of \(NumberFormat.count(feed.record?.itemCount ?? 0)))"
    }
}

extension QueryError {
    /// The error with the column that was probably meant, if it is about one that there is not.
    fileprivate func suggesting(among columns: [String]) -> QueryError {
        let start = "no such column: "
        guard case .invalid(let message) = self, message.hasPrefix(start),
            let nearest = NearestWord.suggestion(for: String(message.dropFirst(start.count)), among: columns)
        else { return self }
        return .invalid("\(message); did you mean \(nearest)?")
    }
}

extension Failure {
    /// A query of the user's that brings nothing.
    init(_ error: QueryError, of sql: String, option: Option?, advice: String) {
        switch error {
        case .store(let error): self.init(error)
        case .invalid(let message):
            let place = option.map { "\($0.written) " } ?? ""
            self = .usage("\(place)\(Excerpt.quoted(sql, limit: 200)): \(message)", advice: advice)
        }
    }
}
