internal import CPostgreSQL

extension Connection {
    /// Runs one statement with parameters `$1`, `$2`, …, and gives its rows as text.
    ///
    /// - Throws: `PostgreSQLError`, also for a parameter with a NUL character, which PostgreSQL does not take.
    @discardableResult
    public func query(_ sql: String, _ values: [String?] = []) throws(PostgreSQLError) -> [[String?]] {
        guard !sql.utf8.contains(0), !values.contains(where: { $0?.utf8.contains(0) == true }) else {
            throw PostgreSQLError("a parameter contains a NUL character", sql: sql)
        }
        try checkRest(sql)
        let result = withCStrings(values) { cpq_execute(handle, sql, Int32(clamping: values.count), $0) }
        defer { cpq_clear(result) }
        try check(result, sql, PGRES_TUPLES_OK, PGRES_COMMAND_OK)
        return (0..<cpq_row_count(result)).map { row in
            (0..<cpq_column_count(result)).map { column in
                cpq_is_null(result, row, column) == 1 ? nil : cpq_value(result, row, column).map { String(cString: $0) }
            }
        }
    }

    /// The first value of the first row; nil where it is NULL or there is none.
    ///
    /// - Throws: `PostgreSQLError`.
    public func scalar(_ sql: String, _ values: [String?] = []) throws(PostgreSQLError) -> String? {
        try query(sql, values).first?.first ?? nil
    }

    /// Runs any number of statements without parameters; all of them or none, unless they say otherwise.
    ///
    /// - Throws: `PostgreSQLError` of the first that fails.
    public func execute(_ sql: String) throws(PostgreSQLError) {
        var script = Script(sql)
        try execute(&script)
    }

    /// Runs a script; all of it or nothing, unless it says otherwise.
    ///
    /// - Throws: `PostgreSQLError` of the first statement that fails.
    public func execute(_ script: inout Script) throws(PostgreSQLError) {
        try send(&script)
        try receive()
    }

    /// Sends a script, and returns while the server runs it. Nothing else may be run before `receive`.
    ///
    /// - Throws: `PostgreSQLError` where the connection is lost.
    public func send(_ script: inout Script) throws(PostgreSQLError) {
        let start = script.start
        try checkRest(start)
        let isSent = try script.withCString { cpq_send_all(handle, $0) }
        guard isSent == 1 else { throw Self.error(of: handle) }
        // The server does not say which statement of a script failed, and the first one is of no help.
        sent = start.hasPrefix("BEGIN;") ? "" : start
    }

    /// True while the server runs the script; false if the connection is lost.
    public var isRunning: Bool { sent != nil && cpq_is_busy(handle) == 1 }

    /// Waits for the end of the script that was sent, if one was.
    ///
    /// - Throws: `PostgreSQLError` of the first statement that failed.
    public func receive() throws(PostgreSQLError) {
        guard let sent else { return }
        self.sent = nil
        var failure: PostgreSQLError?
        while let result = cpq_result(handle) {
            defer { cpq_clear(result) }
            do throws(PostgreSQLError) {
                try check(result, sent, PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY)
            } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
        guard cpq_status(handle) == CONNECTION_OK else { throw Self.error(of: handle) }
    }

    /// Runs `body` in a transaction: commits when it returns, rolls back when it throws. Within an open transaction it
    /// is a part of that one.
    ///
    /// - Throws: the error of `body`, or the `PostgreSQLError` of the begin or the commit.
    public func transaction<T>(_ begin: String = "BEGIN", _ body: () throws -> T) throws -> T {
        guard !isInTransaction else { return try body() }
        try execute(begin)
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // The first error counts; where the connection is lost, the server rolls back by itself.
            if isInTransaction { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// libpq would drop the result of a script that is still running, and with it why that failed.
    ///
    /// - Throws: `PostgreSQLError` if the server runs a script.
    func checkRest(_ sql: String) throws(PostgreSQLError) {
        guard sent == nil else { throw PostgreSQLError("another script is still running", sql: sql) }
    }

    /// - Throws: `PostgreSQLError` unless the result is one of these.
    func check(_ result: OpaquePointer?, _ sql: String, _ wanted: ExecStatusType...) throws(PostgreSQLError) {
        guard let result else { throw Self.error(of: handle) }
        guard !wanted.contains(cpq_result_status(result)) else { return }
        func field(_ code: Character) -> String? {
            cpq_result_field(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
        }
        // https://www.postgresql.org/docs/15/protocol-error-fields.html: message, detail, code
        guard let message = field("M"), let code = field("C") else { throw Self.error(of: handle) }
        // Of a row that is refused, the detail has the values.
        let detail = code.hasPrefix("22") || code.hasPrefix("23") ? nil : field("D")
        throw PostgreSQLError(message + (detail.map { ": \($0)" } ?? ""), code: code, sql: sql.isEmpty ? nil : sql)
    }
}

extension Connection {
    /// A name as an SQL identifier, with any characters.
    public static func identifier(_ name: String) -> String { quoted(name, with: UInt8(ascii: "\"")) }

    /// A text as a literal.
    public static func literal(_ text: String) -> String { quoted(text, with: UInt8(ascii: "'")) }

    /// Texts as the value of a parameter of type `text[]`.
    ///
    /// Source: https://www.postgresql.org/docs/15/arrays.html#ARRAYS-IO
    public static func array(_ texts: some Sequence<String>) -> String {
        var bytes = [UInt8(ascii: "{")]
        for text in texts {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(UInt8(ascii: "\""))
            for byte in text.utf8 {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
                bytes.append(byte)
            }
            bytes.append(UInt8(ascii: "\""))
        }
        return String(decoding: bytes + [UInt8(ascii: "}")], as: UTF8.self)
    }

    // Bytes, not Characters: a quote with a combining accent behind it is a Character that equals no quote.
    private static func quoted(_ text: String, with quote: UInt8) -> String {
        var result = [quote]
        for byte in text.utf8 {
            if byte == quote { result.append(quote) }
            result.append(byte)
        }
        return String(decoding: result + [quote], as: UTF8.self)
    }
}
