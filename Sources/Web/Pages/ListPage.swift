internal import FeedSync
internal import HTTPServer
internal import Reports
internal import Text

/// The list of a feed, with the state that its engine reports.
struct ListPage: Page {
    private let visit: Visit
    private let state: FeedStateView
    private let part: ListPart
    /// The last event before the page was made.
    private let event: Int

    /// The number of stored items that are shown at first, and added each time the end is reached.
    private static let pageSize = 100

    init?(_ name: String, _ visit: Visit) async throws(FeedSyncError) {
        let served = visit.served
        guard let feed = try await served.feed(named: name) else { return nil }
        event = try await served.newestEvent()
        guard let state = try await FeedStateView(feed, visit) else { return nil }
        part = try await ListPart(of: feed, visit.request, limit: Self.pageSize, served)
        (self.visit, self.state) = (visit, state)
    }

    private var row: StateRow { state.row }
    private var name: String { row.feed.name }

    var response: ServerResponse {
        visit.frame.page("list", title: name) { html in
            head(text: visit.request.parameter("q") ?? "", to: &html)
            part.write(to: &html, event: event)
            foot(to: &html)
        }
    }

    /// The state of a feed as on its list, for the script.
    static func state(of name: String, _ visit: Visit) async throws(FeedSyncError) -> SharedAnswer {
        guard let feed = try await visit.served.feed(named: name), let state = try await FeedStateView(feed, visit)
        else { return visit.unknownFeed(name) }
        var html = HTMLWriter()
        state.write(to: &html)
        return visit.shown(Responses.fragment(html))
    }

    /// Rows of a list, or the rows with the words of a text, for the script.
    static func rows(of name: String, _ visit: Visit) async throws(FeedSyncError) -> SharedAnswer {
        guard let feed = try await visit.served.feed(named: name) else { return visit.unknownFeed(name) }
        return try await visit.kept { _ async throws(FeedSyncError) in
            let part = try await ListPart(of: feed, visit.request, limit: visit.request.limit, visit.served)
            var html = HTMLWriter()
            part.write(to: &html)
            return Responses.fragment(html)
        }
    }

    private func head(text: String, to html: inout HTMLWriter) {
        html.element("div", .class("bar")) { html in
            html.element("div", .class("heading")) { html in
                html.element("h1", text: name)
                state.write(to: &html)
            }
            if state.isOffered {
                visit.frame.commandForm("sync", of: name, label: "Sync", to: &html)
                visit.frame.commandForm("reload", of: name, label: "Reload", to: &html)
            }
        }
        let isEmpty = row.feed.record?.itemCount ?? 0 == 0 && text.isEmpty
        FeedTabs.write(row.feed, here: .list, to: &html)
        html.element(
            "form", .id("filter-form"), .class("filter"), .plain(.role, "search"), .plain(.method, "get"),
            .action(.own("list", name)), .flag(.hidden, isEmpty)
        ) { html in
            html.element("label", .class("hidden-label"), .plain(.for, "filter"), text: "Filter \(name)")
            html.void(
                "input", .id("filter"), .plain(.type, "search"), .plain(.name, "q"), .plain(.value, text),
                .plain(.placeholder, "Filter"), .plain(.autocomplete, "off"), .plain(.spellcheck, "false"),
                .plain(.enterkeyhint, "search"))
            html.element("span", .id("filter-indicator"), .class("spinner"), .flag(.hidden)) { _ in }
            html.element("noscript") { $0.element("button", .plain(.type, "submit"), text: "Filter") }
        }
        if row.feed.definition?.search?.parameter != nil, visit.mayChange {
            html.element("p", .class("hint")) { html in
                html.text("Not here? ")
                html.element("a", .href(.own("search", name)), text: "Search the server")
            }
        }
        html.element("div", .id("notice"), .class("notice"), .plain(.role, "alert"), .flag(.hidden)) { _ in }
        html.indicator("header-indicator", "Loading…", isHidden: !state.isBusy(.beginHeader))
        html.element("button", .id("pill"), .class("pill"), .plain(.type, "button"), .flag(.hidden)) { _ in }
    }

    /// Writes the elements below the rows. The script shows those that match its state.
    private func foot(to html: inout HTMLWriter) {
        let isLoaded = row.feed.record?.reloadedAtText != nil
        let isAtEnd = row.feed.record?.noMoreData ?? false
        let isEmpty = part.isEmpty && part.text.isEmpty && part.start == nil
        html.element("p", .id("nothing"), .class("nothing"), .flag(.hidden, !part.isEmpty || part.text.isEmpty)) {
            $0.text("No item has these words.")
        }
        html.element("div", .class("empty"), .id("empty"), .flag(.hidden, !isEmpty)) { html in
            html.element("p", .id("empty-loaded"), .flag(.hidden, !isLoaded), text: "The list is empty.")
            html.element("div", .id("empty-new"), .flag(.hidden, isLoaded)) { html in
                html.element("p", text: "Nothing is stored yet.")
                html.element(
                    "p", .class("hint"),
                    text: state.isOffered ? "Reload fetches the first page." : "The next sync stores the first page.")
            }
        }
        html.element("div", .id("foot"), .class("foot")) { html in
            let words = part.text.isEmpty ? [] : [(name: "q", value: part.typed), (name: "order", value: "place")]
            let onward = part.next.map { [(name: "after", value: $0)] } ?? []
            html.element(
                "a", .id("next"), .class("button"), .href(.own("list", name, query: words + onward)),
                .flag(.hidden, !part.hasMore), text: "Show more")
            html.indicator("footer-indicator", "Loading more…", isHidden: !state.isBusy(.beginFooter))
            html.element(
                "p", .id("end"), .class("end"), .flag(.hidden, !isAtEnd || part.hasMore || isEmpty),
                text: "The list ends here.")
            if part.start != nil {
                html.element("p") { $0.element("a", .href(.own("list", name)), text: "Back to the top of the list") }
            }
            if state.isOffered {
                let isOffered = isLoaded && !isAtEnd && !part.hasMore && part.text.isEmpty
                html.element("div", .id("onward"), .flag(.hidden, !isOffered)) { html in
                    visit.frame.commandForm("more", of: name, label: "Load more", to: &html)
                }
            }
        }
    }
}

