internal import FeedSync
internal import HTTPServer
internal import Reports

/// The page of one item: all its columns, its times, and its JSON if that is kept.
struct ItemPage: Page {
    private let visit: Visit
    private let feed: KnownFeed
    /// The item, in a listing with all its columns.
    private let item: Listing.Item
    private let listing: Listing
    private let shape: RowShape
    private let title: String
    private let body: (column: String, text: String)?
    private let parents: ItemParents?
    /// The lists of other feeds that belong to the item.
    private let lists: [FeedRecord]
    private let neighbours: (previous: String?, next: String?)
    private let history: ItemHistory
    /// The last event before the page was made.
    private let event: Int

    /// The most characters of a text on an item's page; the API has all.
    private static let longestText = 500_000

    /// The maximum number of characters of a value that a page shows.
    private static let valueLength = 20_000

    init?(_ name: String, _ visit: Visit) async throws(FeedSyncError) {
        let served = visit.served
        guard let feed = try await served.feed(named: name), let store = served.pages,
            let key = visit.request.parameter("key")
        else { return nil }
        var query = ItemQuery(feed: name, limit: 1)
        query.textLimit = Self.longestText
        (query.keys, query.wantsRaw, query.includesRemoved) = ([key], true, true)
        event = try await served.newestEvent()
        listing = try await store.listing(query)
        guard let item = listing.items.first else { return nil }
        (self.visit, self.feed, self.item) = (visit, feed, item)
        shape = try await served.shape(of: feed, in: store)
        parents = try await ItemParents(of: [item], of: feed, in: store, served)
        lists = try await Self.lists(of: item, in: name, served, store)
        title = shape.title(of: item, in: listing, most: 300)
        body = shape.body(of: item, in: listing)
        neighbours = item.row.removedAt == nil ? try await store.neighbours(of: item.place, in: name) : (nil, nil)
        history = ItemHistory(
            changes: try await store.history(
                of: item.key, in: FeedPart.feed(ofPart: name) ?? name, last: ItemHistory.most),
            firstSeenAt: item.row.firstSeenAt)
    }

    /// The lists that belong to an item, of feeds with a list for each row of its feed.
    private static func lists(
        of item: Listing.Item, in feed: String, _ served: Served, _ store: Store
    ) async throws(FeedSyncError) -> [FeedRecord] {
        var lists: [FeedRecord] = []
        for feed in served.configuration?.feeds.filter({ $0.forEach?.feed == feed }) ?? [] {
            if let list = try await store.part(of: feed.name, parentKey: item.key) { lists.append(list) }
        }
        return lists
    }

    private var name: String { feed.name }

    var response: ServerResponse {
        visit.frame.page("item", title: title) { html in
            html.element("article", .id("item"), .data(.feed, name), .data(.event, String(event))) { html in
                html.element("nav", .class("crumbs"), .plain(.ariaLabel, "Breadcrumbs")) { html in
                    html.element("a", .href(.own("list", name)), text: name)
                    if let parent = parents?.parent(of: item) {
                        html.text(" › ")
                        html.element("a", .href(parent.link)) { $0.element("bdi", text: parent.title) }
                    }
                    if let section = item.row.section {
                        html.text(" › ")
                        html.element("bdi", text: Shown.text(section, most: 120))
                    }
                    steps(to: &html)
                }
                ItemPicture.write(
                    listing.text(shape.rule.picture, of: item), of: item.key, in: name, size: 96, to: &html)
                html.element("h1", .plain(.dir, "auto"), text: title)
                if let body {
                    prose(body.text, in: body.column, to: &html)
                } else if let text = shape.line(shape.rule.text, of: item, in: listing, most: 1_000) {
                    html.element("p", .class("lead"), .plain(.dir, "auto"), text: text)
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
                    html.text("First seen ")
                    Shown.time(item.row.firstSeenAt, to: &html)
                    if item.row.changedAt != item.row.firstSeenAt {
                        html.text(", last changed ")
                        Shown.time(item.row.changedAt, to: &html)
                    }
                    if let removedAt = item.row.removedAt {
                        html.text(", gone from the server since ")
                        Shown.time(removedAt, to: &html)
                    }
                    html.text(".")
                }
                for (group, columns) in ColumnGroups(listing.columns).groups {
                    if let group { html.element("h2", text: Shown.column(group)) }
                    html.element("dl", .class("columns")) { html in
                        for (index, label) in columns where listing.columns[index].name != body?.column {
                            html.element("dt", text: Shown.column(label))
                            html.element("dd", .plain(.dir, "auto")) { html in
                                member(item.row.values[index], of: listing.columns[index], to: &html)
                            }
                        }
                    }
                }
                history.write(shape, to: &html)
                source(to: &html)
                if let raw = item.raw {
                    html.element("details") { html in
                        html.element("summary", text: "As it was received")
                        html.element("pre", .plain(.tabindex, "0"), text: Shown.text(raw, most: Self.valueLength))
                    }
                }
            }
        }
    }

    /// Writes HTML of the upstream, with its pictures loaded through this server.
    private func prose(_ text: String, in column: String, to html: inout HTMLWriter) {
        html.element("div", .class("prose"), .plain(.dir, "auto")) { html in
            ForeignHTML.write(text, to: &html) { number, address in
                guard Link.web(address) != nil else { return nil }
                return .own(
                    "picture", name, query: [("key", item.key), ("column", column), ("number", String(number))])
            }
        }
    }

    /// Writes the links to the items before and after this one.
    private func steps(to html: inout HTMLWriter) {
        html.element("span", .class("neighbours")) { html in
            for (text, word, key) in [
                ("← Previous", "prev", neighbours.previous), ("Next →", "next", neighbours.next),
            ] {
                guard let key else { continue }
                html.element("a", .href(.own("item", name, query: [("key", key)])), .plain(.rel, word), text: text)
            }
        }
    }

    private func member(_ value: StoredValue, of column: RowColumn, to html: inout HTMLWriter) {
        switch value {
        case .text(let text) where shape.markup.contains(column.name):
            html.text(ForeignHTML.text(of: text, most: Self.valueLength))
        case .text(let text) where ValueText.isStructure(text, column.type): structure(text, to: &html)
        // The number of an item is a name, and not a figure.
        case .integer(let number) where ShowRule.isNumberOfItem(column.name): html.text("\(number)")
        default:
            ValueText(most: Self.valueLength, mostOfLink: 300).write(value, type: column.type, to: &html)
        }
    }

    /// Writes where an item is from, and its address in the API.
    private func source(to html: inout HTMLWriter) {
        html.element("p", .class("hint")) { html in
            html.text("From ")
            html.element("bdi", text: Shown.text(feed.record?.url ?? feed.name, most: 200))
            html.text(" · ")
            html.element("a", .href(.own("feeds", feed.name, "items", item.key)), text: "JSON")
        }
    }

    /// Writes JSON: short values side by side, everything else folded.
    private func structure(_ text: String, to html: inout HTMLWriter) {
        let words = ValueText.words(of: text)
        guard let words else {
            return html.element("details") { html in
                html.element("summary", text: Shown.text(text, most: 60))
                html.element("pre", .plain(.tabindex, "0"), text: Shown.text(text, most: Self.valueLength))
            }
        }
        guard !words.isEmpty else { return html.element("span", .class("none"), text: "none") }
        html.element("ul", .class("chips")) { html in for word in words { html.element("li", text: word) } }
    }
}
