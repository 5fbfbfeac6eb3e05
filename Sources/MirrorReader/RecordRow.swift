internal import SQLite

/// A row of one of the store's own tables, read by the names of its columns.
///
/// The names are used because a later migration may add a column anywhere.
struct RecordRow {
    let statement: Statement
    let columns: [String: Int]

    static func columns(of statement: Statement) -> [String: Int] {
        let names = (0..<statement.columnCount).map { (statement.columnName(at: $0) ?? "", $0) }
        return Dictionary(names, uniquingKeysWith: { first, _ in first })
    }

    private func index(_ column: String) throws -> Int {
        guard let index = columns[column] else {
            throw FeedSyncError(
                .store, "the store has no column `\(column)` to read",
                advice: "the store is damaged; restore a backup, or use another with --store")
        }
        return index
    }

    func text(_ column: String) throws -> String? { statement.text(at: try index(column)) }

    func textOrEmpty(_ column: String) throws -> String { try text(column) ?? "" }

    func integer(_ column: String) throws -> Int? {
        let index = try index(column)
        return statement.isNull(at: index) ? nil : Int(clamping: statement.number(at: index))
    }

    func count(_ column: String) throws -> Int { try integer(column) ?? 0 }

    /// The number of a row, within 62 bits. A worker's numbers have the number of its block in their upper bits.
    func id(_ column: String) throws -> Int {
        Int(min(max(statement.int64(at: try index(column)), -(1 << 62)), 1 << 62))
    }

    func flag(_ column: String) throws -> Bool { try count(column) != 0 }

    /// One of the words that the column may hold; nil for NULL.
    func word<Word: RawRepresentable>(_ column: String) throws -> Word? where Word.RawValue == String {
        guard let text = try text(column) else { return nil }
        guard let word = Word(rawValue: text) else {
            throw FeedSyncError(
                .store, "column `\(column)` holds the unknown word \(Excerpt.quoted(text, limit: 40))",
                advice: "use the feedsync that wrote the store, or a newer one")
        }
        return word
    }

    /// Reads the four columns with the counts of items.
    func itemFigures() throws -> ItemCounts {
        var items = ItemCounts()
        items.inserted = try count("inserted")
        items.updated = try count("updated")
        items.unchanged = try count("unchanged")
        items.removed = try count("removed")
        return items
    }
}

extension StatusEvent {
    init(_ row: RecordRow) throws {
        self.init(
            id: try row.id("id"), at: try row.textOrEmpty("at"), feed: try row.textOrEmpty("feed"),
            run: try row.id("run"), status: try row.word("status") ?? .none, page: try row.integer("page"),
            items: try row.itemFigures(), error: try row.text("error"))
    }

    /// The error, without its advice, which the store does not keep; nil if it did not fail.
    public var failure: FeedSyncError? { error.map(FeedSyncError.init(stored:)) }
}

extension FeedSyncError {
    /// The error in an `error` column.
    ///
    /// Text that `json` did not write becomes the message as a whole: an error must never hide behind another.
    init(stored text: String) {
        guard let members = try? JSONValue(parsing: text).members, let kind = members["kind"]?.text.flatMap(Kind.init),
            let message = members["message"]?.text
        else {
            self.init(.bug, text)
            return
        }
        var status: Int?
        if case .number(let digits)? = members["http_status"] { status = Int(digits) }
        self.init(kind, message, httpStatus: status, url: members["url"]?.text)
    }
}
