internal import FeedSync
internal import HTTP
internal import HTTPServer
internal import Reports

extension Site {
    /// The page with the feeds' states and due times, the last runs, the hosts' quotas, and the event log.
    func statusPage(_ served: Served) async throws(FeedSyncError) -> ServerResponse {
        let feeds = try await StateRow.rows(of: try await served.feeds(), in: served.pages).urgentFirst
        let events = try await served.pages?.events(last: 30) ?? []
        let runs = RunLine.lines(try await served.pages?.runs(limit: 300) ?? []).prefix(20)
        let quotas = try await served.pages?.quota() ?? []
        var days: [String: [DayFigures]] = [:]
        for feed in feeds { days[feed.feed.name] = try await served.pages?.days(of: feed.feed.name) }
        let plots = try await plots(of: quotas, feeds, served)
        return page("status", title: "Status") { html in
            html.element("div", .class("bar")) { html in html.element("h1", text: "Status") }
            problem(served, to: &html)
            html.element("section", .class("part")) { html in
                html.element("p", .class("meta"), text: feeds.summary)
                for feed in feeds { health(feed, days[feed.feed.name] ?? [], to: &html) }
                if feeds.isEmpty { html.element("p", .class("hint"), text: "There is no feed yet.") }
            }
            html.element("div", .class("tables")) { html in
                if !quotas.isEmpty {
                    table("Quota", Self.quotaColumns, to: &html) { html in
                        for quota in quotas { cells(cells(quota), to: &html) }
                    }
                    html.element("div", .class("charts quota")) { html in for plot in plots { plot.write(to: &html) } }
                }
                if !runs.isEmpty {
                    table("Last runs", Self.runColumns, to: &html) { html in for run in runs { line(run, to: &html) } }
                }
            }
            html.element("section", .class("part")) { html in
                html.element("h2", .id("log-title"), text: "Event log")
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
    private func plots(
        of quotas: [QuotaRecord], _ feeds: [StateRow], _ served: Served
    ) async throws(FeedSyncError) -> [QuotaPlot] {
        let now = WallClock.system.seconds
        let hours = (0..<QuotaPlot.hours).reversed().compactMap { hour in
            Timestamp.text(ofSecond: now - Int64(hour) * 3_600).map { String($0.prefix(13)) }
        }
        guard let store = served.pages, let first = hours.first else { return [] }
        var names: [String: Set<String>] = [:]
        for feed in feeds.map(\.feed) {
            guard let definition = feed.definition, let url = try? WebURL(definition.url.description) else { continue }
            names[url.origin.description, default: []].insert(feed.name)
        }
        var plots: [QuotaPlot] = []
        for quota in quotas where quota.remaining != nil {
            guard let feeds = names[quota.origin] else { continue }
            let requests = try await store.requests(of: feeds, since: first)
            plots.append(QuotaPlot(quota: quota, requests: hours.map { requests[$0] ?? 0 }))
        }
        return plots
    }

    /// Writes a feed as a line that opens.
    private func health(_ feed: StateRow, _ days: [DayFigures], to html: inout HTMLWriter) {
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
            // Nobody looks for the term that spreads the load.
            let terms = feed.plan?.terms.filter { $0.name != .jitter } ?? []
            if !terms.isEmpty {
                let words = terms.map {
                    let reason = $0.reason.replacing("`", with: "")
                    return $0.value.map { "\($0) (\(reason))" } ?? reason
                }
                html.element("p", .class("why"), text: "When: " + words.joined(separator: "; "))
            }
            let series = DaySeries(days, itemCount: feed.feed.record?.itemCount ?? 0)
            guard !series.days.isEmpty else { return }
            html.element("div", .class("charts")) { html in
                for chart in series.itemCharts + [series.requestChart] { chart.write(to: &html) }
            }
        }
    }

    private static func due(_ feed: StateRow) -> String {
        feed.plan?.isPaused == true ? feed.due : feed.due.isEmpty ? "" : "due \(feed.due)"
    }

    private static let quotaColumns = ["Host", "Limit", "Credential", "Left", "Full again at", "No request until"]
    private func cells(_ quota: QuotaRecord) -> [String] {
        [
            quota.origin, quota.resource, "\(quota.credential)",
            quota.remaining.map { NumberFormat.count($0) } ?? "", quota.resetAt ?? "", quota.blockedUntil ?? "",
        ]
    }

    /// Writes a run, or those of the lists of a feed as a line that opens.
    private func line(_ line: RunLine, to html: inout HTMLWriter) {
        switch line {
        case .run(let run): cells(cells(run), to: &html)
        case .lists(let feed, let runs):
            html.element("tr") { html in
                html.element("td", .plain(.colspan, String(Self.runColumns.count))) { html in
                    html.element("details") { html in
                        html.element("summary", text: Self.summary(of: runs, feed))
                        html.element("table") { html in
                            html.element("tbody") { html in for run in runs { cells(cells(run), to: &html) } }
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
        let counts = [
            (sum(\.items.inserted), "new"), (sum(\.items.updated), "changed"), (sum(\.items.removed), "gone"),
            (runs.count { $0.outcome == .failed }, "failed"),
        ]
        let words = counts.filter { $0.0 > 0 }.map { "\(NumberFormat.count($0.0)) \($0.1)" }
        let began = runs.first.map { [RelativeTime.ago($0.startedAtText)] } ?? []
        return "\(feed): " + ([NumberFormat.count(runs.count, "list")] + words + began).joined(separator: ", ")
    }

    private static let runColumns = [
        "Feed", "Command", "Began", "Outcome", "Pages", "New", "Changed", "Gone", "Requests",
    ]
    private func cells(_ run: RunRecord) -> [String] {
        [
            run.feed, run.command, RelativeTime.ago(run.startedAtText),
            (run.outcome?.rawValue ?? "under way") + (run.error.map { ": " + Shown.text($0.message, most: 160) } ?? ""),
            NumberFormat.count(run.pages), NumberFormat.count(run.items.inserted),
            NumberFormat.count(run.items.updated), NumberFormat.count(run.items.removed),
            NumberFormat.count(run.requests),
        ]
    }

    private func cells(_ cells: [String], to html: inout HTMLWriter) {
        html.element("tr") { html in for cell in cells { html.element("td", text: cell) } }
    }

    private func table(
        _ title: String, _ columns: [String], to html: inout HTMLWriter, rows: (inout HTMLWriter) -> Void
    ) {
        html.element("section", .class("part")) { html in
            html.element("h2", text: title)
            html.element(
                "div", .class("scroll"), .plain(.tabindex, "0"), .plain(.role, "region"), .plain(.ariaLabel, title)
            ) { html in
                html.element("table") { html in
                    html.element("thead") { html in
                        html.element("tr") { html in
                            for column in columns { html.element("th", .plain(.scope, "col"), text: column) }
                        }
                    }
                    html.element("tbody", content: rows)
                }
            }
        }
    }

    private func line(_ event: StatusEvent, to html: inout HTMLWriter) {
        html.element("li") { html in
            html.element("time", .plain(.datetime, event.atText), text: String(event.atText.dropFirst(11).prefix(12)))
            html.element("span", .class("name"), text: event.feed)
            html.element("span", .class(event.error == nil ? "status" : "status wrong"), text: event.status.rawValue)
            html.element("span", .class("why"), text: Self.words(event))
        }
    }

    private static func words(_ event: StatusEvent) -> String {
        if let failure = event.failure { return Shown.text(failure.message, most: 200) }
        let items = event.items
        let counts = [
            (items.inserted, "new"), (items.updated, "changed"), (items.unchanged, "unchanged"),
            (items.removed, "removed"),
        ]
        let page = event.page.map { ["page \($0)"] } ?? []
        return (page + counts.filter { $0.0 > 0 }.map { "\(NumberFormat.count($0.0)) \($0.1)" }).joined(separator: ", ")
    }
}

/// A line of the last runs: a run, or those of the lists of a feed that came one after the other.
enum RunLine: Sendable {
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
