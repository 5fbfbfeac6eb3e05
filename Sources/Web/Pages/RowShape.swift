internal import FeedSync
internal import Reports

/// Which columns of a feed people see, and as what.
struct RowShape: Sendable {
    /// The columns' names.
    let rule: ShowRule
    private let places: [String: Int]

    /// By the definition, or else by the names of the columns and what stands in some rows.
    init(_ given: ShowRule?, _ listing: Listing) {
        let known = listing.columns.map { (name: $0.name, path: $0.path) }
        var rule = ShowRule()
        if let given {
            func column(_ word: String?) -> String? { word.flatMap { ShowRule.column($0, among: known) } }
            (rule.title, rule.text) = (column(given.title), column(given.text))
            (rule.link, rule.picture) = (column(given.link), column(given.picture))
            rule.figures = given.figures.compactMap(column)
        } else {
            rule = ShowRule.found(in: Self.looks(listing))
        }
        if rule.title == nil {
            // Without a name, an item is told by its first text, or by its first column.
            let looks = Self.looks(listing).filter { $0.hasValues && !$0.isLink && $0.name != rule.text }
            rule.title = looks.first { !$0.isNumber }?.name ?? looks.first?.name
            rule.figures.removeAll { $0 == rule.title }
        }
        self.rule = rule
        places = Dictionary(listing.columns.enumerated().map { ($1.name, $0) }) { first, _ in first }
    }

    /// The text that a row has in a column; nil where it has none.
    func text(_ column: String?, of item: Listing.Item) -> String? {
        guard let column, let place = places[column], item.row.values.indices.contains(place) else { return nil }
        let text = item.row.values[place].description
        return text.isEmpty ? nil : text
    }

    /// A figure as people read it.
    func figure(_ column: String, of item: Listing.Item) -> String? {
        guard let place = places[column], item.row.values.indices.contains(place) else { return nil }
        if case .integer(let number) = item.row.values[place] { return NumberFormat.count(Int(clamping: number)) }
        return text(column, of: item)
    }

    private static func looks(_ listing: Listing) -> [ColumnLook] {
        listing.columns.enumerated().map { place, column in
            var look = ColumnLook(name: column.name)
            let values = listing.items.compactMap { $0.row.values.indices.contains(place) ? $0.row.values[place] : nil }
            let texts = values.map(\.description).filter { !$0.isEmpty }
            look.hasValues = !texts.isEmpty
            look.isNumber = look.hasValues && values.allSatisfy(\.isNumberOrNone)
            look.isLink = look.hasValues && texts.allSatisfy { $0.hasPrefix("https://") || $0.hasPrefix("http://") }
            look.isConstant = texts.count > 1 && Set(texts).count == 1
            return look
        }
    }
}

extension StoredValue {
    fileprivate var isNumberOrNone: Bool {
        switch self {
        case .integer, .real, .null: true
        case .text, .blob: false
        }
    }
}

extension Site {
    /// What people see of a feed's items, from its first ones: so it stays the same further down.
    func shape(of feed: KnownFeed, in store: Store) async throws(FeedSyncError) -> RowShape {
        RowShape(feed.definition?.show, try await store.listing(ListingQuery(feed: feed.name, limit: 50)))
    }
}
