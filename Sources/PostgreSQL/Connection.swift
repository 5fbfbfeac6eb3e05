internal import CPostgreSQL

/// One connection to one PostgreSQL database, in UTC, UTF-8 and ISO 8601. It closes with its last reference.
///
/// Source of all that libpq does: https://www.postgresql.org/docs/15/libpq.html
///
/// - Isolation: belongs to one owner, such as an actor; never shared between threads. All calls block.
package final class Connection {
    let handle: OpaquePointer
    /// The database and its server, without a password: `feeds at /run/postgresql`.
    package let place: String
    /// The beginning of the script that the server runs, for errors; nil where it runs none.
    var sent: String?

    /// Connects.
    ///
    /// - Parameter uri: `postgres://USER@HOST:PORT/DATABASE?OPTIONS`. Missing parts are taken from the environment and
    ///   `~/.pgpass`, as by `psql`. https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING
    /// - Throws: `PostgreSQLError` if libpq is not installed, if the URI or a password in it is wrong, if the server
    ///   cannot be reached within ten seconds or refuses, and if the database is not in UTF-8.
    package convenience init(uri: String) throws(PostgreSQLError) {
        try self.init(to: uri)
        if try isPooled() { try checkPool(uri) }
        try checkEncoding()
        try execute(
            """
            SET client_encoding = 'UTF8'; SET TimeZone = 'UTC'; SET DateStyle = 'ISO'; SET extra_float_digits = 1;
            SET bytea_output = 'hex'; SET standard_conforming_strings = on; SET array_nulls = on;
            SET quote_all_identifiers = off; SET default_transaction_isolation = 'read committed'
            """)
    }

    /// Connects, and sets nothing.
    init(to uri: String) throws(PostgreSQLError) {
        if let missingLibrary {
            throw PostgreSQLError("libpq cannot be loaded: \(missingLibrary)", isMissingLibrary: true)
        }
        guard !uri.utf8.contains(0) else { throw PostgreSQLError("the URI contains a NUL character") }
        guard ConnectionURI.hasReadablePasswords(uri) else {
            throw PostgreSQLError(
                "the password in the URI has a character that a URI uses for itself; write @ as %40, % as %25, : as %3A, / as %2F"
            )
        }
        // Parameters behind the URI count only if the URI does not set them.
        // A server that answers no more is noticed within half a minute:
        // https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-KEEPALIVES
        let names = [
            "connect_timeout", "application_name", "keepalives_idle", "keepalives_interval", "keepalives_count",
            "tcp_user_timeout", "dbname",
        ]
        let values = ["10", "feedsync", "10", "5", "3", "25000", uri]
        guard let handle = Self.connect(names, values) else { throw PostgreSQLError("no memory for a connection") }
        self.handle = handle
        place = Self.place(of: handle)
        guard cpq_status(handle) == CONNECTION_OK else { throw Self.error(of: handle, hiding: uri) }
    }

    deinit { cpq_finish(handle) }

    private static func connect(_ names: [String], _ values: [String]) -> OpaquePointer? {
        withCStrings(names) { names in withCStrings(values) { values in cpq_connect(names, values) } }
    }

    /// Refuses a database in another encoding than UTF-8: it cannot hold all text of feeds.
    private func checkEncoding() throws(PostgreSQLError) {
        let encoding = cpq_parameter_status(handle, "server_encoding").map { String(cString: $0) } ?? "UTF8"
        guard encoding == "UTF8" else {
            throw PostgreSQLError("the database is in \(encoding); feeds need UTF8 (CREATE DATABASE … ENCODING 'UTF8')")
        }
    }

    private static func place(of handle: OpaquePointer) -> String {
        let database = cpq_database(handle).map { String(cString: $0) } ?? ""
        let host = cpq_host(handle).map { String(cString: $0) } ?? ""
        return database + (host.isEmpty ? "" : " at \(host)")
    }

    /// libpq's error of the connection, which has no code and no statement.
    ///
    /// - Parameter uri: The URI, whose passwords are masked where the error repeats it.
    static func error(of handle: OpaquePointer, hiding uri: String? = nil) -> PostgreSQLError {
        let message = cpq_error_message(handle).map { String(cString: $0) } ?? "the connection failed"
        return PostgreSQLError(uri.map { message.replacing($0, with: ConnectionURI.masked($0)) } ?? message)
    }

    /// True if it is connected, and has nothing to do.
    package var isIdle: Bool {
        sent == nil && cpq_status(handle) == CONNECTION_OK && cpq_transaction_status(handle) == PQTRANS_IDLE
    }

    /// True if a transaction is open, even a failed one.
    package var isInTransaction: Bool { cpq_transaction_status(handle) != PQTRANS_IDLE }

    /// The server's version as a number: 150012 is 15.12.
    package var serverVersion: Int { Int(cpq_server_version(handle)) }
}

