extension Connection {
    /// A statement for `sql`, compiled at the first call and the same from then on, reset and with no bindings.
    ///
    /// A statement that one of the queries below is stepping through is not returned; a new one is.
    ///
    /// - Throws: `SQLiteError`, also when `sql` is not exactly one statement.
    public func cached(_ sql: String) throws(SQLiteError) -> Statement {
        let kept = statements[sql]
        if let kept, !kept.isLent {
            try kept.reset()
            kept.clearBindings()
            return kept
        }
        let statement = try prepare(sql, persistent: true)
        if kept == nil { statements.add(statement, sql) }
        return statement
    }

    /// Runs one statement to its end, with its parameters bound to `values`; its rows are ignored.
    ///
    /// - Throws: `SQLiteError`, also when there are more or fewer values than parameters.
    public func run(_ sql: String, _ values: Value...) throws(SQLiteError) {
        try run(sql, values)
    }

    /// The same, with an array of values.
    public func run(_ sql: String, _ values: [Value]) throws(SQLiteError) {
        try withCached(sql, values) { statement throws(SQLiteError) in
            while try statement.step() {}
        }
    }

    /// The first column of the first row; nil if there is no row, `.null` if it holds NULL.
    ///
    /// The statement runs to its end, so that one with RETURNING makes all its changes.
    ///
    /// - Throws: `SQLiteError`, also when there are more or fewer values than parameters.
    public func scalar(_ sql: String, _ values: Value...) throws(SQLiteError) -> Value? {
        try firstColumn(sql, values) { $0.value(at: 0) }
    }

    /// The first column of the first row as an integer; nil if there is no row or it holds NULL.
    ///
    /// - Throws: `SQLiteError`, also when there are more or fewer values than parameters.
    public func int64(_ sql: String, _ values: Value...) throws(SQLiteError) -> Int64? {
        try firstColumn(sql, values) { $0.isNull(at: 0) ? nil : $0.int64(at: 0) } ?? nil
    }

    /// Calls `body` with the statement at each row in turn.
    ///
    /// - Parameter body: reads columns of the row, and neither steps, resets nor keeps the statement.
    /// - Throws: `SQLiteError`, or the error of `body`, which ends the query.
    public func rows(_ sql: String, _ values: [Value] = [], _ body: (Statement) throws -> Void) throws {
        var failure: (any Error)?
        try withCached(sql, values) { statement throws(SQLiteError) in
            while failure == nil, try statement.step() {
                do { try body(statement) } catch { failure = error }
            }
        }
        if let failure { throw failure }
    }

    /// Runs a query once for each number, which is its only parameter, and calls `body` for each row.
    ///
    /// - Parameter body: reads the row; it must not step the statement itself.
    /// - Throws: `SQLiteError`, or the error of `body`.
    public func rows(
        _ sql: String, forEach numbers: some Sequence<Int64>, _ body: (Statement) throws -> Void
    ) throws {
        var failure: (any Error)?
        try withCached(sql, [.null]) { statement throws(SQLiteError) in
            for number in numbers where failure == nil {
                try statement.reset()
                try statement.bindInt64(number, at: 1)
                while failure == nil, try statement.step() {
                    do { try body(statement) } catch { failure = error }
                }
            }
        }
        if let failure { throw failure }
    }

    private func firstColumn<T>(
        _ sql: String, _ values: [Value], _ read: (Statement) -> T
    ) throws(SQLiteError) -> T? {
        try withCached(sql, values) { statement throws(SQLiteError) in
            guard try statement.step() else { return nil }
            let first = read(statement)
            if !statement.isReadOnly {
                while try statement.step() {}
            }
            return first
        }
    }

    /// Lends a bound statement to `body` and leaves it reset, so that it holds neither a lock nor values.
    private func withCached<T>(
        _ sql: String, _ values: [Value], _ body: (Statement) throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        let statement = try cached(sql)
        statement.isLent = true
        defer {
            statement.clearBindings()
            statement.isLent = false
        }
        let result: T
        do throws(SQLiteError) {
            try statement.bind(values)
            result = try body(statement)
        } catch {
            // The first error counts; an error of the reset is only its consequence.
            try? statement.reset()
            throw error
        }
        try statement.reset()
        return result
    }
}
