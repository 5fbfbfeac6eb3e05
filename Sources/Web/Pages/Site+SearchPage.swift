internal import FeedSync
internal import HTTPServer
internal import Reports

/// Searches of a feed's upstream.
extension Site {
    /// The page with the text field for a search of the upstream.
    func searchPage(
        _ name: String, _ served: Served, _ request: ServerRequest, text: String = "", found: HTMLWriter? = nil,
        keeping: (name: String, problem: String)? = nil
    ) -> SharedAnswer {
        guard let definition = served.configuration?.feed(named: name), definition.search?.parameter != nil,
            mayChange
        else { return notFound(request) }
        let host = definition.url.description.split(separator: "/").dropFirst().first.map(String.init) ?? "its server"
        let response = page("search", title: "Search \(host)") { html in
            html.element("nav", .class("crumbs"), .plain(.ariaLabel, "Breadcrumbs")) { html in
                html.element("a", .href(.own("list", name)), text: name)
            }
            html.element("h1", text: "Search \(host)")
            html.element("p", .class("hint"), text: "The results come from there, and are not stored in \(name).")
            html.element(
                "form", .class("filter"), .plain(.role, "search"), .plain(.method, "post"),
                .action(.own("search", name)), .id("search-form")
            ) { html in
                writeToken(to: &html)
                html.element("label", .class("hidden-label"), .plain(.for, "search"), text: "Search \(host)")
                html.void(
                    "input", .id("search"), .plain(.type, "search"), .plain(.name, "q"), .plain(.value, text),
                    .plain(.placeholder, "Three letters or more"), .plain(.spellcheck, "false"), .flag(.autofocus),
                    .plain(.enterkeyhint, "search"))
                html.element("noscript") { $0.element("button", .plain(.type, "submit"), text: "Search") }
            }
            html.element("div", .id("notice"), .class("notice"), .plain(.role, "alert"), .flag(.hidden)) { _ in }
            html.element("div", .id("header-indicator"), .class("indicator"), .flag(.hidden)) { html in
                html.element("span", .class("spinner"), .plain(.ariaHidden, "true")) { _ in }
                html.element("span", text: "Searching…")
            }
            if mayAdd { keepForm(of: name, text, keeping, isShown: found != nil || keeping != nil, to: &html) }
            html.element("div", .id("list"), .data(.feed, name)) { html in if let found { html.add(found) } }
            html.element("div", .class("foot")) { html in
                html.element("button", .id("more"), .plain(.type, "button"), .flag(.hidden), text: "Load more")
            }
        }
        return request.method == "POST" ? finished(response) : shown(response, request)
    }

    /// Writes the form that turns a search into a feed.
    private func keepForm(
        of feed: String, _ text: String, _ keeping: (name: String, problem: String)?, isShown: Bool,
        to html: inout HTMLWriter
    ) {
        html.element(
            "form", .id("keep-form"), .class("keep"), .plain(.method, "post"), .action(.own("search", feed, "keep")),
            .flag(.hidden, !isShown)
        ) { html in
            writeToken(to: &html)
            html.void("input", .plain(.type, "hidden"), .plain(.name, "q"), .plain(.value, text))
            html.element("label", .plain(.for, "keep-name"), text: "Name")
            html.void(
                "input", .id("keep-name"), .plain(.name, "name"), .plain(.value, keeping?.name ?? ""),
                .plain(.spellcheck, "false"), .plain(.autocomplete, "off"), .plain(.ariaDescribedby, "keep-problem"))
            html.element("button", .id("keep"), .plain(.type, "submit"), text: "Keep as a feed")
            html.element(
                "p", .id("keep-problem"), .class("wrong"), .plain(.ariaLive, "polite"), text: keeping?.problem ?? "")
        }
    }

    /// Searches for the typed text. Returns rows for the script, or a whole page for browsers without scripts.
    func search(_ name: String, _ request: ServerRequest, isMore: Bool) async throws(FeedSyncError) -> SharedAnswer {
        let served = await shelf.served
        guard let definition = served.configuration?.feed(named: name), definition.search?.parameter != nil,
            mayChange
        else { return notFound(request) }
        let form = Doorkeeper.form(request)
        let text = Self.trimmed(String((form["q"] ?? "").prefix(200)))
        let isScript = request.header("X-FeedSync-Token") != nil
        let html: HTMLWriter
        if isMore {
            guard let (feed, store) = try await searches.more(text, in: definition) else {
                return finished(Responses.problem(400, .rejected, "this was not searched for", advice: "search for it"))
            }
            html = try await rows(
                of: feed, for: text, in: name, after: form["after"].flatMap(Place.init(text:)), of: store)
        } else {
            let page = String((form["as"] ?? "").prefix(40))
            let number = form["number"].flatMap { Int($0) }
            switch try await searches.outcome(text, in: definition, page: page, number: number) {
            case .found(let feed, let store):
                html = try await rows(of: feed, for: text, in: name, after: nil, of: store)
            case .failed(let error): throw error
            case .tooShort: html = HTMLWriter()
            case .replaced: return finished(.status(204))
            }
        }
        guard isScript else { return searchPage(name, served, request, text: text, found: html) }
        return finished(
            ServerResponse(headers: [(name: "Content-Type", value: "text/html; charset=utf-8")], body: html.bytes))
    }

    /// A text without the spaces around it.
    private static func trimmed(_ text: String) -> String {
        guard let last = text.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(text[...last].drop { $0.isWhitespace })
    }

    /// The results, in the upstream's order.
    private func rows(
        of feed: FeedDefinition, for text: String, in name: String, after place: Place?, of store: Store
    ) async throws(FeedSyncError) -> HTMLWriter {
        var query = ListingQuery(feed: feed.name, limit: 200)
        query.textLimit = RowShape.textLimit
        query.after = place
        let listing = try await store.listing(query)
        let rows = ItemRows(
            feed: name, shape: RowShape(feed.show, listing), listing: listing,
            sections: try await store.sections(of: feed.name), isStored: false, searched: text)
        let isAtEnd = try await store.feed(named: feed.name)?.noMoreData ?? true
        var html = HTMLWriter()
        html.element("div", .data(.next, listing.items.last?.place.text), .data(.more, String(!isAtEnd))) { html in
            rows.write(to: &html)
            if listing.items.isEmpty, place == nil {
                html.element("p", .class("nothing"), text: "Nothing was found.")
            }
        }
        return html
    }
}
