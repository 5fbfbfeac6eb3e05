internal import FeedSync

extension Command {
    /// `show FEED`
    static let show = Command(
        "show", operands: "FEED", count: 1...1, options: [.section, .limit],
        summary: "Print the items of a feed",
        explanation: """
            Lists the items of each section in feed order, without those the server no longer has. On a
            terminal, shows as many columns as fit; in a pipe, every column with a value; with --json, all
            columns.
            """,
        example: "feedsync show swift-repos --limit 10"
    ) { session throws(Failure) in
        let limit = try session.invocation.count(.limit) ?? 100
        let configuration = try session.configurationForReading()
        let store = try await session.storeIfAny(configuration)
        guard let feed = try await session.knownFeeds(configuration, store).first else { return .done }
        let sections = try await session.sections(of: feed.name, in: store)
        var left = limit
        var shown: [SectionTable] = []
        for section in sections where left > 0 {
            guard let store else { break }
            let page = try await session.reading { () async throws(FeedSyncError) in
                try await store.rows(of: feed.name, section: .some(section.name), limit: left)
            }
            left -= page.rows.count
            shown.append(SectionTable(section: section, page: page))
        }
        session.print(shown, of: feed.name)
        let total = sections.reduce(0) { $0 + $1.itemCount }
        if total > limit {
            let counts = "\(NumberFormat.count(limit)) of \(NumberFormat.count(total, "item"))"
            session.console.note("\(feed.name): note: \(counts) shown; --limit N shows more")
        } else if total == 0 {
            session.console.note("\(feed.name): note: no items stored yet; feedsync sync \(feed.name) fetches them")
        }
        return .done
    }
}

extension Session {
    /// The sections to show.
    ///
    /// - Throws: `Failure` with exit code 64 for an unknown section.
    fileprivate func sections(of feed: String, in store: Store?) async throws(Failure) -> [Section] {
        guard let store else { return [] }
        let sections = try await reading { () async throws(FeedSyncError) in try await store.sections(of: feed) }
        guard let name = invocation.options[.section] else { return sections }
        guard let section = sections.first(where: { $0.name == name }) else {
            throw .unknown(
                "section", name, among: sections.compactMap(\.name), advice: "feedsync show \(feed) shows them all")
        }
        return [section]
    }

    fileprivate func print(_ sections: [SectionTable], of feed: String) {
        guard invocation.has(.json) else {
            let isOnly = sections.count == 1 && sections.first?.section.name == nil
            let lists = sections.map { $0.lines(hasTitle: !isOnly, console.palette, width: console.width) }
            console.print(Array(lists.joined(separator: [""])))
            let skipped = sections.map { Set($0.skipped(hasTitle: !isOnly, width: console.width)) }
            let names = sections.first?.page.columns.map(\.name) ?? []
            return console.noteSkipped(names.filter { name in skipped.contains { $0.contains(name) } })
        }
        var document = JSONObjectText()
        document.add("feed", feed)
        document.add("sections", json: JSONLines.array(sections.map(\.json)))
        console.print(json: document.text)
    }
}
