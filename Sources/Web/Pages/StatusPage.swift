internal import FeedSync
internal import HTTP
internal import HTTPServer
internal import Reports

/// The page with the feeds' states and due times, the last runs, the hosts' quotas, and the event log.
struct StatusPage: Page {
    private let visit: Visit
    private let feeds: [StateRow]
    private var days: [String: [DayCounts]] = [:]
    private let events: [StatusEvent]
    private let runs: ArraySlice<RunLine>
    private let quotas: [QuotaRecord]
    private let plots: [QuotaPlot]

    init(_ visit: Visit) async throws(FeedSyncError) {
        self.visit = visit
        let (served, store) = (visit.served, visit.served.pages)
        feeds = try await StateRow.rows(of: try await served.feeds(), in: store).urgentFirst
        events = try await store?.events(last: 30) ?? []
        runs = RunLine.lines(try await store?.runs(limit: 300) ?? []).prefix(20)
        quotas = try await store?.quota() ?? []
        for feed in feeds { days[feed.feed.name] = try await store?.days(of: feed.feed.name) }
        plots = try await Self.plots(of: quotas, feeds, in: store)
    }

    var response: ServerResponse {
        visit.frame.page("status", title: "Status") { html in
            html.element("div", .class("bar")) { html in html.element("h1", text: "Status") }
            ConfigurationNotice.write(visit.served.problem, to: &html)
            html.element("section", .class("part")) { html in
                html.element("p", .class("meta"), text: feeds.summary)
                for feed in feeds { health(feed, to: &html) }
                if feeds.isEmpty { html.element("p", .class("hint"), text: "There is no feed yet.") }
            }
            html.element("div", .class("tables")) { html in
                if !quotas.isEmpty {
                    table("Quota", Self.quotaColumns, to: &html) { html in
                        for quota in quotas { Self.cells(Self.cells(quota), to: &html) }
                    }
                    html.element("div", .class("charts quota")) { html in for plot in plots { plot.write(to: &html) } }
                }
                if !runs.isEmpty {
                    table("Last runs", Self.runColumns, to: &html) { html in for run in runs { line(run, to: &html) } }
                }
            }
            html.element("section", .class("part")) { html in
                html.element("h2", .id("log-title"), text: "Event log, in UTC")
                html.element(
                    "ol", .id("log"), .class("log"), .plain(.ariaLabelledby, "log-title"), .plain(.tabindex, "0"),
                    .data(.event, String(events.last?.id ?? 0))
                ) { html in
                    for event in events.reversed() { line(event, to: &html) }
                }
            }
        }
    }

    /// Plots of the last day's requests, for each host that reports a quota.
    private static func plots(
        of quotas: [QuotaRecord], _ feeds: [StateRow], in store: Store?
    ) async throws(FeedSyncError) -> [QuotaPlot] {
        let now = WallClock.system.seconds
        let hours = (0..<QuotaPlot.hours).reversed().compactMap { hour in
            Timestamp.text(ofSecond: now - Int64(hour) * 3_600).map { String($0.prefix(13)) }
        }
        guard let store, let first = hours.first else { return [] }
        var names: [String: Set<String>] = [:]
        for feed in feeds.map(\.feed) {
            guard let definition = feed.definition, let url = try? WebURL(definition.url.description) else { continue }
            names[url.origin.description, default: []].insert(feed.name)
        }
        let plotted = quotas.filter { $0.remaining != nil && names[$0.origin] != nil }
        guard !plotted.isEmpty else { return [] }
        let requests = try await store.requests(since: first)
        return plotted.map { quota in
            let ofHost = (names[quota.origin] ?? []).compactMap { requests[$0] }
            return QuotaPlot(
                quota: quota, requests: hours.map { hour in ofHost.reduce(0) { $0 &+ ($1[hour] ?? 0) } })
        }
    }

