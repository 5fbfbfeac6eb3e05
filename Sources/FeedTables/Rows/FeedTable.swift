internal import CPageDecoder
package import SQLite

/// A feed's table with one row for each item, written from views of the page.
///
/// - Isolation: the store's.
package final class FeedTable {
    private let connection: Connection
    package let plan: DecodePlan
    private let name: String
    private let scope: RowScope
    /// Logs the changes of rows; nil if the feed keeps no changes.
    private let log: ChangeLog?
    /// The columns in which a row lost its value because its item no longer has the member.
    package private(set) var lostColumns: Set<String> = []
    /// For each column, the number of written values that do not fit its type.
    @exclusivity(unchecked) package private(set) var unfitCounts: [Int]
    /// True if a number in the row that `row(for:)` found has another text than in the item, because it was stored
    /// before its column was widened to text.
    @exclusivity(unchecked) private(set) var hasOtherTexts = false
    // No call of a row's statement comes back here, and the exclusivity check would run for every row.
    @exclusivity(unchecked) private var prepared: Statements?

    /// The columns of `select` before the model's.
    private static let fixed = 5

    /// Prepares nothing before the first item, because a feed that never had an item has no table.
    package init(named name: String, plan: DecodePlan, scope: RowScope, log: ChangeLog?, on connection: Connection) {
        self.log = log
        self.connection = connection
        self.plan = plan
        unfitCounts = Array(repeating: 0, count: plan.columns.count)
        self.name = name
        self.scope = scope
    }

    private final class Statements {
        let select: Statement
        /// Finds the rows of items that come in their order; nil for one of many lists, whose rows are not neighbours.
        let walk: RowWalk?
        /// The statement that is at the row that `row(for:)` found.
        @exclusivity(unchecked) var found: Statement
        let insert: Statement
        let update: Statement
        let move: Statement
        let remove: Statement
        /// Writes only the model's columns of the row.
        let restore: Statement
        /// The values that each column is declared to hold.
        let storage: [ColumnStorage]
        /// For each column the kinds of JSON value that this is sure to hold.
        let certain: [UInt16]
        /// The schema's version when the declarations were read: another list of the feed may change them.
        private let version: Int64
        private let readVersion: Statement
        /// The values bound to `insert` besides an item's own. A binding stays until it is replaced.
        @exclusivity(unchecked) var insertion: Insertion?

        init(_ name: String, _ plan: DecodePlan, _ scope: RowScope, on connection: Connection) throws(SQLiteError) {
            // A model may have a column `rowid`, but none `_rowid_`.
            let table = try SQL.identifier(name)
            let columns = try plan.columns.map { column throws(SQLiteError) in try SQL.identifier(column.name) }
            let raw = plan.keepsRaw ? ["_raw"] : []
            let declared = try ColumnStorage.declared(in: name, on: connection)
            storage = plan.columns.map { declared[TableSchema.folded($0.name)] ?? .any }
            certain = zip(storage, plan.columns).map { $0.certainKinds(of: $1.type) }
            readVersion = try connection.prepare("PRAGMA schema_version", persistent: true)
            version = try Self.number(of: readVersion)
            let isKey = plan.keyColumns.map { "\(columns[$0]) = ?" }.joined(separator: " AND ") + scope.and
            let rows =
                "SELECT "
                + (["_rowid_", "_generation", "_position", "_section", "_removed_at"] + columns + raw)
                .joined(separator: ", ") + " FROM \(table)"
            select = try connection.prepare("\(rows) WHERE \(isKey)", persistent: true)
            found = select
            walk = scope.columns.isEmpty ? RowWalk(rows, on: connection) : nil
            let all = columns + raw + ["_position", "_section", "_generation", "_changed_at"]
            // Both times are one parameter.
            insert = try connection.prepare(
                "INSERT INTO \(table) (\((all + scope.columns.map(\.name)).joined(separator: ", ")), _first_seen_at)"
                    + " VALUES (\(((1...all.count).map { "?\($0)" } + scope.columns.map(\.literal)).joined(separator: ", ")), ?\(all.count))"
                    + " ON CONFLICT DO NOTHING", persistent: true)
            let set = columns + raw + ["_section", "_generation", "_position", "_changed_at"]
            update = try connection.prepare(
                "UPDATE \(table) SET \(set.map { "\($0) = ?" }.joined(separator: ", ")), _removed_at = NULL WHERE _rowid_ = ?",
                persistent: true)
            move = try connection.prepare(
                "UPDATE \(table) SET _section = ?, _generation = ?, _position = ?, _removed_at = NULL WHERE _rowid_ = ?",
                persistent: true)
            remove = try connection.prepare("UPDATE \(table) SET _removed_at = ? WHERE _rowid_ = ?")
            restore = try connection.prepare(
                "UPDATE \(table) SET \((columns + raw).map { "\($0) = ?" }.joined(separator: ", ")) WHERE _rowid_ = ?")
        }

        /// True if the declarations are as they were read.
        func areCurrent() throws(SQLiteError) -> Bool { try Self.number(of: readVersion) == version }

        private static func number(of statement: Statement) throws(SQLiteError) -> Int64 {
            defer { try? statement.reset() }
            return try statement.step() ? statement.int64(at: 0) : 0
        }
    }

    /// The values that all new rows of one page share.
    struct Insertion: Equatable {
        var generation: Int64
        var section: String?
        var now: Value
    }

    private func statements() throws(SQLiteError) -> Statements {
        if let prepared { return prepared }
        let made = try Statements(name, plan, scope, on: connection)
        prepared = made
        return made
    }

    /// The row with the item's key, compared with the item; nil if there is none.
    ///
    /// The read stays open for `update`, up to the next call or `endRead()`.
    func row(for item: PageItem) throws(SQLiteError) -> PageRules.Row? {
        let statements = try statements()
        let select = statements.select
        if let next = try statements.walk?.next(where: { isRow($0, of: item) }) {
            if statements.found === select { try select.reset() }
            return row(at: next, for: item)
        }
        try select.reset()
        for (index, column) in plan.keyColumns.enumerated() {
            try bind(item.value(of: column), to: select, at: index + 1)
        }
        guard try select.step() else { return nil }
        statements.walk?.goOn(from: select.int64(at: 0))
        return row(at: select, for: item)
    }

    private func row(at found: Statement, for item: PageItem) -> PageRules.Row {
        prepared?.found = found
        return PageRules.Row(
            id: found.int64(at: 0), place: found.place(at: 1),
            section: found.text(at: 3), isRemoved: !found.isNull(at: 4), isSame: isSame(item, in: found))
    }

    /// True if a row has the item's key.
    private func isRow(_ row: Statement, of item: PageItem) -> Bool {
        for column in plan.keyColumns {
            guard !row.isNull(at: Self.fixed + column),
                isSame(item.value(of: column), in: row, at: Self.fixed + column)
            else { return false }
        }
        return true
    }

    /// True if every item of a page is stored unchanged.
    package func holds(_ page: DecodedPage) throws(SQLiteError) -> Bool { try newCount(of: page) == 0 }

    /// The number of a page's items that are not stored; nil if any other item differs from its row.
    package func newCount(of page: DecodedPage) throws(SQLiteError) -> Int? {
        // Values without a column are stored for no item, so comparing the other columns would prove nothing.
        guard page.plan === plan || page.plan.columns == plan.columns else { return nil }
        guard try mayHaveKeys(of: page) else { return nil }
        var newCount = 0
        for index in 0..<page.elementCount {
            let item = page.element(at: index)
            guard item.fault == nil else { continue }
            if item.isGone {
                guard try row(for: item)?.isRemoved ?? true else {
                    try endRead()
                    return nil
                }
                continue
            }
            guard let row = try row(for: item) else {
                newCount += 1
                continue
            }
            guard row.isSame, !row.isRemoved, (item.section ?? row.section) == row.section else {
                try endRead()
                return nil
            }
        }
        try endRead()
        return newCount
    }

    /// The place of the row of a page's last item; nil if there is none.
    package func lastPlace(of page: DecodedPage) throws(SQLiteError) -> Place? {
        guard try mayHaveKeys(of: page) else { return nil }
        let items = (0..<page.elementCount).reversed().lazy.map(page.element)
        guard let last = items.first(where: { $0.fault == nil && !$0.isGone }) else { return nil }
        let place = try row(for: last)?.place
        try endRead()
        return place
    }

    /// Adds a row for the item. Writes nothing and returns false if its key has a row.
    func insert(_ item: PageItem, at position: Int64, _ insertion: Insertion) throws(SQLiteError) -> Bool {
        let statements = try statements()
        let insert = statements.insert
        let counts = unfitCounts
        let index = try bindContent(of: item, to: insert)
        try insert.bindInt64(position, at: index)
        if statements.insertion != insertion {
            statements.insertion = nil
            try insert.bind(Value(insertion.section), at: index + 1)
            try insert.bindInt64(insertion.generation, at: index + 2)
            try insert.bind(insertion.now, at: index + 3)
            statements.insertion = insertion
        }
        try run(insert)
        guard connection.changes == 1 else {
            unfitCounts = counts
            return false
        }
        return true
    }

    /// Prepares the table for a page's values: columns that are not declared to hold them are declared anew.
    func admit(_ page: DecodedPage) throws {
        if let prepared, try !prepared.areCurrent() { self.prepared = nil }
        let misfits = try misfits(of: page)
        guard !misfits.isEmpty else { return }
        prepared = nil
        let columns = misfits.map { (plan.columns[$0.key].name, $0.value) }
        try TableSchema.widen(name, for: Dictionary(uniqueKeysWithValues: columns), on: connection)
    }

    private func misfits(of page: DecodedPage) throws(SQLiteError) -> [Int: Set<ColumnStorage>] {
        let statements = try statements()
        return page.misfits(in: statements.storage, certain: statements.certain)
    }

    /// True if the table can have rows with a page's keys: SQLite would take a text `7` for the number.
    private func mayHaveKeys(of page: DecodedPage) throws(SQLiteError) -> Bool {
        let misfits = try misfits(of: page)
        return misfits.isEmpty || !plan.keyColumns.contains { misfits[$0] != nil }
    }

    /// Writes the item over the row that the last `row(for:)` returned.
    func update(
        _ row: PageRules.Row, to item: PageItem, section: String?, at place: Place, now: Value
    ) throws(SQLiteError) {
        try keep(row.isRemoved ? .returned : .changed, item, now: now)
        try write(row, item, section: section, at: place, now: now)
    }

    private func write(
        _ row: PageRules.Row, _ item: PageItem, section: String?, at place: Place, now: Value
    ) throws(SQLiteError) {
        let update = try statements().update
        let index = try bindContent(of: item, to: update, over: try statements().found)
        try update.bind(Value(section), at: index)
        try update.bindInt64(place.generation, at: index + 1)
        try update.bindInt64(place.position, at: index + 2)
        try update.bind(now, at: index + 3)
        try update.bindInt64(row.id, at: index + 4)
        try run(update)
    }

    /// Writes the texts of an item's numbers over those of the row that the last `row(for:)` returned.
    func restoreTexts(of row: PageRules.Row, to item: PageItem) throws(SQLiteError) {
        let restore = try statements().restore
        let index = try bindContent(of: item, to: restore, over: try statements().found)
        try restore.bindInt64(row.id, at: index)
        try run(restore)
    }

    /// Gives a row a place and clears its removal. A removed row must be the one that the last `row(for:)` returned.
    func move(_ row: PageRules.Row, to place: Place, section: String?, now: Value) throws(SQLiteError) {
        if row.isRemoved { try keep(.returned, nil, now: now) }
        let move = try statements().move
        try move.bind(Value(section), at: 1)
        try move.bindInt64(place.generation, at: 2)
        try move.bindInt64(place.position, at: 3)
        try move.bindInt64(row.id, at: 4)
        try run(move)
    }

    /// Marks the row that the last `row(for:)` returned as removed. Writes the item's other members; the rest stays.
    func remove(_ row: PageRules.Row, as item: PageItem, now: Value) throws(SQLiteError) {
        try keep(.removed, item, now: now)
        try write(row, item, section: row.section, at: row.place, now: now)
        let remove = try statements().remove
        try remove.bind(now, at: 1)
        try remove.bindInt64(row.id, at: 2)
        try run(remove)
    }

    /// Logs a change of the row that the last `row(for:)` returned.
    private func keep(_ kind: ChangeLog.Kind, _ item: PageItem?, now: Value) throws(SQLiteError) {
        guard let log else { return }
        let row = try statements().found
        let before = item.flatMap { changes(to: $0, of: row) }
        // If only `_raw` differs, no column of the model has changed.
        guard kind != .changed || before != nil else { return }
        let key = ChangeLog.key(row, at: plan.keyColumns.map { Self.fixed + $0 }, below: scope)
        try log.add(kind, key: key, before: before, now: now)
    }

    /// The columns in which an item differs from the row, with their stored values; nil if there are none.
    private func changes(to item: PageItem, of row: Statement) -> String? {
        var before = JSONObjectText()
        var hasChanges = false
        for (index, column) in plan.columns.enumerated() where !isSame(item, index, in: row) {
            let stored = StoredValue(row.value(at: Self.fixed + index))
            before.add(column.name, json: RowColumn(name: "", type: column.type).json(stored))
            hasChanges = true
        }
        return hasChanges ? before.text : nil
    }

    /// Ends the read that `row(for:)` began, so that no read stays open and no view of the page is kept.
    func endRead() throws(SQLiteError) {
        try prepared?.select.reset()
        try prepared?.walk?.end()
    }

    /// Resets every statement after a failure, which may have undone a declaration.
    package func abandon() {
        log?.abandon()
        defer { prepared = nil }
        guard let prepared else { return }
        try? prepared.walk?.end()
        for statement in [
            prepared.select, prepared.insert, prepared.update, prepared.move, prepared.remove, prepared.restore,
        ] {
            try? statement.reset()
        }
    }

    private func run(_ statement: Statement) throws(SQLiteError) {
        _ = try statement.step()
        try statement.reset()
    }

    /// Binds the model's columns and the raw item from index 1. Returns the next free index.
    ///
    /// - Parameter stored: A statement at the row that the item is written over.
    private func bindContent(
        of item: PageItem, to statement: Statement, over stored: Statement? = nil
    ) throws(SQLiteError) -> Int {
        for column in plan.columns.indices {
            let value = item.value(of: column)
            if !value.fits(plan.layout.columns[column].type) { unfitCounts[column] &+= 1 }
            if case .missing = value, let stored, !stored.isNull(at: Self.fixed + column) {
                if item.isPartial {
                    try statement.bind(stored.value(at: Self.fixed + column), at: column + 1)
                } else {
                    lostColumns.insert(plan.columns[column].name)
                    try statement.bindNull(at: column + 1)
                }
            } else {
                try bind(value, to: statement, at: column + 1)
            }
        }
        guard plan.keepsRaw else { return plan.columns.count + 1 }
        try statement.bindText(item.raw, at: plan.columns.count + 1)
        return plan.columns.count + 2
    }

    private func bind(_ value: ColumnValue, to statement: Statement, at index: Int) throws(SQLiteError) {
        switch value {
        case .missing, .null: try statement.bindNull(at: index)
        case .integer(let integer): try statement.bindInt64(integer, at: index)
        case .real(let real): try statement.bindDouble(real, at: index)
        case .text(let bytes): try statement.bindText(bytes, at: index)
        case .madeText(let bytes): try statement.bind(.text(String(decoding: bytes, as: UTF8.self)), at: index)
        }
    }

    private func isSame(_ item: PageItem, in select: Statement) -> Bool {
        hasOtherTexts = false
        for column in plan.columns.indices {
            guard isSame(item, column, in: select) else { return false }
        }
        let raw = Self.fixed + plan.columns.count
        return !plan.keepsRaw || select.holdsText(item.raw, at: raw)
            || plan.ignored.excuse(raw: item.raw, stored: select.text(at: raw))
    }

    private func isSame(_ item: PageItem, _ column: Int, in select: Statement) -> Bool {
        let value = item.value(of: column)
        if isSame(value, in: select, at: Self.fixed + column) { return true }
        if case .missing = value, item.isPartial { return true }
        if item.isWidened(column, to: select.text(at: Self.fixed + column)) {
            hasOtherTexts = true
            return true
        }
        return plan.ignored.excuse(value, of: column, stored: select.text(at: Self.fixed + column))
    }

    private func isSame(_ value: ColumnValue, in select: Statement, at index: Int) -> Bool {
        switch value {
        case .missing, .null: select.isNull(at: index)
        case .integer(let integer): select.holds(integer, at: index)
        case .real(let real): select.holds(real, at: index)
        case .text(let bytes): select.holdsText(bytes, at: index)
        case .madeText(let bytes): bytes.withUnsafeBytes { select.holdsText($0, at: index) }
        }
    }
}
