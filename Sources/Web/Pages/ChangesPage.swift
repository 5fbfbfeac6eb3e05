internal import FeedSync
internal import HTTPServer
internal import Reports

/// The changes of feeds, the newest first: new, changed, removed and returned items, by day and by feed.
struct ChangesPage: Page {
    private let visit: Visit
    /// The feed; nil for all feeds.
    private let feed: KnownFeed?
    private let selection: ChangeSelection
    private let recent: RecentChanges
    private let shapes: [String: RowShape]
    private let series: DaySeries
    /// The last event before the page was made.
    private let event: Int

    /// The number of changes on a page.
    private static let changesOnPage = 150
    /// The number of changes of a feed in a day that are shown at once; the others are folded.
    private static let mostAtOnce = 15

    /// - Parameter name: The name of a feed; nil for all feeds.
    init?(_ name: String?, _ visit: Visit) async throws(FeedSyncError) {
        let served = visit.served
        feed = if let name { try await served.feed(named: name) } else { nil as KnownFeed? }
        guard name == nil || feed != nil else { return nil }
        event = try await served.newestEvent()
        selection = ChangeSelection(name, visit.request)
        (recent, shapes) = try await selection.recent(in: served, limit: Self.changesOnPage)
        let days = if let name { try await served.search?.days(of: name) ?? [] } else { [DayCounts]() }
        series = DaySeries(days, itemCount: feed?.record?.itemCount ?? 0)
        self.visit = visit
    }

    private var name: String? { selection.feed }

    var response: ServerResponse {
        var response = visit.frame.page("changes", title: name.map { "Changes of \($0)" } ?? "Changes") { html in
            html.element("div", .class("bar")) { html in html.element("h1", text: name ?? "Changes") }
            if let feed { FeedTabs.write(feed, here: .changes, to: &html) }
            kindLinks(to: &html)
            html.element("div", .id("changes"), .data(.feed, name), .data(.event, String(event))) { html in
                if !series.days.isEmpty {
                    html.element("div", .class("charts")) { html in
                        for chart in series.itemCharts { chart.write(to: &html) }
                    }
                }
                if recent.changes.isEmpty { html.element("p", .class("nothing"), text: "Nothing has changed.") }
                let days = Groups(recent.changes) { String($0.at.prefix(10)) }
                for (day, changes) in days.groups { self.day(day, changes, to: &html) }
                html.element("p", .class("pages")) { html in
                    guard let next = recent.next else { return }
                    let words = selection.kindWords + [(name: "before", value: next.text)]
                    html.element("a", .class("button"), .href(link(words)), .plain(.rel, "next"), text: "Older changes")
                }
            }
        }
        response.headers.append(("Vary", "Accept"))
        return response
    }

    private func link(_ words: [(name: String, value: String)]) -> Link {
        name.map { .own("changes", $0, query: words) } ?? .own("changes", query: words)
    }

    private func kindLinks(to html: inout HTMLWriter) {
        let choices: [(String, [ItemChange.Kind])] = [
            ("All", []), ("New", [.new]), ("Changed", [.changed]), ("Removed", [.removed]), ("Back", [.returned]),
        ]
        html.element("nav", .class("choices"), .plain(.ariaLabel, "Kinds of changes")) { html in
            for (text, chosen) in choices {
                let words = chosen.map { (name: "kind", value: $0.rawValue) }
                let isHere = chosen.isEmpty ? selection.kinds.count == 4 : selection.kinds == Set(chosen)
                html.element("a", .href(link(words)), .plain(.ariaCurrent, isHere ? "true" : nil), text: text)
            }
        }
    }

    private func day(_ day: String, _ changes: [ItemChange], to html: inout HTMLWriter) {
        let isOfAll = name == nil
        html.element("section", .class("day")) { html in
            html.element("h2") { html in
                html.element("time", .plain(.datetime, day), text: DayName.text(day))
            }
            let feeds = Groups(changes, key: \.feed)
            for (feed, changes) in feeds.groups {
                let counts = recent.counts[.init(day: day, feed: feed)]
                html.element(isOfAll ? "h3" : "p", .class("of-feed")) { html in
                    if isOfAll {
                        html.element("a", .href(.own("changes", feed)), text: feed)
                        html.text(" ")
                    }
                    html.element("span", .class("count"), text: counts.map(Self.words) ?? "")
                }
                let rows = ChangeRows(shape: shapes[feed])
                rows.write(changes.prefix(Self.mostAtOnce), to: &html)
                let rest = changes.dropFirst(Self.mostAtOnce)
                guard !rest.isEmpty else { continue }
                html.element("details") { html in
                    html.element("summary", text: "Show \(NumberFormat.count(rest.count)) more")
                    rows.write(rest, to: &html)
                }
            }
        }
    }