    /// Writes a feed as a line that opens.
    private func health(_ feed: StateRow, to html: inout HTMLWriter) {
        html.element("details", .class("health"), .data(.feed, feed.feed.name)) { html in
            html.element("summary") { html in
                html.element("span", .class("name"), text: feed.feed.name)
                StateBadge.write(feed, to: &html)
                html.element(
                    "span", .class("count"), text: NumberFormat.count(feed.feed.record?.itemCount ?? 0, "item"))
                html.element("span", .class("due count"), text: Self.due(feed))
                html.element("span", .class("why")) { Shown.why(feed, to: &$0) }
            }
            html.element("p") { html in
                html.element("a", .href(.own("list", feed.feed.name)), text: "List")
                html.text(" · ")
                html.element("a", .href(.own("changes", feed.feed.name)), text: "Changes")
                html.text(" · ")
                html.element("a", .href(.own("settings", feed.feed.name)), text: "Settings")
            }
            // Readers do not look for the term that spreads the load.
            let terms = feed.plan?.terms.filter { $0.name != .jitter } ?? []
            if !terms.isEmpty {
                html.element("p", .class("why")) { html in
                    html.text("When: ")
                    for (place, term) in terms.enumerated() {
                        if place > 0 { html.text("; ") }
                        Self.write(term, to: &html)
                    }
                }
            }
            let series = DaySeries(days[feed.feed.name] ?? [], itemCount: feed.feed.record?.itemCount ?? 0)
            guard !series.days.isEmpty else { return }
            html.element("div", .class("charts")) { html in
                for chart in series.itemCharts + [series.requestChart] { chart.write(to: &html) }
            }
        }
    }

    /// Writes a reason for the time at which a feed is due, in the words of pages.
    private static func write(_ term: Plan.Term, to html: inout HTMLWriter) {
        switch term.name {
        case .every: html.text("every \(term.value ?? "")")
        // The failures are shown above, with the time of the first.
        case .backOff: html.text("\(term.value ?? "") after failures")
        case .blockedUntil:
            html.text("the server asked to wait, which ends ")
            Shown.time(term.value, to: &html)
        default:
            let reason = term.reason.replacing("`", with: "")
            html.text(term.value.map { "\($0) (\(reason))" } ?? reason)
        }
    }

    private static func due(_ feed: StateRow) -> String {
        feed.plan?.isPaused == true ? feed.due : feed.due.isEmpty ? "" : "due \(feed.due)"
    }

    private struct Column {
        let title: String
        var isNumber = false
    }

    /// A cell of a table.
    private enum Cell {
        case text(String)
        case number(String)
        case time(String?)

        static func count(_ number: Int) -> Cell { .number(NumberFormat.count(number)) }
    }

    private static let quotaColumns = [
        Column(title: "Host"), Column(title: "Limit"), Column(title: "Credential", isNumber: true),
        Column(title: "Left", isNumber: true), Column(title: "Full again"), Column(title: "No request before"),
    ]
    private static func cells(_ quota: QuotaRecord) -> [Cell] {
        [
            .text(quota.origin), .text(quota.resource), .number("\(quota.credential)"),
            quota.remaining.map(Cell.count) ?? .text(""), .time(quota.resetAt), .time(quota.blockedUntil),
        ]
    }

    /// Writes a run, or those of the lists of a feed as a line that opens.
    private func line(_ line: RunLine, to html: inout HTMLWriter) {
        switch line {
        case .run(let run): Self.cells(Self.cells(run), to: &html)
        case .lists(let feed, let runs):
            html.element("tr") { html in
                html.element("td", .plain(.colspan, String(Self.runColumns.count))) { html in
                    html.element("details") { html in
                        html.element("summary", text: Self.summary(of: runs, feed))
                        html.element("table") { html in
                            html.element("tbody") { html in for run in runs { Self.cells(Self.cells(run), to: &html) } }
                        }
                    }
                }
            }
        }
    }

