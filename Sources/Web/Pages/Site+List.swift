internal import FeedSync
internal import HTTPServer
internal import Reports
internal import Text

/// The list of a feed, as the engine tells it.
extension Site {
    /// How many stored items are shown at first, and each time that the end is reached.
    private static let pageSize = 100

    func listPage(
        _ name: String, _ served: Served, _ request: ServerRequest
    ) async throws(FeedSyncError) -> SharedAnswer {
        guard let feed = try await feed(name, served) else { return notFound(request) }
        // First up to where events are known: what comes later is told.
        let event = try await served.pages?.events(last: 1).last?.id ?? 0
        guard let state = try await StateRow.rows(of: [feed], in: served.pages).first else { return notFound(request) }
        let text = SearchText(request.parameter("q") ?? "")
        let found = text.isEmpty ? nil : try await self.found(text, in: feed, served, limit: Self.pageSize)
        var query = ListingQuery(feed: name, limit: Self.pageSize)
        query.after = request.parameter("after").flatMap(Place.init(text:))
        var listing = found?.listing ?? Listing()
        var shape = RowShape(feed.definition?.show, listing)
        if let store = served.pages {
            shape = try await self.shape(of: feed, in: store, served)
            query.columns = shape.columns
            if found == nil { listing = try await self.listing(query, of: store, served) }
        }
        let sections = try await served.pages?.sections(of: name) ?? []
        let items = found?.items.map(\.item) ?? listing.items
        let parents = try await self.parents(of: items, of: feed, in: served.pages, served)
        let rows = ItemRows(feed: name, shape: shape, listing: listing, sections: sections, parents: parents)
        let now = WallClock.system.text
        let response = page("list", title: name) { html in
            head(state, text: request.parameter("q") ?? "", to: &html)
            let next = listing.hasMore && found == nil ? listing.items.last?.place.text : nil
            html.element(
                "div", .id("list"), .data(.feed, name), .data(.event, String(event)), .data(.at, now),
                .data(.next, listing.items.last?.place.text), .data(.more, String(next != nil))
            ) { html in
                if let found {
                    rows.write(found, text, to: &html)
                } else {
                    rows.write(to: &html)
                }
            }
            if let found, found.items.isEmpty {
                html.element("p", .class("nothing"), text: "Nothing has these words.")
            } else if found == nil {
                foot(state, next: next, isEmpty: listing.items.isEmpty && query.after == nil, to: &html)
            }
        }
        // When it was made is no change: a browser that has it from earlier knows of nothing that came since.
        var lasting = response.body
        if let place = lasting.firstRange(of: now.utf8) { lasting.removeSubrange(place) }
        return finished(Responses.conditional(response, request, tag: Responses.tag(of: lasting)))
    }

    private func head(_ state: StateRow, text: String, to html: inout HTMLWriter) {
        let name = state.feed.name
        let count = state.feed.record?.itemCount ?? 0
        html.element("div", .class("bar")) { html in
            html.element("div", .class("heading")) { html in
                html.element("h1", text: name)
                html.element("p", .class("meta")) { html in
                    StateBadge.write(state, to: &html)
                    html.element("span", .id("total"), text: NumberFormat.count(count, "item"))
                }
            }
            if mayCommand(state.feed) {
                commandForm("reload", of: name, label: "Reload", to: &html)
            }
        }
        html.element("p", .id("why"), .class("why"), text: Shown.why(state))
        advice(state, to: &html)
        if count > 0 || !text.isEmpty {
            html.element(
                "form", .class("filter"), .plain(.role, "search"), .plain(.method, "get"), .action(.own("list", name))
            ) { html in
                html.element("label", .class("hidden-label"), .plain(.for, "filter"), text: "Filter \(name)")
                html.void(
                    "input", .id("filter"), .plain(.type, "search"), .plain(.name, "q"), .plain(.value, text),
                    .plain(.placeholder, "Filter \(NumberFormat.count(count, "item"))"),
                    .plain(.spellcheck, "false"), .plain(.enterkeyhint, "search"))
                html.element("noscript") { $0.element("button", .plain(.type, "submit"), text: "Filter") }
            }
        }
        if state.feed.definition?.search?.parameter != nil, !settings.isReadOnly {
            html.element("p", .class("hint")) { html in
                html.text("Not here? ")
                html.element("a", .href(.own("search", name)), text: "Search the server")
            }
        }
        html.element("div", .id("notice"), .class("notice"), .plain(.role, "alert"), .flag(.hidden)) { _ in }
        html.element("p", .id("said"), .class("said"), .plain(.role, "status"), .plain(.ariaLive, "polite")) { _ in }
        html.element(
            "div", .id("header-indicator"), .class("indicator"), .flag(.hidden, !isBusy(state, .beginHeader))
        ) { html in
            html.element("span", .class("spinner"), .plain(.ariaHidden, "true")) { _ in }
            html.element("span", text: "Loading…")
        }
        html.element("button", .id("pill"), .class("pill"), .plain(.type, "button"), .flag(.hidden)) { _ in }
    }

