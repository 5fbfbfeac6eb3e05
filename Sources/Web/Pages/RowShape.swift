internal import Concurrency
internal import FeedSync
internal import Reports
internal import Time

/// The columns of a feed that people see, and their roles.
struct RowShape: Sendable {
    /// The most characters of a text that a row is made of; what is shown of it is less.
    static let textLimit = 16_384

    /// The most characters of a text that serves as a title.
    private static let longestBorrowed = 100

    /// The columns' names.
    let rule: ShowRule

    /// All shown columns.
    let columns: [String]
    /// The column with the time of an item; nil if none was found.
    let time: String?
    /// The columns with HTML.
    let markup: Set<String>
    /// The columns that make a title with the key, where an item has no other.
    private let besidesKey: [String]
    /// The columns that lend an item a title if it lacks its own, as others have: such as the tag of a release.
    private let lenders: [String]

    /// Follows the definition, or otherwise the names of the columns and the values in some rows.
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
        var others: [String] = []
        if rule.title == nil {
            // Without a name column, an item is identified by its first text that tells most items apart; otherwise by
            // its key and the next values.
            let looks = Self.looks(listing).filter {
                $0.hasValues && !$0.isLink && !$0.isConstant && !$0.isTime && $0.name != rule.text
            }
            rule.title = looks.first { !$0.isNumber && Self.isTelling($0.name, in: listing) }?.name
            if rule.title == nil { others = looks.filter { !ShowRule.isNumberOfItem($0.name) }.prefix(2).map(\.name) }
            rule.figures.removeAll { $0 == rule.title || others.contains($0) }
        }
        self.rule = rule
        lenders = Self.lenders(rule, listing)
        besidesKey = others
        time = given?.time.map { ShowRule.column($0, among: known) } ?? ShowRule.time(in: Self.looks(listing))
        columns =
            [rule.title, rule.text, rule.link, rule.picture, time].compactMap(\.self) + rule.figures + others + lenders
        markup = Self.markup(in: listing)
    }

    /// The columns for titles of items without one: none where all have one, so that nothing is read in vain.
    private static func lenders(_ rule: ShowRule, _ listing: Listing) -> [String] {
        guard let title = rule.title, listing.items.contains(where: { listing.text(title, of: $0) == nil }) else {
            return []
        }
        let texts = looks(listing).filter {
            $0.hasValues && !$0.isNumber && !$0.isTime && !$0.isLink && $0.name != title
                && isTelling($0.name, in: listing)
        }.map(\.name)
        let named = rule.figures.first(where: texts.contains)
        return [named, rule.text].compactMap(\.self) + texts.prefix(mostLenders)
    }

    private static let mostLenders = 5

    /// The columns that are HTML in a third of the rows, because some feeds mix in plain texts.
    private static func markup(in listing: Listing) -> Set<String> {
        var columns: Set<String> = []
        for (place, column) in listing.columns.enumerated() {
            let texts = listing.items.compactMap { item -> String? in
                guard case .text(let text)? = item.row.values.indices.contains(place) ? item.row.values[place] : nil
                else { return nil }
                return text.isEmpty ? nil : text
            }
            let count = texts.filter(ForeignHTML.isLikely).count
            let isMarkup = count > 0 && (count * 3 >= texts.count || column.name.hasSuffix("html"))
            if isMarkup || ForeignHTML.areEscaped(texts) { columns.insert(column.name) }
        }
        return columns
    }

    /// The text of an item's column, shortened to one line; nil if there is nothing to read.
    func line(_ column: String?, of item: Listing.Item, in listing: Listing, most: Int) -> String? {
        guard let column, let text = listing.text(column, of: item) else { return nil }
        return Shown.visible(
            markup.contains(column) ? ForeignHTML.text(of: text, most: most) : Shown.text(text, most: most))
    }

    /// The longest HTML of an item, and its column; nil if it has none.
    func body(of item: Listing.Item, in listing: Listing) -> (column: String, text: String)? {
        markup.subtracting([rule.title].compactMap(\.self)).sorted()
            .compactMap { column in listing.text(column, of: item).map { (column: column, text: $0) } }
            .max { $0.text.utf8.count < $1.text.utf8.count }
    }

    /// The title of an item, which is never empty.
    func title(of item: Listing.Item, in listing: Listing, most: Int = 200) -> String {
        if let title = line(rule.title, of: item, in: listing, most: most) { return title }
        for column in lenders {
            let text = line(column, of: item, in: listing, most: min(most, Self.longestBorrowed))
            // A bare number tells less than the key.
            if let text, text != Shown.key(item.key), Int64(text) == nil { return text }
        }
        let key = Shown.key(item.key)
        let values = besidesKey.compactMap { column -> String? in
            guard let figure = listing.figure(column, of: item), figure != key else { return nil }
            // A number says nothing without its name.
            let isNumber = listing.value(column, of: item)?.isNumberOrNone ?? false
            return Shown.text(isNumber ? "\(Shown.column(column)) \(figure)" : figure, most: 60)
        }
        return Shown.text(([Shown.moment(key)] + values).joined(separator: " · "), most: most)
    }

    /// True if a column has a value of its own for at least half of the rows.
    private static func isTelling(_ column: String, in listing: Listing) -> Bool {
        let texts = listing.items.compactMap { listing.text(column, of: $0) }
        return Set(texts).count * 2 > texts.count
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
            look.isTime =
                column.type == .timestamp
                || look.hasValues && !look.isNumber && texts.allSatisfy { $0.utf8.count < 40 && Timestamp($0) != nil }
            return look
        }
    }
}

