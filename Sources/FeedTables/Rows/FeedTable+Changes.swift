internal import SQLite

extension FeedTable {
    /// Logs a change of the row that the statement is at.
    func keep(
        _ kind: ChangeLog.Kind, _ item: PageItem?, of row: Statement, in log: ChangeLog, now: Value
    ) throws(SQLiteError) {
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
}
