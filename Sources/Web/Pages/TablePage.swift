internal import FeedSync
internal import HTTPServer
internal import Reports

/// A feed as a table: columns that are chosen and ordered, sorted by any, filtered, with counts of frequent values.
struct TablePage: Page {
    private let visit: Visit
    private let feed: KnownFeed
    private let view: TableView
    /// The columns to choose from.
    private let known: [RowColumn]
    private let listing: Listing
    /// The number of all rows of the view.
    private let count: Int
    private let facets: [Facet]

    private static let rowsOnPage = 100
    /// The most values of a column whose counts are shown, and the most such columns.
    private static let mostValues = 12
    private static let mostFacets = 5

    init?(_ name: String, _ visit: Visit) async throws(FeedSyncError) {
        guard let feed = try await visit.served.feed(named: name), let store = visit.served.search else { return nil }
        (self.visit, self.feed) = (visit, feed)
        known = try await TableView.columns(of: name, in: store)
        view = TableView(visit.request, known: known)
        var query = view.query(name, limit: Self.rowsOnPage)
        query.textLimit = RowShape.textLimit
        listing = try await store.listing(query)
        count = try await store.count(query)
        facets = try await store.facets(query, of: Self.facetColumns(listing, view), most: Self.mostValues)
    }

    private var name: String { feed.name }

    var response: ServerResponse {
        visit.frame.page("table", title: "\(name) as a table") { html in
            html.element("div", .class("bar")) { html in
                html.element("div", .class("heading")) { html in
                    html.element("h1", text: "\(name) as a table")
                    let total = feed.record?.itemCount ?? 0
                    let words = count == total ? "" : "\(NumberFormat.count(count)) of "
                    html.element("p", .class("meta"), text: words + NumberFormat.count(total, "item"))
                }
                exports(to: &html)
            }
            FeedTabs.write(feed, here: .table, to: &html)
            filterForm(to: &html)
            writeFacets(to: &html)
            chooser(to: &html)
            table(to: &html)
            pages(to: &html)
        }
    }

    /// The columns whose values repeat in the rows that are shown.
    private static func facetColumns(_ listing: Listing, _ view: TableView) -> [String] {
        guard listing.items.count > 1 else { return [] }
        let filtered = Set(view.filters.filter { $0.comparison == .equal }.map(\.column))
        let names = listing.columns.enumerated().filter { index, column in
            guard column.type != .json, column.type != .timestamp, !filtered.contains(column.name) else { return false }
            let values = Set(listing.items.map { $0.row.values[index] })
            let isShort = values.allSatisfy { $0.description.utf8.count <= 60 }
            return isShort && values.count > 1 && values.count <= min(mostValues, listing.items.count / 2 + 1)
        }
        return names.prefix(mostFacets).map(\.element.name)
    }

    private func link(_ view: TableView) -> Link {
        let place = view.offset > 0 ? [(name: "offset", value: String(view.offset))] : []
        return .own("table", name, query: view.words + place)
    }

    private func exports(to html: inout HTMLWriter) {
        html.element("p", .class("exports")) { html in
            for (text, format) in [("CSV", "csv"), ("JSON", nil)] {
                let words = view.words + (format.map { [(name: "format", value: $0)] } ?? [])
                // Without a word of its own, the API lists the feed as it is.
                let all = words.isEmpty ? [(name: "offset", value: "0")] : words
                html.element(
                    "a", .href(.own("feeds", name, "items", query: all + [(name: "limit", value: "1000")])), text: text)
            }
        }
    }

    private func filterForm(to html: inout HTMLWriter) {
        let examples = examples
        html.element(
            "form", .class("table-filter"), .plain(.role, "search"), .plain(.method, "get"),
            .action(.own("table", name))
        ) { html in
            hidden(to: &html)
            html.element("label", .class("hidden-label"), .plain(.for, "where"), text: "Add a filter")
            html.void(
                "input", .id("where"), .plain(.name, "where"),
                .plain(.placeholder, examples.isEmpty ? "Add a filter" : examples.joined(separator: ", ")),
                .plain(.autocomplete, "off"), .plain(.spellcheck, "false"))
            html.element("button", .plain(.type, "submit"), text: "Filter")
        }
        if let problem = view.problem {
            html.element("p", .class("wrong"), .plain(.role, "alert"), text: Shown.sentence(problem))
        }
        guard !view.filters.isEmpty else { return }
        html.element("ul", .class("chips filters"), .plain(.ariaLabel, "Filters")) { html in
            for filter in view.filters {
                html.element("li") { html in
                    html.text(Shown.text(filter.text, most: 80) + " ")
                    let without = view.changed { $0.filters.removeAll { $0 == filter } }
                    html.element(
                        "a", .href(link(without)), .plain(.ariaLabel, "Remove the filter \(filter.text)"),
                        text: "×")
                }
            }
        }
    }

    /// Filters as people may type them, of columns that the feed has.
    private var examples: [String] {
        func first(_ holds: (StoredValue, RowColumn) -> Bool) -> String? {
            listing.columns.enumerated().dropFirst().first { index, column in
                let values = listing.items.map { $0.row.values[index] }
                return values.contains { holds($0, column) && $0 != values[0] }
            }?.element.name
        }
        func isText(_ value: StoredValue, _ column: RowColumn) -> Bool {
            guard case .text(let text) = value else { return false }
            return column.type != .json && !ValueText.isTime(text, column.type) && Link.web(text) == nil
        }
        func isTime(_ value: StoredValue, _ column: RowColumn) -> Bool {
            guard case .text(let text) = value else { return false }
            return ValueText.isTime(text, column.type)
        }
        let examples = [
            first(Self.isNumber).map { "\($0) > 100" }, first(isTime).map { "\($0) 2026-11" },
            first(isText).map { "\($0) ~ word" },
        ]
        return examples.compactMap(\.self)
    }

