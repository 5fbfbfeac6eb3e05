internal import FeedSync
internal import HTTPServer
internal import Reports

/// The page with the text field for a search of a feed's upstream.
struct SearchPage: Page {
    private let visit: Visit
    private let name: String
    private let host: String
    private let text: String
    /// The results; nil before a search.
    private let found: HTMLWriter?
    /// The name under which the search is to be kept, and the reason why it is not.
    private let keeping: (name: String, problem: String)?

    init?(
        _ name: String, _ visit: Visit, text: String, found: HTMLWriter? = nil,
        keeping: (name: String, problem: String)? = nil
    ) {
        guard let definition = UpstreamSearch(feed: name, visit: visit).definition else { return nil }
        host = definition.url.description.split(separator: "/").dropFirst().first.map(String.init) ?? "its server"
        (self.visit, self.name, self.text, self.found, self.keeping) = (visit, name, text, found, keeping)
    }

    var response: ServerResponse {
        visit.frame.page("search", title: "Search \(host)") { html in
            html.element("nav", .class("crumbs"), .plain(.ariaLabel, "Breadcrumbs")) { html in
                html.element("a", .href(.own("list", name)), text: name)
            }
            html.element("h1", text: "Search \(host)")
            html.element("p", .class("hint"), text: "The results come from there, and are not stored in \(name).")
            html.element(
                "form", .class("filter"), .plain(.role, "search"), .plain(.method, "post"),
                .action(.own("search", name)), .id("search-form")
            ) { html in
                visit.frame.writeToken(to: &html)
                html.element("label", .class("hidden-label"), .plain(.for, "search"), text: "Search \(host)")
                html.void(
                    "input", .id("search"), .plain(.type, "search"), .plain(.name, "q"), .plain(.value, text),
                    .plain(.placeholder, "Three letters or more"), .plain(.spellcheck, "false"), .flag(.autofocus),
                    .plain(.enterkeyhint, "search"))
                html.element("noscript") { $0.element("button", .plain(.type, "submit"), text: "Search") }
            }
            html.element("div", .id("notice"), .class("notice"), .plain(.role, "alert"), .flag(.hidden)) { _ in }
            html.indicator("header-indicator", "Searching…")
            if visit.mayAdd { keepForm(to: &html) }
            html.element("div", .id("list"), .data(.feed, name)) { html in if let found { html.add(found) } }
            html.element("div", .class("foot")) { html in
                html.element("button", .id("more"), .plain(.type, "button"), .flag(.hidden), text: "Load more")
            }
        }
    }

    /// Writes the form that turns a search into a feed.
    private func keepForm(to html: inout HTMLWriter) {
        html.element(
            "form", .id("keep-form"), .class("keep"), .plain(.method, "post"), .action(.own("search", name, "keep")),
            .flag(.hidden, found == nil && keeping == nil)
        ) { html in
            visit.frame.writeToken(to: &html)
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
}

/// A search of a feed's upstream.
struct UpstreamSearch {
    let feed: String
    let visit: Visit

    /// The definition of the feed; nil if the visitor cannot search its upstream.
    var definition: FeedDefinition? {
        guard let definition = visit.served.configuration?.feed(named: feed), definition.search?.parameter != nil,
            visit.mayChange
        else { return nil }
        return definition
    }

    /// Searches for the typed text. Returns rows for the script, or a whole page for browsers without scripts.
    func answer() async throws(FeedSyncError) -> SharedAnswer {
        guard let definition else { return visit.notFound() }
        let form = Doorkeeper.form(visit.request)
        let text = Self.text(of: form)
        let page = String((form["as"] ?? "").prefix(40))
        let number = form["number"].flatMap { Int($0) }
        switch try await visit.site.searches.outcome(text, in: definition, page: page, number: number) {
        case .found(let found, let store):
            return answer(try await rows(of: found, for: text, after: nil, of: store), text)
        case .failed(let error): throw error
        case .tooShort: return answer(HTMLWriter(), text)
        case .replaced: return .finished(.status(204))
        }
    }

    /// Requests the next page of the results.
    func more() async throws(FeedSyncError) -> SharedAnswer {
        guard let definition else { return visit.notFound() }
        let form = Doorkeeper.form(visit.request)
        let text = Self.text(of: form)
        guard let (found, store) = try await visit.site.searches.more(text, in: definition) else {
            return .problem(400, .rejected, "this was not searched for", advice: "search for it")
        }
        let place = form["after"].flatMap(Place.init(text:))
        return answer(try await rows(of: found, for: text, after: place, of: store), text)
    }

    private func answer(_ rows: HTMLWriter, _ text: String) -> SharedAnswer {
        guard visit.request.header("X-FeedSync-Token") != nil else {
            return visit.answer(SearchPage(feed, visit, text: text, found: rows))
        }
        return .finished(Responses.fragment(rows))
    }

    private static func text(of form: [String: String]) -> String { (form["q"] ?? "").prefix(200).trimmed }

    /// The results, in the upstream's order.
    private func rows(
        of found: FeedDefinition, for text: String, after place: Place?, of store: Store
    ) async throws(FeedSyncError) -> HTMLWriter {
        var query = ItemQuery(feed: found.name, limit: 200)
        query.textLimit = RowShape.textLimit
        query.after = place
        let listing = try await store.listing(query)
        let rows = ItemRows(
            feed: feed, shape: RowShape(found.show, listing), listing: listing,
            sections: try await store.sections(of: found.name), isStored: false, searched: text)
        let isAtEnd = try await store.feed(named: found.name)?.noMoreData ?? true
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