@available(*, unavailable)
extension Connection: Sendable {}

// A pooler between this program and the server.
extension Connection {
    /// True if the session is not the server's own: a pooler has numbers of its own for its clients.
    ///
    /// Source: https://www.postgresql.org/docs/15/protocol-message-formats.html, BackendKeyData
    private func isPooled() throws(PostgreSQLError) -> Bool {
        try scalar("SELECT pg_backend_pid()") != "\(cpq_backend_id(handle))"
    }

    /// Refuses a pooler that gives each transaction another session. Locks and settings of this program would be those
    /// of others, and theirs of this one.
    ///
    /// Two connections see it: each finds the setting of the other, or none.
    private func checkPool(_ uri: String) throws(PostgreSQLError) {
        let other = try Connection(to: uri)
        var isShared = false
        for _ in 0..<3 where !isShared {
            try execute("SET feedsync.session = 'one'")
            try other.execute("SET feedsync.session = 'two'")
            let found = "SELECT current_setting('feedsync.session', true)"
            let (one, two) = (try scalar(found), try other.scalar(found))
            isShared = one != "one" || two != "two"
        }
        try execute("RESET feedsync.session")
        try other.execute("RESET feedsync.session")
        guard isShared else { return }
        throw PostgreSQLError(
            "the URI leads to a pooler that gives each transaction another session; feedsync needs a session of its own",
            isPooled: true)
    }
}

/// The reason for which libpq cannot be used; nil if it can. The first use opens the library.
private let missingLibrary = cpq_load().map { String(cString: $0) }

/// Lends the texts as C has them, with NULL at the end.
func withCStrings<Result>(
    _ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
) -> Result {
    var bytes: [CChar] = []
    let offsets = texts.map { text -> Int? in
        guard let text else { return nil }
        defer { bytes += text.utf8CString }
        return bytes.count
    }
    return bytes.withUnsafeBufferPointer { bytes in
        let pointers = offsets.map { offset in offset.flatMap { bytes.baseAddress?.advanced(by: $0) } } + [nil]
        return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
    }
}

extension Connection {
    /// Runs one statement with parameters `$1`, `$2`, …, and gives its rows as text.
    ///
    /// - Throws: `PostgreSQLError`, also for a parameter with a NUL character, which PostgreSQL does not take.
    @discardableResult
    package func query(_ sql: String, _ values: [String?] = []) throws(PostgreSQLError) -> [[String?]] {
        try withResult(of: sql, values) { rows(of: $0) }
    }

    /// Runs one statement, and lends its result, which has one of the wanted states.
    private func withResult<T>(
        of sql: String, _ values: [String?] = [], _ wanted: [ExecStatusType] = [PGRES_TUPLES_OK, PGRES_COMMAND_OK],
        _ body: (OpaquePointer?) -> T
    ) throws(PostgreSQLError) -> T {
        guard !sql.utf8.contains(0), !values.contains(where: { $0?.utf8.contains(0) == true }) else {
            throw PostgreSQLError("a parameter contains a NUL character", sql: sql)
        }
        try checkRest(sql)
        let result = try waiting {
            withCStrings(values) { cpq_execute(handle, sql, Int32(clamping: values.count), $0) }
        }
        defer { cpq_clear(result) }
        try check(result, sql, wanted)
        return body(result)
    }

    private func rows(of result: OpaquePointer?) -> [[String?]] {
        (0..<cpq_row_count(result)).map { row in
            (0..<cpq_column_count(result)).map { column in
                cpq_is_null(result, row, column) == 1 ? nil : cpq_value(result, row, column).map { String(cString: $0) }
            }
        }
    }

    /// A column of a result.
    package struct ResultColumn: Sendable, Hashable {
        /// Its name in the result.
        package let name: String
        /// The `oid` of its type in `pg_type`.
        package let type: UInt32
    }

