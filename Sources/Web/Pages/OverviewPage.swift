internal import FeedSync
internal import HTTPServer
internal import Reports

/// The page of all feeds, with their states.
struct OverviewPage: Page {
    private let visit: Visit
    /// The last event before the page was made.
    private let event: Int
    private let feeds: [StateRow]
    private var days: [String: DaySeries] = [:]
    private var lastChanges: [String: String] = [:]

    init(_ visit: Visit) async throws(FeedSyncError) {
        self.visit = visit
        let served = visit.served
        event = try await served.newestEvent()
        feeds = try await StateRow.rows(of: try await served.feeds(), in: served.pages).urgentFirst
        for feed in feeds {
            lastChanges[feed.feed.name] = try await served.pages?.lastChange(of: feed.feed.name)
            let known = try await served.pages?.days(of: feed.feed.name, last: Self.days) ?? []
            days[feed.feed.name] = DaySeries(known, itemCount: feed.feed.record?.itemCount ?? 0, last: Self.days)
        }
    }

    var response: ServerResponse {
        visit.frame.page("overview", title: "Feeds") { html in
            html.element("div", .id("overview"), .class("bar"), .data(.event, String(event))) { html in
                html.element("div", .class("heading")) { html in
                    html.element("h1", text: "Feeds")
                    if !feeds.isEmpty { html.element("p", .class("meta"), text: feeds.summary) }
                }
                if visit.mayAdd, !feeds.isEmpty {
                    html.element("a", .class("button"), .href(.own("add")), text: "Add a feed")
                }
            }
            ConfigurationNotice.write(visit.served.problem, to: &html)
            if let removed = visit.request.parameter("removed"), visit.site.removals.undo(of: removed) != nil,
                visit.mayAdd
            {
                html.element("div", .class("removed")) { html in
                    html.element("p", text: "\(removed) was removed. Its items stay in the store.")
                    visit.frame.restoring(removed, to: &html)
                }
            }
            guard !feeds.isEmpty else { return beginning(to: &html) }
            if feeds.count >= Self.manyFeeds { nameFilter(to: &html) }
            html.element("div", .class("all-feeds")) { html in
                for (name, members) in Self.groups(feeds) {
                    if let name { html.element("h2", text: name) }
                    html.element("ul", .class("feeds")) { html in for feed in members { row(feed, to: &html) } }
                }
            }
        }
    }

    /// The days of a row's bar.
    private static let days = 14
    /// From this number of feeds on, they are filtered and grouped.
    private static let manyFeeds = 8

    private func nameFilter(to html: inout HTMLWriter) {
        html.element("form", .id("filter-form"), .class("filter"), .plain(.role, "search"), .flag(.hidden)) { html in
            html.element("label", .class("hidden-label"), .plain(.for, "filter"), text: "Filter the feeds by name")
            html.void(
                "input", .id("filter"), .plain(.type, "search"), .plain(.placeholder, "Filter the feeds"),
                .plain(.autocomplete, "off"), .plain(.spellcheck, "false"))
        }
    }

    /// Feeds by their model or host, where there are many; those that need attention come before all groups.
    private static func groups(_ feeds: [StateRow]) -> [(name: String?, feeds: [StateRow])] {
        guard feeds.count >= manyFeeds else { return [(nil, feeds)] }
        let grouped = Groups(feeds) { feed -> String? in
            if ["failing", "limited"].contains(feed.word(feed.stateAtRest)) { return nil }
            let url = feed.feed.definition?.url.description ?? feed.feed.record?.url ?? ""
            return feed.feed.record?.model ?? url.split(separator: "/").dropFirst().first.map(String.init) ?? "Others"
        }
        let groups = grouped.groups.map { (name: $0.key, feeds: $0.values) }
        // A heading over each feed says nothing.
        guard groups.count < feeds.count else { return [(nil, feeds)] }
        let named = groups.filter { $0.name != nil && $0.feeds.count > 1 }.sorted { ($0.name ?? "") < ($1.name ?? "") }
        let others = groups.filter { $0.name != nil && $0.feeds.count == 1 }.flatMap(\.feeds)
        return groups.filter { $0.name == nil } + named + (others.isEmpty ? [] : [("Others", others)])
    }

