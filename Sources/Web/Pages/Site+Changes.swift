internal import FeedSync
internal import HTTPServer
internal import Reports

/// The changes of feeds, the newest first: what is new, changed, removed and back, by day and by feed.
extension Site {
    /// The number of changes on a page.
    private static let changesOnPage = 150
    /// The number of changes of a feed in a day that are shown at once; the others are folded.
    private static let mostAtOnce = 15

    /// The changes of all feeds: a page for browsers, and JSON for programs.
    func changes(_ name: String?, _ served: Served, _ request: ServerRequest) async throws(FeedSyncError)
        -> SharedAnswer
    {
        Self.wantsPage(request)
            ? try await changesPage(nil, served, request) : try await changesDocument(nil, served, request)
    }

    func changesDocument(
        _ name: String?, _ served: Served, _ request: ServerRequest
    ) async throws(FeedSyncError) -> SharedAnswer {
        if let name, try await feed(name, served) == nil { return unknownFeed(name) }
        let limit = Self.limit(of: request)
        let recent = try await recentChanges(name, served, request, limit: limit).recent
        func link(_ place: [(name: String, value: String)]) -> Link {
            let words =
                [(name: "limit", value: String(limit))] + Self.kindWords(request) + place
                + request.kept("format", "total")
            return name.map { .feed($0, "changes", query: words) } ?? .own("changes", query: words)
        }
        let links = Responses.links(
            next: recent.next.map { link([(name: "before", value: $0.text)]) },
            first: request.parameter("before").map { _ in link([]) })
        var headers = [(name: "Vary", value: "Accept")] + links
        if request.wantsTotal, let store = served.search {
            let names = if let name { [name] } else { try await served.feeds().map(\.name) }
            let count = try await store.changeCount(names.map { ChangeQuery(feed: $0) }, kinds: Self.kinds(request))
            headers.append((Responses.totalHeader, String(count)))
        }
        return shown(Responses.list(recent.changes.map(\.result), for: request, headers: headers), request)
    }

    func changesPage(
        _ name: String?, _ served: Served, _ request: ServerRequest
    ) async throws(FeedSyncError) -> SharedAnswer {
        let known = if let name { try await feed(name, served) } else { nil as KnownFeed? }
        guard name == nil || known != nil else { return notFound(request) }
        // The events are read first: later ones are published to the page.
        let event = try await served.pages?.events(last: 1).last?.id ?? 0
        let (recent, shapes) = try await recentChanges(name, served, request, limit: Self.changesOnPage)
        let kinds = Self.kinds(request)
        let days = if let name { try await served.search?.days(of: name) ?? [] } else { [DayFigures]() }
        let series = DaySeries(days, itemCount: known?.record?.itemCount ?? 0)
        var response = page("changes", title: name.map { "Changes of \($0)" } ?? "Changes") { html in
            html.element("div", .class("bar")) { html in html.element("h1", text: name ?? "Changes") }
            if let known { FeedTabs.write(known, here: .changes, to: &html) }
            kindLinks(kinds, of: name, to: &html)
            html.element("div", .id("changes"), .data(.feed, name), .data(.event, String(event))) { html in
                if !series.days.isEmpty {
                    html.element("div", .class("charts")) { html in
                        for chart in series.itemCharts { chart.write(to: &html) }
                    }
                }
                if recent.changes.isEmpty { html.element("p", .class("nothing"), text: "Nothing has changed.") }
                let days = Groups(recent.changes) { String($0.at.prefix(10)) }
                for (day, changes) in days.groups {
                    self.day(day, changes, recent, shapes, isOfAll: name == nil, to: &html)
                }
                html.element("p", .class("pages")) { html in
                    guard let next = recent.next else { return }
                    let words = Self.kindWords(request) + [(name: "before", value: next.text)]
                    let link = name.map { Link.own("changes", $0, query: words) } ?? .own("changes", query: words)
                    html.element("a", .class("button"), .href(link), .plain(.rel, "next"), text: "Older changes")
                }
            }
        }
        response.headers.append(("Vary", "Accept"))
        return shown(response, request)
    }

    private static func kinds(_ request: ServerRequest) -> Set<ItemChange.Kind> {
        let kinds = Set(request.query.filter { $0.name == "kind" }.compactMap { ItemChange.Kind(rawValue: $0.value) })
        return kinds.isEmpty ? [.new, .changed, .removed, .returned] : kinds
    }

    private static func kindWords(_ request: ServerRequest) -> [(name: String, value: String)] {
        request.query.filter { $0.name == "kind" && ItemChange.Kind(rawValue: $0.value) != nil }.prefix(4).map { $0 }
    }

