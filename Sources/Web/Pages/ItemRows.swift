internal import FeedSync
internal import Reports
internal import Text

/// Writes items as rows of a list, by section.
struct ItemRows {
    let feed: String
    let shape: RowShape
    /// The listing with the items.
    let listing: Listing
    /// The item counts of the sections. A feed without sections has one, without a name.
    let sections: [FeedSection]
    /// The parent rows of the items; nil for a feed with one list.
    var parents: ItemParents?
    /// True if each item has a page of its own. Search results have none.
    var isStored = true
    /// The text for which the items were found on the feed's server; nil for others.
    var searched: String?
    /// True if rows lead to their items' pages on the web. Those of a preview lead nowhere.
    var hasWebLinks = true

    /// The maximum number of characters of a title and a text in a list.
    private static let titleLength = 200
    private static let textLength = 280
    /// The maximum number of rows in one list element, as in rows.js: a browser passes over those out of sight as a
    /// whole.
    private static let mostTogether = 20
    /// The maximum number of characters in which a search looks for its words.
    private static let searchedLength = 4_000

    /// Writes items in feed order, with each section at the place of its first item.
    func write(to html: inout HTMLWriter) {
        let sectioned = Groups(listing.items, key: \.row.section)
        for (name, items) in sectioned.groups {
            html.element("section", .class("group"), .data(.section, name ?? "")) { html in
                if name != nil || sections.count > 1 {
                    html.element("h2") { html in
                        html.element("bdi", text: Shown.text(name ?? "(no section)", most: 120))
                        if let count = sections.first(where: { $0.name == name })?.itemCount {
                            html.text(" ")
                            html.element("span", .class("count"), text: NumberFormat.count(count))
                        }
                    }
                }
                for first in stride(from: 0, to: items.count, by: Self.mostTogether) {
                    html.element("ol", .class("rows")) { html in
                        for item in items[first...].prefix(Self.mostTogether) { write(item, to: &html) }
                    }
                }
            }
        }
    }

    /// Writes search results, ranked.
    func write(_ found: FoundItems, _ text: SearchText, to html: inout HTMLWriter) {
        html.element("section", .class("group"), .data(.section, "")) { html in
            html.element("ol", .class("rows")) { html in
                for item in found.items { write(item.item, hit: item.hit, search: text, to: &html) }
            }
        }
    }

    private func write(
        _ item: Listing.Item, hit: SearchHit? = nil, search: SearchText? = nil, to html: inout HTMLWriter
    ) {
        let title = shape.title(of: item, in: listing, most: Self.titleLength)
        let isMarkup = shape.rule.text.map(shape.markup.contains) ?? false
        let line = shape.line(
            shape.rule.text, of: item, in: listing, most: search == nil ? Self.textLength : Self.searchedLength)
        // A short text that serves as the title is not repeated.
        let text = line == title ? nil : line
        html.element(
            "li", .class("row"), .data(.key, item.key), .data(.place, item.place.text),
            .data(.seen, isStored ? item.row.firstSeenAt : nil)
        ) { html in
            if isStored || searched != nil {
                ItemPicture.write(
                    listing.text(shape.rule.picture, of: item), of: item.key, in: feed, search: searched, size: 44,
                    to: &html)
            }
            html.element("div", .class("what")) { html in
                name(item, title, hit: hit, search: search, to: &html)
                // The index contains the tags, too.
                let marked = isMarkup ? nil : hit?.excerpt
                if let search, let excerpt = marked ?? text.map({ MarkedText.excerpt(of: $0, search) }) {
                    html.element("p", .class("text"), .plain(.dir, "auto")) { write(excerpt, to: &$0) }
                } else if let text {
                    html.element("p", .class("text"), .plain(.dir, "auto"), text: text)
                }
                figures(of: item, to: &html)
            }
            link(of: item, title: title, to: &html)
        }
    }

    private func name(
        _ item: Listing.Item, _ title: String, hit: SearchHit?, search: SearchText?, to html: inout HTMLWriter
    ) {
        func content(_ html: inout HTMLWriter) {
            guard let search else { return html.text(title) }
            let isMarkup = shape.rule.title.map(shape.markup.contains) ?? false
            let marked =
                hit.flatMap { isMarkup ? nil : Shown.visible($0.title.text) == nil ? nil : $0.title }
                ?? MarkedText(title, search)
            write(marked.text.count > Self.titleLength ? MarkedText(title, search) : marked, to: &html)
        }
        let link =
            isStored
            ? Link.own("item", feed, query: [("key", item.key)])
            : webLink(of: item)
        guard let link else { return html.element("span", .class("title"), .plain(.dir, "auto"), content: content) }
        guard isStored else {
            return html.element(
                "a", .class("title"), .href(link), .plain(.dir, "auto"), .plain(.rel, "noreferrer noopener"),
                .plain(.target, "_blank"), content: content)
        }
        html.element(
            "a", .class("title"), .href(link), .plain(.dir, "auto"), .plain(.rel, "noreferrer"), content: content)
    }

    private func write(_ marked: MarkedText, to html: inout HTMLWriter) {
        for piece in marked.pieces {
            if piece.isMatch { html.element("mark", text: piece.text) } else { html.text(piece.text) }
        }
    }

    private func figures(of item: Listing.Item, to html: inout HTMLWriter) {
        let figures = shape.rule.figures.compactMap { name in listing.figure(name, of: item).map { (name, $0) } }
        let parent = parents.flatMap { parents in parents.parent(of: item).map { (parents.feed, $0) } }
        let time = listing.text(shape.time, of: item)
        guard !figures.isEmpty || parent != nil || time != nil else { return }
        func figure(_ name: String, to html: inout HTMLWriter, content: (inout HTMLWriter) -> Void) {
            html.element("li") { html in
                html.element("span", .class("name"), text: name)
                html.text(" ")
                content(&html)
            }
        }
        html.element("ul", .class("figures")) { html in
            if let (feed, parent) = parent {
                figure(feed, to: &html) { html in
                    html.element("a", .href(parent.link)) { $0.element("bdi", text: parent.title) }
                }
            }
            if let time { figure(Shown.column(shape.time ?? ""), to: &html) { Shown.time(time, to: &$0) } }
            for (name, value) in figures {
                figure(Shown.column(name), to: &html) { $0.element("bdi", text: Shown.text(value, most: 40)) }
            }
        }
    }

    private func webLink(of item: Listing.Item) -> Link? {
        hasWebLinks ? listing.text(shape.rule.link, of: item).flatMap(Link.web) : nil
    }

    private func link(of item: Listing.Item, title: String, to html: inout HTMLWriter) {
        guard let link = webLink(of: item) else { return }
        html.element(
            "a", .class("out"), .href(link), .plain(.rel, "noreferrer noopener"), .plain(.target, "_blank"),
            .plain(.ariaLabel, "Open \(Shown.text(title, most: 80)) on the web"), text: "↗")
    }
}