    private func row(_ feed: StateRow, to html: inout HTMLWriter) {
        html.element("li", .data(.feed, feed.feed.name)) { html in
            html.element("a", .class("feed"), .href(.own("list", feed.feed.name))) { html in
                html.element("span", .class("name"), text: feed.feed.name)
                html.element("span", .class("bars")) { days[feed.feed.name]?.writeBars(to: &$0) }
                html.element(
                    "span", .class("count"), text: NumberFormat.count(feed.feed.record?.itemCount ?? 0, "item"))
                StateBadge.write(feed, to: &html)
                html.element("span", .class("why")) { html in
                    Shown.why(feed, to: &html)
                    if let changedAt = lastChanges[feed.feed.name] {
                        html.text(" Changed ")
                        Shown.time(changedAt, to: &html)
                        html.text(".")
                    }
                    if feed.plan?.isPaused == true { html.text(" Paused.") }
                }
            }
        }
    }

    private func beginning(to html: inout HTMLWriter) {
        html.element("div", .class("empty")) { html in
            html.element("p", text: "There is no feed yet.")
            if visit.mayAdd {
                html.element("p") { $0.element("a", .class("button"), .href(.own("add")), text: "Add the first feed") }
            }
            if visit.mayAdd, DemoUpstream(visit.site).url != nil {
                html.element("form", .class("command"), .plain(.method, "post"), .action(.own("add", "demo"))) { html in
                    visit.frame.writeToken(to: &html)
                    html.element("button", .plain(.type, "submit"), text: "Add the demo's feeds")
                    html.element("p", .class("hint"), text: "Made-up lists, served by this program.")
                }
            }
            html.element("p", .class("hint"), text: "Feeds that are added in a shell show here at once:")
            html.element(
                "pre", .plain(.tabindex, "0"),
                text:
                    "feedsync add swift-repos github.search 'q=language:swift stars:>=2000'\nfeedsync add things https://api.example.com/things"
            )
        }
    }
}

/// A notice of the mistake in the present configuration.
enum ConfigurationNotice {
    /// Writes the place of the notice, which a script renews with the page.
    ///
    /// - Parameter lines: Nil if the configuration can be used; then the place is empty.
    static func write(_ lines: [String]?, to html: inout HTMLWriter) {
        html.element("div", .class("mistake")) { html in
            guard let lines else { return }
            html.element("div", .class("notice"), .plain(.role, "alert")) { html in
                html.element("p", text: "The configuration has a mistake; what is shown is as it was before.")
                for line in lines.prefix(5) { html.element("p", .class("why"), text: Shown.text(line, most: 300)) }
            }
        }
    }
}

/// A feed's state as a word with a colour.
enum StateBadge {
    static func write(_ feed: StateRow, to html: inout HTMLWriter) {
        let kind = feed.isRemoved ? "removed" : feed.state.word
        html.element("span", .class("state \(kind)"), text: feed.word(feed.state))
    }
}

extension StateRow {
    /// True if its items are stored, but the configuration has it no more.
    var isRemoved: Bool { feed.definition == nil && FeedPart.feed(ofPart: feed.name) == nil }

    /// A state's word on pages, where `loading` would be taken for what goes on at this moment.
    fileprivate func word(_ state: MirrorState) -> String {
        if isRemoved { return "removed" }
        return if case .loading = state { "partly loaded" } else { state.word }
    }
}

extension [StateRow] {
    private static var order: [String] {
        ["failing", "limited", "running", "partly loaded", "new", "incomplete", "stale", "fresh", "removed"]
    }

    /// Failing feeds first, then those that load; otherwise in their order. A run under way moves none.
    var urgentFirst: [StateRow] { Self.order.flatMap { word in filter { $0.word($0.stateAtRest) == word } } }

    /// `2 failing, 12 fresh`.
    var summary: String {
        Self.order.compactMap { word in
            let count = self.count { $0.word($0.state) == word }
            return count == 0 ? nil : "\(NumberFormat.count(count)) \(word)"
        }.joined(separator: ", ")
    }
}
