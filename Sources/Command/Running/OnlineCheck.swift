internal import FeedSync
internal import JSON
internal import Reports
internal import Text

/// The result of storing a feed's first page.
struct OnlineCheck: Sendable, JSONRecord {
    let feed: String
    let summary: RunSummary
    let record: FeedRecord
    let sections: [FeedSection]
    /// The first rows.
    let page: RowPage

    /// The result of a reload into a temporary store.
    ///
    /// - Throws: `FeedSyncError` of the reload.
    init(_ report: RunReport, summary: RunSummary, in store: Store) async throws(FeedSyncError) {
        feed = report.feed
        self.summary = summary
        guard let record = try await store.feed(named: feed) else {
            throw FeedSyncError(.bug, "the feed was loaded, but the store does not have it")
        }
        self.record = record
        sections = try await store.sections(of: feed)
        page = try await store.rows(of: feed, limit: 3)
    }

    /// The error for a definition that does not fit the page: a key that different items share, or a name in `search`
    /// that no column has; nil if it fits.
    func fault(of definition: FeedDefinition) -> FeedSyncError? {
        if summary.reason == .sameKey {
            return FeedSyncError(
                .configuration, "different items of the first page have the same key",
                advice: "give the feed a `key` that tells them apart; the notes above name some of them")
        }
        let columns = page.columns.map { ColumnDefinition(name: $0.name, path: Path([.member($0.name)])) }
        guard !columns.isEmpty,
            let unknown = definition.search?.unknownWord(among: columns + definition.columns)
        else { return nil }
        let nearest = NearestWord.suggestion(for: unknown, among: columns.map(\.name))
        return FeedSyncError(
            .configuration, "no column is called `\(unknown)`, which `search` names",
            advice: nearest.map { "the nearest name is `\($0)`" }
                ?? "the feed has \(columns.prefix(8).map(\.name).inBackticks(joinedBy: ", "))")
    }

    /// The check for people.
    func lines(_ palette: Palette, width: Int?) -> [String] {
        let figures = summary.figures
        let cost = "(\(NumberFormat.count(figures.requests, "request")), \(NumberFormat.bytes(figures.bytes)))"
        let count = NumberFormat.count(record.itemCount, "item")
        let next = record.nextPage.map { "; next page: \($0)" } ?? "; this is the last page"
        var lines = ["\(palette.success("ok"))  \(palette.name(feed))  \(count) \(palette.faint(cost))\(next)"]
        let names = sections.map { "\($0.name ?? "(no section)") (\(NumberFormat.count($0.itemCount)))" }
        if sections.contains(where: { $0.name != nil }) {
            lines += Self.list("sections", names, width: width)
        }
        let columns = page.columns.map { column in column.name + (column.type.map { " \($0.rawValue)" } ?? "") }
        lines += Self.list("columns", columns, width: width)
        guard let section = sections.first, !page.rows.isEmpty else { return lines.map(DisplayWidth.printable) }
        let shown = SectionTable(section: section, page: page)
        return lines + [""] + shown.lines(hasTitle: false, palette, width: width.map { $0 - 4 }).map { "    " + $0 } + [
            ""
        ]
    }

    /// Words beside a title, wrapped to the terminal's width.
    private static func list(_ title: String, _ words: [String], width: Int?) -> [String] {
        let indentation = String(repeating: " ", count: 14)
        let lines = TextLayout.wrapped(words.joined(separator: ", "), to: width.map { $0 - indentation.count } ?? .max)
        let first = "    " + title + String(repeating: " ", count: 10 - title.count)
        return [first + lines[0]] + lines.dropFirst().map { indentation + $0 }
    }

    var fields: JSONFields {
        [
            "feed": feed,
            "item_count": record.itemCount,
            "next_page": record.nextPage,
            "requests": summary.figures.requests,
            "bytes": summary.figures.bytes,
            "key": page.key,
            "columns": page.columns.map { ["name": $0.name, "type": $0.type?.rawValue] as JSONFields },
            "sections": sections.map { JSONDocument($0.json) },
            "items": JSONDocument(JSONLines.array(page.rows.map(page.json))),
            "notices": summary.notices,
            "error": nil as String?,
        ]
    }
}

extension Session {
    /// Fetches a page of each feed into a temporary store, and prints the result.
    ///
    /// - Throws: `Failure` if no feed can be tried at all.
    func checkOnline(_ feeds: [FeedDefinition], of configuration: Configuration) async throws(Failure) -> ExitCode {
        let options = try engineOptions(folder: configuration.folder)
        let folder = try TemporaryFolder(environment)
        defer { folder.remove() }
        let store = try await openStore(at: "\(folder.path)/check.db")
        let runner = FeedRunner(console: console, store: store, options: options)
        var codes: [ExitCode] = []
        var documents: [String] = []
        for feed in feeds {
            if Task.isCancelled { break }
            var report = await runner.run(.reload, on: feed)
            var check: OnlineCheck?
            if let summary = report.summary {
                do throws(FeedSyncError) {
                    check = try await OnlineCheck(report, summary: summary, in: store)
                } catch {
                    report.error = error
                }
            }
            if report.error == nil, let fault = check?.fault(of: feed) {
                check = nil
                report.error = fault
            }
            codes.append(report.code)
            if invocation.has(.json) {
                documents.append(check?.result ?? Self.result(failed: report))
            } else if let check {
                console.print(check.lines(console.palette, width: console.width))
            }
            for notice in report.notices { console.note("\(feed.name): note: \(notice)") }
            if let failure = report.failure { console.report(failure) }
        }
        if invocation.has(.json) { console.print(json: JSONLines.array(documents)) }
        return codes.combined
    }

    private static func result(failed report: RunReport) -> String {
        let fields: JSONFields = ["feed": report.feed, "error": report.error]
        return fields.result
    }
}
