internal import SQLite

/// The table of a list during a run, with the columns and the key that its pages have shown so far.
///
/// - Isolation: the store's.
package final class ListTable {
    /// The table's name.
    let name: String
    /// The rows of the table that belong to the list.
    let scope: RowScope
    /// Logs the changes of rows; nil if the definition keeps none.
    let log: ChangeLog?
    /// The columns and the key, as the pages have shown them so far. Undone pages take back theirs.
    private(set) var state: State
    /// Reads and writes the rows.
    private(set) var rows: FeedTable
    /// The changes of columns that the run found, set at its end.
    private(set) var columnChanges: [ColumnChange] = []
    /// The feed's columns before the run, if the whole list had been read by then.
    private var columnsBefore: [ColumnDefinition]?
    private let connection: Connection

    /// The part of a table that follows the run's pages.
    struct State {
        /// The definition, with the findings of all runs.
        fileprivate(set) var shape: ResolvedFeed
        /// False until the first page of a list whose columns are to be found: it makes the table.
        fileprivate var isMade: Bool
        /// True if the run found new columns or a key.
        fileprivate(set) var hasNewShape = false
        /// The findings that all lists of the feed share, as stored when this list's shape was read; nil if unknown.
        fileprivate var commonFindings: String?
        /// The columns that items lost, as found by earlier tables of this run.
        fileprivate var lostColumns: Set<String> = []
    }

    /// The definition, with the findings of all runs.
    package var shape: ResolvedFeed { state.shape }

    /// - Parameter isComplete: True if the whole list had been read before the run.
    init(_ shape: ResolvedFeed, run: Int64, isComplete: Bool, on connection: Connection) throws {
        name = TableSchema.tableName(shape.definition.owner)
        self.connection = connection
        let mayBeUnmade = shape.declared.hasOpenColumns && shape.findings.columns.isEmpty
        state = State(
            shape: shape, isMade: try !mayBeUnmade || !ColumnStorage.declared(in: name, on: connection).isEmpty)
        scope = try RowScope(shape.definition.part)
        columnsBefore = isComplete && shape.definition.isResolved ? shape.definition.columns : nil
        log = shape.definition.keepsChanges ? ChangeLog(of: shape.definition.owner, run: run, on: connection) : nil
        rows = FeedTable(named: name, plan: shape.plan, scope: scope, log: log, on: connection)
    }

    /// Goes on after the table of the crawl before this one in the same run.
    func goOn(after other: ListTable) {
        columnsBefore = other.columnsBefore
        state.lostColumns = other.state.lostColumns
        state.hasNewShape = other.state.hasNewShape
    }

    /// Ends the use of the rows' statements after a failure, and returns to an earlier state.
    func abandon(_ before: State) {
        rows.abandon()
        if before.shape !== shape { rows = table(before.shape) }
        state = before
    }

    private func table(_ shape: ResolvedFeed) -> FeedTable {
        FeedTable(named: name, plan: shape.plan, scope: scope, log: log, on: connection)
    }

    /// True if a page equals the stored one.
    ///
    /// - Parameters:
    ///   - page: nil for a page without items.
    ///   - known: The stored page for the request.
    package func holds(_ page: DecodedPage?, as known: StoredPage?) throws -> Bool {
        guard let known, (page?.keys ?? "[]") == known.keys else { return false }
        return try page.map { try rows.holds($0) } ?? true
    }

    /// Continues with another shape, whose table exists.
    private func follow(_ shape: ResolvedFeed) {
        state.lostColumns.formUnion(rows.lostColumns)
        rows = table(shape)
        state.shape = shape
        (state.hasNewShape, state.isMade) = (true, true)
    }

    // MARK: - Findings

    /// True if another list of the feed has stored findings since this list's shape was read. The page's findings would
    /// replace them, and its items may need other columns.
    func isBehind(_ commit: PageCommit) throws -> Bool {
        guard shape.definition.part != nil else { return false }
        if commit.content.shape == nil, commit.page.otherElements == nil { return false }
        let stored = try storedFindings()
        if stored == state.commonFindings { return false }
        guard stored.flatMap(Findings.init) ?? Findings() == shape.findings else { return true }
        state.commonFindings = stored
        return false
    }

    /// Continues with the findings that the lists of the feed have stored by now.
    package func catchUp() throws -> ResolvedFeed {
        let stored = try storedFindings()
        let shape = try ResolvedFeed(shape.declared, stored.flatMap(Findings.init) ?? Findings())
        follow(shape)
        state.commonFindings = stored
        return shape
    }

    private func storedFindings() throws -> String? {
        try connection.scalar("SELECT found FROM _feed WHERE feed = ?", .text(shape.definition.owner))?.text
    }

    /// The shape to adopt with a page or an end that found none; nil if the table is there, or cannot be made yet.
    var shapeOfNewTable: ResolvedFeed? { state.isMade || !shape.definition.isResolved ? nil : shape }

    /// Applies the shape found with a page: creates the table or adds columns to it, widens columns in place, and
    /// records the findings. Part of the page's transaction.
    ///
    /// - Returns: True if the pages have to come again, because texts of numbers were lost.
    /// - Throws: `FeedSyncError` of kind `configuration` if the store has another object with the table's name.
    func adopt(_ shape: ResolvedFeed) throws -> Bool {
        let definition = shape.definition
        guard definition.isResolved else {
            try record(shape)
            return false
        }
        _ = try TableSchema(definition).extend(on: connection)
        let widenings = ColumnWidening.all(definition.columns, since: self.shape.definition.columns)
        try ColumnWidening.apply(widenings, to: name, on: connection)
        try record(shape)
        try SearchIndex.follow(definition, on: connection)
        follow(shape)
        return widenings.contains(where: \.losesTexts)
    }

    private func record(_ shape: ResolvedFeed) throws {
        try Self.record(shape, on: connection)
        state.commonFindings = shape.findings.json
    }

    /// Records the findings for the feed that owns the table.
    static func record(_ shape: ResolvedFeed, on connection: Connection) throws {
        let name = Value.text(shape.definition.owner)
        try connection.run("UPDATE _feed SET found = ? WHERE feed = ?", .text(shape.findings.json), name)
        guard shape.definition.isResolved else { return }
        try connection.run(
            "UPDATE _feed SET key = ?, key_columns = ?, columns = ? WHERE feed = ?", .text(shape.definition.keyText),
            .text(shape.definition.keyColumnsJSON),
            .text(try StoredTable.columns(merging: shape.definition, on: connection)), name)
        let model = try connection.scalar("SELECT model FROM feed WHERE name = ?", name)?.text
        if let model { try ModelView(model: model).follow(on: connection) }
    }

    // MARK: - Changes of columns

    /// The notices about new, lost and changed columns, once the run has ended, if an earlier run had read the whole
    /// list.
    package var notices: [String] { [ColumnChange.notice(of: columnChanges), unfitNotice].compactMap(\.self) }

    /// The notice about values that do not fit the type that the definition gives their column; nil if all fit.
    private var unfitNotice: String? {
        let notes = zip(rows.plan.columns, rows.unfitCounts).compactMap { column, count -> String? in
            guard count > 0, let type = column.type, shape.declared.columns.contains(where: { $0.name == column.name })
            else { return nil }
            return "\(count.counted("value")) of `\(column.name)` (\(type.rawValue))"
        }
        let list = notes.joined(separator: ", ")
        return notes.isEmpty ? nil : "not of their column's type, and stored as they came: \(list)"
    }

    /// Finds the changes of columns at the run's end, if an earlier run had read the whole list.
    func findColumnChanges() throws -> [ColumnChange] {
        guard let known = columnsBefore else { return [] }
        let columns = shape.definition.columns
        let table = try SQL.identifier(name)
        let gone = try state.lostColumns.union(rows.lostColumns).sorted().filter { column in
            let name = try SQL.identifier(column)
            let isThere = "SELECT 1 FROM \(table) WHERE \(name) IS NOT NULL AND _removed_at IS NULL LIMIT 1"
            return try connection.scalar(isThere) == nil
        }.map { name in
            ColumnChange(kind: .gone, column: name, before: columns.first { $0.name == name }?.type, after: nil)
        }
        let others = columns.compactMap { column -> ColumnChange? in
            guard let before = known.first(where: { $0.name == column.name }) else {
                return ColumnChange(kind: .new, column: column.name, before: nil, after: column.type)
            }
            guard let type = column.type, let earlier = before.type, type != earlier else { return nil }
            return ColumnChange(kind: .type, column: column.name, before: earlier, after: type)
        }
        columnChanges = gone + others
        return columnChanges
    }
}