    private static func words(_ counts: RecentChanges.Counts) -> String {
        NumberFormat.counts([
            (counts.inserted, "new"), (counts.updated, "changed"), (counts.removed, "removed"),
            (counts.returned, "back"),
        ]).joined(separator: ", ")
    }
}

/// Changes as rows.
struct ChangeRows {
    let shape: RowShape?
    /// False on the page of an item, which has its title already.
    var hasTitles = true

    func write(_ changes: some Sequence<ItemChange>, to html: inout HTMLWriter) {
        html.element("ol", .class("rows changes")) { html in
            for change in changes {
                html.element("li", .class("change"), .data(.seen, change.at)) { html in
                    html.element(
                        "span", .class("kind \(change.kind.rawValue)"),
                        text: change.kind == .returned ? "back" : change.kind.rawValue)
                    html.element("div", .class("what")) { html in
                        if hasTitles {
                            html.element(
                                "a", .class("title"), .href(.own("item", change.feed, query: [("key", change.key)])),
                                .plain(.dir, "auto"), text: title(of: change))
                        }
                        if change.kind == .changed { ChangedValues(change: change, shape: shape).write(to: &html) }
                    }
                    Shown.time(change.at, to: &html)
                }
            }
        }
    }

    private func title(of change: ItemChange) -> String {
        let json = change.title ?? ""
        guard case .text(let text) = StoredValue(ofJSON: json.isEmpty ? change.key : json), !text.isEmpty else {
            return Shown.key(change.key)
        }
        let isMarkup = shape?.rule.title.map { shape?.markup.contains($0) == true } ?? false
        return Shown.visible(isMarkup ? ForeignHTML.text(of: text, most: 200) : Shown.text(text, most: 200))
            ?? Shown.key(change.key)
    }
}

/// The columns of an item before and after a change.
private struct ChangedValues {
    let change: ItemChange
    let shape: RowShape?
    /// The most columns that are shown.
    private static let mostColumns = 12

    func write(to html: inout HTMLWriter) {
        let after = Dictionary(change.after.map { ($0.name, $0.json) }) { first, _ in first }
        html.element("ul", .class("values")) { html in
            for (name, json) in change.before.prefix(Self.mostColumns) {
                html.element("li") { html in
                    html.element("span", .class("name"), text: Shown.column(name))
                    html.text(" ")
                    html.element("del", .plain(.dir, "auto")) { value(json, of: name, to: &$0) }
                    html.element("span", .class("arrow"), .plain(.ariaHidden, "true"), text: " → ")
                    html.element("ins", .plain(.dir, "auto")) { value(after[name] ?? "null", of: name, to: &$0) }
                }
            }
            let rest = change.before.count - Self.mostColumns
            if rest > 0 { html.element("li", text: "and \(NumberFormat.count(rest, "column"))") }
        }
    }

    private func value(_ json: String, of name: String, to html: inout HTMLWriter) {
        let value = StoredValue(ofJSON: json)
        if shape?.markup.contains(name) == true, case .text(let text) = value {
            return html.text(ForeignHTML.text(of: text, most: 80))
        }
        // A change has no types, but `true` says that it is one.
        let type: ColumnType? = json == "true" || json == "false" ? .boolean : nil
        ValueText(most: 80, mostOfLink: 50, isLinked: false).write(value, type: type, to: &html)
    }
}

/// Values by a key, in the order of their first ones.
struct Groups<Key: Hashable, Value> {
    private(set) var groups: [(key: Key, values: [Value])] = []

    init(_ values: [Value], key: (Value) -> Key) {
        var places: [Key: Int] = [:]
        for value in values {
            let key = key(value)
            if let place = places[key] {
                groups[place].values.append(value)
            } else {
                places[key] = groups.count
                groups.append((key, [value]))
            }
        }
    }
}