extension Listing {
    /// The text of an item's column; nil if it has none.
    func text(_ column: String?, of item: Item) -> String? {
        guard let column, let value = value(column, of: item) else { return nil }
        let text = value.description
        return text.isEmpty ? nil : text
    }

    /// The value of a column, formatted for people.
    func figure(_ column: String, of item: Item) -> String? {
        if case .integer(let number)? = value(column, of: item) {
            let isTruth = columns.first { $0.name == column }?.type == .boolean && (0...1).contains(number)
            return isTruth ? (number == 0 ? "no" : "yes") : NumberFormat.count(Int(clamping: number))
        }
        if case .real(let number)? = value(column, of: item) { return NumberFormat.figure(number) }
        return text(column, of: item)
    }

    func value(_ column: String, of item: Item) -> StoredValue? {
        guard let place = columns.firstIndex(where: { $0.name == column }), item.row.values.indices.contains(place)
        else { return nil }
        return item.row.values[place]
    }
}

extension Served {
    /// The shape of a feed's rows, derived from its first items, so that it stays the same further down.
    func shape(of feed: KnownFeed, in store: Store) async throws(FeedSyncError) -> RowShape {
        let mark = try await store.mark()
        if let shape = shapes.shape(of: feed.name, mark: mark, version: version) { return shape }
        var query = ItemQuery(feed: feed.name, limit: 50)
        query.textLimit = RowShape.textLimit
        let sample = try await listing(query, of: store)
        let shape = RowShape(feed.definition?.show, sample)
        shapes.keep(shape, of: feed.name, mark: mark, version: version)
        return shape
    }
}

/// A cache of the shapes of feeds' rows, valid until something is committed.
final class RowShapes: Sendable {
    private struct Entry {
        let shape: RowShape
        let mark: Store.Mark
        let version: Int
    }

    private let entries = Lock<[String: Entry]>([:])

    func shape(of feed: String, mark: Store.Mark, version: Int) -> RowShape? {
        entries.withLock { entries in
            guard let entry = entries[feed], entry.mark == mark, entry.version == version else { return nil }
            return entry.shape
        }
    }

    func keep(_ shape: RowShape, of feed: String, mark: Store.Mark, version: Int) {
        entries.withLock { entries in
            // Drops entries of feeds that no longer exist.
            if entries.count > 1_000 { entries = [:] }
            entries[feed] = Entry(shape: shape, mark: mark, version: version)
        }
    }
}