    /// What to do where the feed fails, and what the script says of failures to come.
    private func advice(_ state: StateRow, to html: inout HTMLWriter) {
        let name = state.feed.name
        let error = state.state == .running ? nil : state.feed.record?.error
        let text = error.flatMap { FailureAdvice.text($0.kind, of: name) }
        html.element(
            "p", .id("advice"), .class("hint"), .flag(.hidden, text == nil), text: text.map { "Try: \($0)" } ?? "")
        html.element("ul", .id("advices"), .flag(.hidden)) { html in
            for (kind, text) in FailureAdvice.all(of: name) { html.element("li", .data(.kind, kind), text: text) }
        }
    }

    private func foot(_ state: StateRow, next: String?, isEmpty: Bool, to html: inout HTMLWriter) {
        let name = state.feed.name
        let isLoaded = state.feed.record?.reloadedAtText != nil
        let isAtEnd = state.feed.record?.noMoreData ?? false
        if isEmpty {
            html.element("div", .class("empty"), .id("empty")) { html in
                html.element("p", text: isLoaded ? "The list is empty." : "Nothing is stored yet.")
                if !isLoaded {
                    let text =
                        mayCommand(state.feed)
                        ? "Reload fetches the first page." : "feedsync reload \(name) fetches the first page."
                    html.element("p", .class("hint"), text: text)
                }
            }
        }
        html.element("div", .id("foot"), .class("foot")) { html in
            if let next {
                html.element(
                    "a", .id("next"), .class("button"), .href(.own("list", name, query: [("after", next)])),
                    text: "Show more")
            }
            html.element(
                "div", .id("footer-indicator"), .class("indicator"), .flag(.hidden, !isBusy(state, .beginFooter))
            ) { html in
                html.element("span", .class("spinner"), .plain(.ariaHidden, "true")) { _ in }
                html.element("span", text: "Loading more…")
            }
            html.element("p", .id("end"), .class("end"), .flag(.hidden, !isAtEnd || next != nil), text: "That is all.")
            if mayCommand(state.feed) {
                html.element("div", .id("onward"), .flag(.hidden, next != nil || isAtEnd || !isLoaded)) { html in
                    commandForm("more", of: name, label: "Load more", to: &html)
                }
            }
        }
    }

    private func commandForm(_ command: String, of name: String, label: String, to html: inout HTMLWriter) {
        html.element(
            "form", .plain(.method, "post"), .action(.own("feeds", name, command)), .class("command"),
            .id("\(command)-form")
        ) { html in
            html.void("input", .plain(.type, "hidden"), .plain(.name, "token"), .plain(.value, door.pageToken))
            html.element("button", .plain(.type, "submit"), .id(command), text: label)
        }
    }

    private func mayCommand(_ feed: KnownFeed) -> Bool { !settings.isReadOnly && feed.definition != nil }

    /// Whether a run is at that; what a process left that has ended is not.
    private func isBusy(_ state: StateRow, _ status: RefreshStatus) -> Bool {
        state.state == .running && state.feed.record?.status == status
    }

    /// Further rows, or those that have the words of a text, for the script.
    func rowsFragment(
        _ name: String, _ served: Served, _ request: ServerRequest
    ) async throws(FeedSyncError) -> SharedAnswer {
        guard let feed = try await feed(name, served) else { return unknownFeed(name) }
        let limit = Self.limit(of: request)
        let text = SearchText(request.parameter("q") ?? "")
        let place = request.parameter("after").flatMap(Place.init(text:))
        return try await kept(request, served) { store async throws(FeedSyncError) in
            let found = text.isEmpty ? nil : try await self.found(text, in: feed, served, limit: limit)
            var query = ListingQuery(feed: name, limit: limit)
            query.after = place
            let shape = try await self.shape(of: feed, in: store, served)
            query.columns = shape.columns
            let listing = if let found { found.listing } else { try await self.listing(query, of: store, served) }
            let items = found?.items.map(\.item) ?? listing.items
            let rows = ItemRows(
                feed: name, shape: shape, listing: listing, sections: try await store.sections(of: name),
                parents: try await self.parents(of: items, of: feed, in: store, served))
            let total = try await store.feed(named: name)?.itemCount ?? 0
            var html = HTMLWriter()
            html.element(
                "div", .data(.next, listing.items.last?.place.text),
                .data(.more, String(listing.hasMore && found == nil)),
                .data(.at, WallClock.system.text)
            ) { html in
                if let found { rows.write(found, text, to: &html) } else { rows.write(to: &html) }
                html.element("p", .id("total"), text: NumberFormat.count(total, "item"))
            }
            return ServerResponse(
                headers: [(name: "Content-Type", value: "text/html; charset=utf-8")], body: html.bytes)
        }
    }

    /// How many items came since a time above a place: those that a reader further down has not seen.
    func newCount(
        _ name: String, _ served: Served, _ request: ServerRequest
    ) async throws(FeedSyncError) -> SharedAnswer {
        guard let store = served.pages, let place = request.parameter("before").flatMap(Place.init(text:)),
            let since = request.parameter("since"), since.utf8.count < 40
        else { return shown(Responses.json("{\"count\":0}"), request) }
        var query = ListingQuery(feed: name, limit: 0)
        query.newBefore = (place, since)
        return shown(Responses.json("{\"count\":\(try await store.count(query))}"), request)
    }
}