    /// Runs one query by a cursor, which takes no other statements, in a transaction that changes nothing. Of its rows,
    /// 256 at a time are in memory.
    ///
    /// Source: https://www.postgresql.org/docs/15/sql-declare.html
    ///
    /// - Parameters:
    ///   - begin: Takes the columns, before the first row.
    ///   - take: Takes a row as text, and returns true if further ones are wanted.
    /// - Throws: `PostgreSQLError`.
    package func read(
        query: String, _ begin: ([ResultColumn]) -> Void, _ take: ([String?]) -> Bool
    ) throws {
        try transaction("BEGIN READ ONLY") {
            try self.query("DECLARE rows NO SCROLL CURSOR FOR \(query)")
            var hasBegun = false
            while true {
                let fetched = try withResult(of: "FETCH 256 FROM rows") { result in
                    if !hasBegun { begin(columns(of: result)) }
                    hasBegun = true
                    return rows(of: result)
                }
                guard !fetched.isEmpty, fetched.allSatisfy(take) else { return }
            }
        }
    }

    private func columns(of result: OpaquePointer?) -> [ResultColumn] {
        (0..<cpq_column_count(result)).map { column in
            ResultColumn(
                name: cpq_column_name(result, column).map { String(cString: $0) } ?? "",
                type: cpq_column_type(result, column))
        }
    }

    /// The first value of the first row; nil where it is NULL or there is none.
    ///
    /// - Throws: `PostgreSQLError`.
    package func scalar(_ sql: String, _ values: [String?] = []) throws(PostgreSQLError) -> String? {
        try query(sql, values).first?.first ?? nil
    }

    /// Runs any number of statements without parameters; all of them or none, unless they say otherwise.
    ///
    /// - Throws: `PostgreSQLError` of the first that fails.
    package func execute(_ sql: String) throws(PostgreSQLError) {
        var script = Script(sql)
        try execute(&script)
    }

    /// Runs a script; all of it or nothing, unless it says otherwise.
    ///
    /// - Throws: `PostgreSQLError` of the first statement that fails.
    package func execute(_ script: inout Script) throws(PostgreSQLError) {
        try send(&script)
        try receive()
    }

    /// Sends a script, and returns while the server runs it. Nothing else may be run before `receive`.
    ///
    /// - Throws: `PostgreSQLError` where the connection is lost.
    package func send(_ script: inout Script) throws(PostgreSQLError) {
        let start = script.start
        try checkRest(start)
        beginWaiting()
        let isSent = Swift.Result { () throws(PostgreSQLError) in try script.withCString { cpq_send_all(handle, $0) } }
        try endWaiting()
        guard try isSent.get() == 1 else { throw Self.error(of: handle) }
        // The server does not say which statement of a script failed, and the first one is of no help.
        sent = start.hasPrefix("BEGIN;") ? "" : start
    }

    /// True while the server runs the script; false if the connection is lost.
    package var isRunning: Bool { sent != nil && cpq_is_busy(handle) == 1 }

    /// Waits for the end of the script that was sent, if one was.
    ///
    /// - Throws: `PostgreSQLError` of the first statement that failed.
    package func receive() throws(PostgreSQLError) {
        guard let sent else { return }
        self.sent = nil
        try takeResults(of: sent, [PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY])
        guard cpq_status(handle) == CONNECTION_OK else { throw Self.error(of: handle) }
    }

