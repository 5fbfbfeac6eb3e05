internal import FeedSync
internal import HTTP
internal import Reports

/// A feed's complete definition, its next request, and its state in the store.
struct Explanation: Sendable, JSONRecord {
    let feed: FeedDefinition
    let entry: FeedEntry
    /// The known obstacles to a request now.
    var warnings: [String]
    /// The next request; nil if a warning says why there is none.
    var request: NextRequest?
    /// The lists that come next; nil for a feed with one list.
    var lists: PartOutlook?
    /// The feed's state in the store; nil without a store.
    var known: FeedSummary?

    /// The explanation for people; the definition can be pasted below `feeds:`.
    func lines(_ palette: Palette) -> [String] {
        let preset = feed.presetName.map { ["  " + palette.faint("# preset \($0)")] } ?? []
        return preset + entry.lines + listLines(palette) + ["", palette.name("Next request")] + requestLines(palette)
            + ["", palette.name("Store")] + (known?.lines ?? ["none yet"]).map { "  " + DisplayWidth.printable($0) }
    }

    private func listLines(_ palette: Palette) -> [String] {
        guard let lists else { return [] }
        var table = Table(["", ""], hasTitles: false, indentation: 2)
        let now = WallClock.system.milliseconds
        for next in lists.next { table.add([next.list, next.words(of: lists.parent, now: now)]) }
        return ["", palette.name("Next lists"), "  \(lists.summary)"]
            + (lists.next.isEmpty ? [] : table.lines(Palette(isOn: false), width: nil))
    }

    private func requestLines(_ palette: Palette) -> [String] {
        guard let request else {
            return warnings.isEmpty ? ["  none"] : warnings.map { "  none: " + palette.failure($0) }
        }
        let condition =
            feed.refersToCommands
            ? "its command was not run; its output is shown as ***"
            : request.isConditional ? "only if it has changed" : "whether or not it has changed"
        let lines =
            ["\(request.method) \(request.url)"] + request.headers.map { "\($0.name): \($0.value)" }
            + (request.body.map { [$0] } ?? []) + ["(by \(request.command), \(condition))"]
        return lines.map { "  " + DisplayWidth.printable($0) }
    }

    var fields: JSONFields {
        [
            "feed": feed.name,
            "preset": feed.presetName,
            "definition": JSONDocument(entry.json),
            "found": entry.members.filter(\.wasFound).map(\.name),
            "warnings": warnings,
            "request": request,
            "lists": lists,
            "store": known,
        ]
    }
}

extension FeedEntry.Member {
    /// True if it, or a member of it, was discovered.
    fileprivate var wasFound: Bool {
        guard case .mapping(let members) = value else { return remark == "found" }
        return remark == "found" || members.contains { $0.remark == "found" }
    }
}

/// A feed's state in the store.
struct FeedSummary: Sendable, JSONRecord {
    private let path: String
    private let record: FeedRecord?
    private let crawl: CrawlRecord?
    private let run: RunRecord?
    private let quota: [QuotaRecord]
    /// The last page's sign that more follows, in words; nil if it had none.
    private let sign: String?
    /// The parent's row that has this list; nil for a feed.
    private let part: String?

    /// Reads it.
    ///
    /// - Parameter name: The name of the store.
    /// - Throws: `FeedSyncError` of kind `store`.
    init(_ feed: FeedDefinition, of store: Store, called name: String) async throws(FeedSyncError) {
        path = name
        part = feed.part.map { part in
            part.key.map { "\($0.name) \($0.value.text)" }.joined(separator: ", ")
        }
        record = try await store.feed(named: feed.name)
        sign = try await store.findings(of: feed.owner)?.sign
        crawl = try await store.lastCrawl(of: feed.name)
        run = try await store.runs(of: feed.name, limit: 1).first
        let origin = feed.url.description.split(separator: "/", maxSplits: 3).prefix(2).joined(separator: "//")
        quota = try await store.quota().filter { $0.origin == origin }
    }

    /// A line for each thing known.
    var lines: [String] {
        guard let record else { return ["\(path): never loaded"] }
        var table = Table(["", ""], hasTitles: false)
        table.add([path.contains("://") ? "database" : "file", path])
        if let part { table.add(["list of", part]) }
        let items = NumberFormat.count(record.itemCount, "item")
        table.add(["feed", "\(record.status.rawValue), \(items), generation \(record.generation)"])
        table.add(["next page", record.nextPage ?? (record.noMoreData ? "none; the end was reached" : "the first")])
        if let crawl { table.add(["last crawl", Self.text(of: crawl)]) }
        if let sign { table.add(["sign of more", sign]) }
        if let crawl {
            table.add(["pages kept", "\(crawl.storedPages), \(crawl.pagesWithValidators) with validators"])
        }
        for quota in quota { table.add(["quota", Self.text(of: quota)]) }
        if let run {
            let end = run.outcome.map(\.rawValue) ?? "running, or cut off"
            table.add(["last run", "\(run.command), \(end), \(RelativeTime.ago(run.startedAtText))"])
        }
        if let error = record.error { table.add(["error", error.description]) }
        return table.lines(Palette(isOn: false), width: nil)
    }

    private static func text(of crawl: CrawlRecord) -> String {
        let pages = NumberFormat.count(crawl.pages, "page")
        if crawl.isComplete { return "\(pages), complete" }
        if let reason = crawl.reason { return "\(pages), not complete: \(reason.rawValue)" }
        return crawl.hasEnded ? "\(pages), not complete" : "\(pages), can be continued"
    }

    private static func text(of quota: QuotaRecord) -> String {
        [
            quota.resource.isEmpty ? nil : quota.resource, quota.remaining.map { "\(NumberFormat.count($0)) left" },
            quota.resetAt.map { "resets at \($0)" }, quota.blockedUntil.map { "blocked until \($0)" },
        ].compactMap(\.self).joined(separator: ", ")
    }

    var fields: JSONFields {
        [
            "file": path,
            "feed": record,
            "crawl": crawl,
            "sign": sign,
            "quota": quota,
            "run": run,
        ]
    }
}
