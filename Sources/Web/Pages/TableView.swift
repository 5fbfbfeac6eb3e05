internal import FeedSync
internal import HTTPServer
internal import Text

/// A view of a feed as a table: the columns, filters and order in its address.
struct TableView: Sendable {
    /// The names of the shown columns, in their order; none for all.
    var columns: [String] = []
    var filters: [ColumnFilter] = []
    /// The column that sorts the rows; nil for feed order.
    var sort: ItemOrder?
    var offset = 0
    /// The mistake in the address, in words; nil if there is none.
    var problem: String?

    /// The most filters, columns and rows to pass over.
    private static let mostFilters = 20
    private static let mostColumns = 200
    static let mostOffset = 10_000_000

    /// Creates a view of all rows and columns.
    init() {}

    init(_ request: ServerRequest, known: [RowColumn]) {
        let names = known.map(\.name)
        func values(_ name: String) -> [String] { request.query.filter { $0.name == name }.map(\.value) }
        let wanted = values("columns").flatMap { $0.split(separator: ",").map(String.init) } + values("column")
        check(wanted.count, "column", most: Self.mostColumns)
        for name in wanted.prefix(Self.mostColumns) where !columns.contains(name) {
            guard check(name, names) else { continue }
            columns.append(name)
        }
        let conditions = values("where").filter { $0.contains { $0 != " " } }
        check(conditions.count, "filter", most: Self.mostFilters)
        for text in conditions.prefix(Self.mostFilters) {
            guard let filter = ColumnFilter(text, columns: names) else {
                let word = String(text.drop { $0 == " " }.prefix { !" <>=!~".contains($0) })
                if word.isEmpty || ColumnFilter(text, columns: [word]) == nil || check(word, names) {
                    let quoted = Excerpt.quoted(text, limit: 60)
                    problem = "\(quoted) is no filter: write a column, a comparison and a value"
                }
                continue
            }
            if !filters.contains(filter) { filters.append(filter) }
        }
        if let word = values("sort").first, !word.isEmpty {
            let name = word.hasPrefix("-") ? String(word.dropFirst()) : word
            if check(name, names) { sort = ItemOrder(column: name, isDescending: word.hasPrefix("-")) }
        }
        offset = min(max(request.parameter("offset").flatMap { Int($0) } ?? 0, 0), Self.mostOffset)
    }

    private mutating func check(_ count: Int, _ word: String, most: Int) {
        if count > most { problem = "a table takes at most \(most) \(word)s: here are \(count)" }
    }

    private mutating func check(_ name: String, _ names: [String]) -> Bool {
        if names.contains(name) { return true }
        let question = NearestWord.question(for: name, among: names)
        problem = "there is no column \(Excerpt.quoted(name, limit: 60))\(question)"
        return false
    }

    /// The parameters of the view, but for the place in it.
    var words: [(name: String, value: String)] {
        var words: [(name: String, value: String)] = []
        if columns.contains(where: { $0.contains(",") }) {
            words += columns.map { ("column", $0) }
        } else if !columns.isEmpty {
            words.append(("columns", columns.joined(separator: ",")))
        }
        words += filters.map { ("where", $0.text) }
        if let sort { words.append(("sort", (sort.isDescending ? "-" : "") + sort.column)) }
        return words
    }

    /// The same view with a change, from its first row.
    func changed(_ change: (inout TableView) -> Void) -> TableView {
        var view = self
        view.offset = 0
        change(&view)
        return view
    }

    /// The rows of the view.
    func query(_ feed: String, limit: Int) -> ItemQuery {
        var query = ItemQuery(feed: feed, limit: limit)
        query.columns = columns.isEmpty ? nil : columns
        (query.filters, query.order, query.offset) = (filters, sort.map { [$0] } ?? [], offset)
        return query
    }

    /// The columns in the view's order.
    func ordered(_ listing: Listing) -> [(index: Int, column: RowColumn)] {
        let all = listing.columns.enumerated().map { (index: $0.offset, column: $0.element) }
        guard !columns.isEmpty else { return all }
        return columns.compactMap { name in all.first { $0.column.name == name } }
    }

    /// The columns of a feed's table; none as long as nothing is stored.
    static func columns(of feed: String, in store: Store) async throws(FeedSyncError) -> [RowColumn] {
        try await store.listing(ItemQuery(feed: feed, limit: 0)).columns
    }
}

/// Values separated by commas.
///
/// Source: https://www.rfc-editor.org/rfc/rfc4180
enum CommaSeparated {
    /// - Parameter hasNames: True if the first line has the names of the columns.
    static func document(
        _ listing: Listing, _ columns: [(index: Int, column: RowColumn)], hasNames: Bool = true
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        func add(_ values: some Sequence<String>) {
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                bytes.append(contentsOf: quoted(value).utf8)
            }
            bytes.append(contentsOf: "\r\n".utf8)
        }
        if hasNames { add(columns.lazy.map(\.column.name)) }
        for item in listing.items { add(columns.lazy.map { value(item.row.values[$0.index], $0.column) }) }
        return bytes
    }

    private static func value(_ value: StoredValue, _ column: RowColumn) -> String {
        if column.type == .boolean, case .integer(let number) = value { return number == 0 ? "false" : "true" }
        return value.description
    }

    private static func quoted(_ text: String) -> String {
        guard text.utf8.contains(where: { [UInt8(ascii: ","), UInt8(ascii: "\""), 10, 13].contains($0) }) else {
            return text
        }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