/// The state of a feed with its reason, its number of items and, while it fails, advice.
private struct FeedStateView: Sendable {
    let row: StateRow
    /// True if the visitor may send commands to the feed.
    let isOffered: Bool
    /// True while a run is on the lists of a feed that has one for each row of another, and no status of its own.
    private let isOnLists: Bool
    private let frame: PageFrame

    init?(_ feed: KnownFeed, _ visit: Visit) async throws(FeedSyncError) {
        guard let row = try await StateRow.rows(of: [feed], in: visit.served.pages).first else { return nil }
        (self.row, isOffered, frame) = (row, visit.mayCommand(feed), visit.frame)
        // The run's end is stored before the lock is let go.
        let hasLists = feed.definition?.forEach != nil
        isOnLists = hasLists ? try await visit.served.pages?.hasOpenRun(feed.name) ?? false : false
    }

    func write(to html: inout HTMLWriter) {
        let record = row.feed.record
        let hasProblem = !row.isRemoved && (row.problem != nil || row.retry != nil)
        html.element(
            "div", .id("state"), .data(.header, String(isBusy(.beginHeader))),
            .data(.footer, String(isBusy(.beginFooter))), .data(.end, String(record?.noMoreData ?? false)),
            .data(.loaded, String(record?.reloadedAtText != nil)), .data(.total, String(record?.itemCount ?? 0)),
            .data(.commands, isOffered ? "true" : nil)
        ) { html in
            html.element("p", .class("meta")) { html in
                StateBadge.write(row, to: &html)
                html.element("span", .id("total"), text: NumberFormat.count(record?.itemCount ?? 0, "item"))
            }
            html.element("div", .id("why"), .class(hasProblem ? "why failure" : "why")) { html in
                html.element("p") { Shown.why(row, to: &$0) }
                guard hasProblem else { return }
                if let advice = row.problem.flatMap({ FailureAdvice.text($0, of: row.feed.definition) }) {
                    html.element("p", .id("advice"), .class("hint"), text: "Try: \(advice)")
                }
                if isOffered, let command = row.retry {
                    frame.commandForm(command, id: "retry", of: row.feed.name, label: "Retry", to: &html)
                }
            }
        }
    }

    /// True if a running command has this status. The status that a dead process left does not count.
    func isBusy(_ status: RefreshStatus) -> Bool {
        row.state == .running && (row.feed.record?.status == status || isOnLists && status == .beginHeader)
    }
}

/// A part of a list: its rows from a place on, or the rows with the words of a text.
private struct ListPart: Sendable {
    /// The text as typed, and its words.
    let typed: String
    let text: SearchText
    /// The place after which it begins; nil at the top.
    let start: String?
    /// The place of its last row.
    let next: String?
    /// True if more rows follow.
    let hasMore: Bool
    /// The number of all items.
    private let total: Int
    private let rows: ItemRows
    /// The items found by their words; nil for all items.
    private let found: FoundItems?

    var isEmpty: Bool { found?.items.isEmpty ?? rows.listing.items.isEmpty }

    /// Reads the rows that a request wants with `q`, `order` and `after`.
    init(
        of feed: KnownFeed, _ request: ServerRequest, limit: Int, _ served: Served
    ) async throws(FeedSyncError) {
        typed = String((request.parameter("q") ?? "").prefix(200))
        text = SearchText(typed)
        start = request.parameter("after")
        var query = ItemQuery(feed: feed.name, limit: limit)
        query.textLimit = RowShape.textLimit
        query.after = start.flatMap(Place.init(text:))
        var listing = Listing()
        var found: FoundItems?
        var shape = RowShape(feed.definition?.show, listing)
        var total = 0
        if let store = served.pages {
            shape = try await served.shape(of: feed, in: store)
            query.columns = shape.columns
            if text.isEmpty {
                listing = try await served.listing(query, of: store)
                total = try await store.feed(named: feed.name)?.itemCount ?? 0
            } else {
                let isRanked = query.after == nil && request.parameter("order") != "place"
                (found, total) = try await FeedSearch(text, in: feed, served).found(like: query, isRanked: isRanked)
                listing = found?.listing ?? listing
            }
        }
        let items = found?.items.map(\.item) ?? listing.items
        self.found = found
        self.total = total
        next = listing.items.last?.place.text
        hasMore = found.map { $0.isRanked ? $0.items.count < total : listing.hasMore } ?? listing.hasMore
        rows = ItemRows(
            feed: feed.name, shape: shape, listing: listing,
            sections: try await served.pages?.sections(of: feed.name) ?? [],
            parents: try await ItemParents(of: items, of: feed, in: served.pages, served))
    }

    func write(to html: inout HTMLWriter, event: Int? = nil) {
        html.element(
            "div", .id("list"), .data(.feed, rows.feed), .data(.event, event.map(String.init)), .data(.start, start),
            .data(.next, next), .data(.more, String(hasMore)), .data(.total, String(total))
        ) { html in
            if let found { rows.write(found, text, to: &html) } else { rows.write(to: &html) }
        }
    }
}