    /// Waits for all results of what was sent.
    ///
    /// - Throws: `PostgreSQLError` of the first one in none of the wanted states.
    private func takeResults(of sql: String, _ wanted: [ExecStatusType]) throws(PostgreSQLError) {
        var failure: PostgreSQLError?
        while let result = try waiting({ cpq_result(handle) }) {
            defer { cpq_clear(result) }
            do throws(PostgreSQLError) { try check(result, sql, wanted) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Runs `body` in a transaction: commits when it returns, rolls back when it throws. Within an open transaction it
    /// is a part of that one.
    ///
    /// - Throws: the error of `body`, or the `PostgreSQLError` of the begin or the commit.
    package func transaction<T>(_ begin: String = "BEGIN", _ body: () throws -> T) throws -> T {
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
    private func check(_ result: OpaquePointer?, _ sql: String, _ wanted: [ExecStatusType]) throws(PostgreSQLError) {
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
    package static func identifier(_ name: String) -> String { quoted(name, with: UInt8(ascii: "\"")) }

    /// A text as a literal.
    package static func literal(_ text: String) -> String { quoted(text, with: UInt8(ascii: "'")) }

    /// Texts as the value of a parameter of type `text[]`.
    ///
    /// Source: https://www.postgresql.org/docs/15/arrays.html#ARRAYS-IO
    package static func array(_ texts: some Sequence<String>) -> String {
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

/// The rows on their way into a table.
package struct CopyWriter: ~Copyable {
    fileprivate let connection: Connection
    fileprivate var bytes: [UInt8] = []
    private var isBehindField = false
    /// The number of bytes sent at once: a call for each row would cost more than the row.
    private static let chunk = 65_536

    fileprivate init(_ connection: Connection) {
        self.connection = connection
        bytes.reserveCapacity(Self.chunk + 4_096)
    }

    /// Adds a field to the row; nil for NULL.
    package mutating func field(_ text: String?) {
        if isBehindField { bytes.append(UInt8(ascii: "\t")) }
        isBehindField = true
        guard var text else { return bytes += CopyText.null }
        text.withUTF8 { CopyText.append($0, to: &bytes) }
    }

    /// Ends the row.
    ///
    /// - Throws: `PostgreSQLError` where the connection is lost.
    package mutating func endRow() throws(PostgreSQLError) {
        bytes.append(UInt8(ascii: "\n"))
        isBehindField = false
        if bytes.count >= Self.chunk { try send() }
    }

    fileprivate mutating func send() throws(PostgreSQLError) {
        guard !bytes.isEmpty else { return }
        let code = try connection.waiting {
            bytes.withUnsafeBytes { bytes in
                cpq_put_copy_data(
                    connection.handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                    Int32(clamping: bytes.count))
            }
        }
        guard code == 1 else { throw Connection.error(of: connection.handle) }
        bytes.removeAll(keepingCapacity: true)
    }
}

extension Connection {
    /// Runs `COPY … FROM STDIN` with the rows that `body` writes.
    ///
    /// - Throws: the error of `body`, with nothing copied; `PostgreSQLError` for a row that the table rejects.
    package func copyIn(_ sql: String, _ body: (inout CopyWriter) throws -> Void) throws {
        try withResult(of: sql, [], [PGRES_COPY_IN]) { _ in }
        var writer = CopyWriter(self)
        do {
            try body(&writer)
            try writer.send()
        } catch {
            // The server's error is only the consequence of this one.
            _ = cpq_put_copy_end(handle, "the rows could not be read")
            try? takeResults(of: sql, [PGRES_COMMAND_OK])
            throw error
        }
        guard cpq_put_copy_end(handle, nil) == 1 else { throw Self.error(of: handle) }
        try takeResults(of: sql, [PGRES_COMMAND_OK])
    }

    /// Runs `COPY … TO STDOUT`, and calls `body` with each row, which is lent.
    ///
    /// - Throws: the error of `body`; `PostgreSQLError`. The connection can be used again in both cases.
    package func copyOut(_ sql: String, _ body: (CopyRow) throws -> Void) throws {
        try withResult(of: sql, [], [PGRES_COPY_OUT]) { _ in }
        var failure: (any Error)?
        var row = CopyRow()
        var rows = 0
        while true {
            // Once for many rows, because it costs as much as a row.
            if rows.isMultiple(of: Self.rowsOfAWait) { beginWaiting() }
            rows += 1
            var bytes: UnsafeMutablePointer<CChar>?
            let count = cpq_get_copy_data(handle, &bytes)
            guard count > 0, let bytes else {
                if count == -2 { failure = failure ?? Self.error(of: handle) }
                break
            }
            defer { cpq_free(bytes) }
            // The rows behind a failure are read, too: the connection would be in the midst of them.
            guard failure == nil else { continue }
            do {
                try row.read(UnsafeMutableRawBufferPointer(start: bytes, count: Int(count) - 1))
                try body(row)
            } catch { failure = error }
        }
        do throws(PostgreSQLError) { try endWaiting() } catch { throw failure ?? error }
        do { try takeResults(of: sql, [PGRES_COMMAND_OK]) } catch { failure = failure ?? error }
        if let failure { throw failure }
    }

    private static let rowsOfAWait = 256
}