    /// The view as fields of a form that adds to it.
    private func hidden(isWithColumns: Bool = true, to html: inout HTMLWriter) {
        for (name, value) in view.words where isWithColumns || !["columns", "column"].contains(name) {
            html.void("input", .plain(.type, "hidden"), .plain(.name, name), .plain(.value, value))
        }
    }

    private func writeFacets(to html: inout HTMLWriter) {
        guard !facets.isEmpty else { return }
        html.element("div", .class("facets")) { html in
            for facet in facets {
                html.element("div") { html in
                    html.element("h2", text: Shown.column(facet.column.name))
                    html.element("ul") { html in
                        for (value, count) in facet.values {
                            html.element("li") { html in
                                let filter = ColumnFilter(facet.column.name, .equal, value.description)
                                html.element("a", .href(link(view.changed { $0.filters.append(filter) }))) {
                                    ValueText(isLinked: false).write(value, type: facet.column.type, to: &$0)
                                }
                                html.element("span", .class("count"), text: NumberFormat.count(count))
                            }
                        }
                    }
                }
            }
        }
    }

    /// The columns to choose from; those that are chosen can be moved.
    private func chooser(to html: inout HTMLWriter) {
        html.element("details", .class("chooser")) { html in
            html.element("summary", text: "Columns")
            html.element("form", .plain(.method, "get"), .action(.own("table", name))) { html in
                hidden(isWithColumns: false, to: &html)
                html.element("ul") { html in
                    let others = known.map(\.name).filter { !view.columns.contains($0) }
                    for (place, column) in (view.columns + others).enumerated() {
                        html.element("li") { html in
                            html.element("label") { html in
                                html.void(
                                    "input", .plain(.type, "checkbox"), .plain(.name, "column"), .plain(.value, column),
                                    .flag(.checked, view.columns.isEmpty || view.columns.contains(column)))
                                html.text(" " + Shown.column(column))
                            }
                            guard (1..<max(view.columns.count, 1)).contains(place) else { return }
                            let moved = view.changed { $0.columns.swapAt(place, place - 1) }
                            html.element(
                                "a", .href(link(moved)),
                                .plain(.ariaLabel, "Move \(Shown.column(column)) to the front"), text: "↑")
                        }
                    }
                }
                html.element("button", .plain(.type, "submit"), text: "Show these")
            }
        }
    }

    private func table(to html: inout HTMLWriter) {
        guard !listing.items.isEmpty else {
            let only = count == 1 ? "There is only 1 item." : "There are only \(NumberFormat.count(count, "item"))."
            return html.element("p", .class("nothing"), text: count == 0 ? "No items match." : only)
        }
        let columns = view.ordered(listing)
        html.element(
            "div", .class("wide"), .plain(.role, "region"), .plain(.ariaLabel, "Items"), .plain(.tabindex, "0")
        ) { html in
            html.element("table", .class("items")) { html in
                html.element("thead") { html in
                    html.element("tr") { html in
                        for (index, column) in columns {
                            let isNumber = listing.items.contains { Self.isNumber($0.row.values[index], column) }
                            head(column, isNumber: isNumber, to: &html)
                        }
                    }
                }
                html.element("tbody") { html in
                    for item in listing.items {
                        html.element("tr") { html in
                            for (place, (index, column)) in columns.enumerated() {
                                let value = item.row.values[index]
                                html.element(
                                    "td", .class(Self.isNumber(value, column) ? "number" : ""), .plain(.dir, "auto")
                                ) { html in
                                    guard place == 0 else {
                                        return ValueText().write(value, type: column.type, to: &html)
                                    }
                                    html.element(
                                        "a", .href(.own("item", name, query: [(name: "key", value: item.key)]))
                                    ) {
                                        let text = Shown.visible(value.description) ?? Shown.key(item.key)
                                        $0.text(Shown.text(text, most: 80))
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    private func head(_ column: RowColumn, isNumber: Bool, to html: inout HTMLWriter) {
        let order = view.sort.flatMap { $0.column == column.name ? $0 : nil }
        let next = view.changed {
            $0.sort = ItemOrder(column: column.name, isDescending: order?.isDescending == false)
        }
        let word = order.map { $0.isDescending ? "descending" : "ascending" } ?? "none"
        html.element("th", .class(isNumber ? "number" : ""), .plain(.scope, "col"), .plain(.ariaSort, word)) { html in
            html.element("a", .href(link(next))) { html in
                html.text(Shown.column(column.name))
                if let order {
                    html.element("span", .plain(.ariaHidden, "true"), text: order.isDescending ? " ↓" : " ↑")
                }
            }
        }
    }

    private static func isNumber(_ value: StoredValue, _ column: RowColumn) -> Bool {
        switch value {
        case .integer: column.type != .boolean
        case .real: true
        case .null, .text, .blob: false
        }
    }

    private func pages(to html: inout HTMLWriter) {
        html.element("p", .class("pages")) { html in
            if view.offset > 0 {
                let before = view.changed { $0.offset = max(0, min(view.offset, count) - Self.rowsOnPage) }
                html.element(
                    "a", .class("button"), .href(link(before)), .plain(.rel, "prev"), text: "Previous")
            }
            if listing.hasMore {
                let after = view.changed { $0.offset = view.offset + listing.items.count }
                html.element("a", .class("button"), .href(link(after)), .plain(.rel, "next"), text: "Next")
            }
        }
    }
}