    private static func summary(of runs: [RunRecord], _ feed: String) -> String {
        func sum(_ count: (RunRecord) -> Int) -> Int {
            runs.reduce(0) { $0.addingReportingOverflow(count($1)).partialValue }
        }
        let words = NumberFormat.counts([
            (sum(\.items.inserted), "new"), (sum(\.items.updated), "changed"), (sum(\.items.removed), "gone"),
            (runs.count { $0.outcome == .failed }, "failed"),
        ])
        let began = runs.first.map { [RelativeTime.ago($0.startedAtText)] } ?? []
        return "\(feed): " + ([NumberFormat.count(runs.count, "list")] + words + began).joined(separator: ", ")
    }

    private static let runColumns =
        ["Feed", "Command", "Began", "Outcome"].map { Column(title: $0) }
        + ["Pages", "New", "Changed", "Gone", "Requests"].map { Column(title: $0, isNumber: true) }
    private static func cells(_ run: RunRecord) -> [Cell] {
        let outcome = run.outcome?.rawValue ?? "under way"
        let error = run.error.map { Shown.text($0.message, most: 160) }
        // The error of a run that was stopped says so itself.
        let end = error.map { run.outcome == .cancelled ? $0 : "\(outcome): \($0)" } ?? outcome
        return [
            .text(run.feed), .text(run.command), .time(run.startedAtText),
            .text(end), .count(run.pages), .count(run.items.inserted),
            .count(run.items.updated), .count(run.items.removed), .count(run.requests),
        ]
    }

    private static func cells(_ cells: [Cell], to html: inout HTMLWriter) {
        html.element("tr") { html in
            for cell in cells {
                switch cell {
                case .text(let text): html.element("td", text: text)
                case .number(let text): html.element("td", .class("number"), text: text)
                case .time(let time): html.element("td") { html in if time != nil { Shown.time(time, to: &html) } }
                }
            }
        }
    }

    private static func head(_ column: Column, to html: inout HTMLWriter) {
        html.element("th", .class(column.isNumber ? "number" : ""), .plain(.scope, "col"), text: column.title)
    }

    private func table(
        _ title: String, _ columns: [Column], to html: inout HTMLWriter, rows: (inout HTMLWriter) -> Void
    ) {
        html.element("section", .class("part")) { html in
            html.element("h2", text: title)
            html.element(
                "div", .class("scroll"), .plain(.tabindex, "0"), .plain(.role, "region"), .plain(.ariaLabel, title)
            ) { html in
                html.element("table") { html in
                    html.element("thead") { html in
                        html.element("tr") { html in for column in columns { Self.head(column, to: &html) } }
                    }
                    html.element("tbody", content: rows)
                }
            }
        }
    }

    private func line(_ event: StatusEvent, to html: inout HTMLWriter) {
        html.element("li") { html in
            html.element(
                "time", .plain(.datetime, event.atText),
                text: String(event.atText.prefix(19)).replacing("T", with: " "))
            html.element("span", .class("name"), text: event.feed)
            let isWrong = ![nil, .cancelled].contains(event.failure?.kind)
            html.element("span", .class(isWrong ? "status wrong" : "status"), text: event.status.rawValue)
            html.element("span", .class("why"), text: Self.words(event))
        }
    }

    private static func words(_ event: StatusEvent) -> String {
        if let failure = event.failure { return Shown.text(failure.message, most: 200) }
        return ((event.page.map { ["page \($0)"] } ?? []) + event.items.words).joined(separator: ", ")
    }
}

/// A line of the last runs: a run, or those of the lists of a feed that came one after the other.
private enum RunLine: Sendable {
    case run(RunRecord)
    case lists(feed: String, runs: [RunRecord])

    /// The lines of runs, in their order.
    static func lines(_ runs: [RunRecord]) -> [RunLine] {
        var lines: [RunLine] = []
        for run in runs {
            guard let feed = FeedPart.feed(ofPart: run.feed) else {
                lines.append(.run(run))
                continue
            }
            if case .lists(feed, let others)? = lines.last {
                lines[lines.count - 1] = .lists(feed: feed, runs: others + [run])
            } else {
                lines.append(.lists(feed: feed, runs: [run]))
            }
        }
        return lines
    }
}
