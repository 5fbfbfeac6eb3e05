internal import FeedSync
internal import HTTPServer
internal import Reports

extension Site {
    /// The most characters of a value that a page shows.
    private static let valueLength = 20_000

    /// One item: all its columns, when it came and changed, and its JSON if that is kept.
    func itemPage(
        _ name: String, _ served: Served, _ request: ServerRequest
    ) async throws(FeedSyncError) -> SharedAnswer {
        guard let feed = try await feed(name, served), let store = served.pages,
            let key = request.parameter("key")
        else { return notFound(request) }
        var query = ListingQuery(feed: name, limit: 1)
        (query.keys, query.wantsRaw, query.includesRemoved) = ([key], true, true)
        // First up to where events are known: what comes later is told.
        let event = try await store.events(last: 1).last?.id ?? 0
        let listing = try await store.listing(query)
        guard let item = listing.items.first else { return notFound(request) }
        let shape = try await self.shape(of: feed, in: store, served)
        let parents = try await self.parents(of: [item], of: feed, in: store, served)
        let lists = try await lists(of: item, in: name, served)
        let title = Shown.text(listing.text(shape.rule.title, of: item) ?? item.key, most: 300)
        let response = page("item", title: title) { html in
            html.element("article", .id("item"), .data(.feed, name), .data(.event, String(event))) { html in
                html.element("nav", .class("crumbs"), .plain(.ariaLabel, "Where this is")) { html in
                    html.element("a", .href(.own("list", name)), text: name)
                    if let parent = parents?.parent(of: item) {
                        html.text(" › ")
                        html.element("a", .href(parent.link)) { $0.element("bdi", text: parent.title) }
                    }
                    if let section = item.row.section {
                        html.text(" › ")
                        html.element("bdi", text: Shown.text(section, most: 120))
                    }
                }
                Self.picture(listing.text(shape.rule.picture, of: item), of: item.key, in: name, size: 96, to: &html)
                html.element("h1", .plain(.dir, "auto"), text: title)
                if let text = listing.text(shape.rule.text, of: item) {
                    html.element("p", .class("lead"), .plain(.dir, "auto"), text: Shown.text(text, most: 1_000))
                }
                if let link = listing.text(shape.rule.link, of: item).flatMap(Link.web) {
                    html.element("p") { html in
                        html.element(
                            "a", .class("button"), .href(link), .plain(.rel, "noreferrer noopener"),
                            .plain(.target, "_blank"), text: "Open on the web ↗")
                    }
                }
                for list in lists {
                    html.element("p") { html in
                        html.element("a", .href(.own("list", list.name)), text: FeedPart.feed(ofPart: list.name) ?? "")
                        html.text(" ")
                        html.element("span", .class("count"), text: NumberFormat.count(list.itemCount, "item"))
                    }
                }
                html.element("p", .class("hint")) { html in
                    html.text("Came ")
                    Shown.time(item.row.firstSeenAt, to: &html)
                    if item.row.changedAt != item.row.firstSeenAt {
                        html.text(", changed last ")
                        Shown.time(item.row.changedAt, to: &html)
                    }
                    if let removedAt = item.row.removedAt {
                        html.text(", gone from the server since ")
                        Shown.time(removedAt, to: &html)
                    }
                    html.text(".")
                }
                html.element("dl", .class("columns")) { html in
                    for (column, value) in zip(listing.columns, item.row.values) {
                        html.element("dt", text: column.name)
                        html.element("dd", .plain(.dir, "auto")) { self.value(value, to: &$0) }
                    }
                }
                if let raw = item.raw {
                    html.element("details") { html in
                        html.element("summary", text: "As it was received")
                        html.element("pre", .plain(.tabindex, "0"), text: Shown.text(raw, most: Self.valueLength))
                    }
                }
            }
        }
        return shown(response, request)
    }

    private func value(_ value: StoredValue, to html: inout HTMLWriter) {
        let text = value.description
        if case .null = value {
            html.element("span", .class("none"), text: "none")
        } else if let link = Link.web(text) {
            html.element(
                "a", .href(link), .plain(.rel, "noreferrer noopener"), .plain(.target, "_blank"),
                text: Shown.text(text, most: 300))
        } else {
            html.text(Shown.text(text, most: Self.valueLength))
        }
    }
}