    private func recentChanges(
        _ name: String?, _ served: Served, _ request: ServerRequest, limit: Int
    ) async throws(FeedSyncError) -> (recent: RecentChanges, shapes: [String: RowShape]) {
        guard let store = served.search else { return (RecentChanges(), [:]) }
        let feeds = if let name { [try await feed(name, served)].compactMap(\.self) } else { try await served.feeds() }
        var queries: [ChangeQuery] = []
        var shapes: [String: RowShape] = [:]
        for feed in feeds where feed.record != nil {
            let shape = try await self.shape(of: feed, in: store, served)
            var query = ChangeQuery(feed: feed.name)
            query.title = shape.rule.title
            queries.append(query)
            shapes[feed.name] = shape
        }
        let before = request.parameter("before").flatMap(ChangeMoment.init(text:))
        let recent = try await store.recentChanges(queries, kinds: Self.kinds(request), before: before, limit: limit)
        return (recent, shapes)
    }

    private func kindLinks(_ kinds: Set<ItemChange.Kind>, of name: String?, to html: inout HTMLWriter) {
        let choices: [(String, [ItemChange.Kind])] = [
            ("All", []), ("New", [.new]), ("Changed", [.changed]), ("Removed", [.removed]), ("Back", [.returned]),
        ]
        html.element("nav", .class("choices"), .plain(.ariaLabel, "Kinds of changes")) { html in
            for (text, chosen) in choices {
                let words = chosen.map { (name: "kind", value: $0.rawValue) }
                let link = name.map { Link.own("changes", $0, query: words) } ?? .own("changes", query: words)
                if chosen.isEmpty ? kinds.count == 4 : kinds == Set(chosen) {
                    html.element("a", .href(link), .plain(.ariaCurrent, "true"), text: text)
                } else {
                    html.element("a", .href(link), text: text)
                }
            }
        }
    }

    private func day(
        _ day: String, _ changes: [ItemChange], _ recent: RecentChanges, _ shapes: [String: RowShape], isOfAll: Bool,
        to html: inout HTMLWriter
    ) {
        html.element("section", .class("day")) { html in
            html.element("h2") { html in
                html.element("time", .plain(.datetime, day), text: DayName.text(day))
            }
            let feeds = Groups(changes, key: \.feed)
            for (feed, changes) in feeds.groups {
                let figures = recent.figures[.init(day: day, feed: feed)]
                html.element(isOfAll ? "h3" : "p", .class("of-feed")) { html in
                    if isOfAll {
                        html.element("a", .href(.own("changes", feed)), text: feed)
                        html.text(" ")
                    }
                    html.element("span", .class("count"), text: figures.map(Self.words) ?? "")
                }
                let rows = ChangeRows(shape: shapes[feed])
                rows.write(changes.prefix(Self.mostAtOnce), to: &html)
                let rest = changes.dropFirst(Self.mostAtOnce)
                guard !rest.isEmpty else { continue }
                html.element("details") { html in
                    html.element("summary", text: "\(NumberFormat.count(rest.count)) more of \(feed)")
                    rows.write(rest, to: &html)
                }
            }
        }
    }

    private static func words(_ figures: RecentChanges.Figures) -> String {
        [
            (figures.inserted, "new"), (figures.updated, "changed"), (figures.removed, "removed"),
            (figures.returned, "back"),
        ]
        .filter { $0.0 > 0 }.map { "\(NumberFormat.count($0.0)) \($0.1)" }.joined(separator: ", ")
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
                        if change.kind == .changed { ChangedValues(change, shape).write(to: &html) }
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
struct ChangedValues {
    private let change: ItemChange
    private let shape: RowShape?
    /// The most columns that are shown.
    private static let mostColumns = 12

    init(_ change: ItemChange, _ shape: RowShape?) {
        (self.change, self.shape) = (change, shape)
    }

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

extension ChangeMoment {
    /// The place in the form that requests use.
    var text: String { "\(at)~\(count)" }

    /// The form of it, for the API's description too.
    static let pattern = #"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z~[0-9]{1,7}$"#

    init?(text: String) {
        let bytes = Array(text.utf8)
        // In the order of texts, what is no day at all stands between two days.
        guard (26...32).contains(bytes.count),
            zip("0000-00-00T00:00:00.000Z~".utf8, bytes).allSatisfy({ form, byte in
                form == UInt8(ascii: "0") ? (0x30...0x39).contains(byte) : form == byte
            }),
            let count = Int(text.suffix(bytes.count - 25)), bytes[25...].allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        self.init(at: String(text.prefix(24)), count: count)
    }
}
