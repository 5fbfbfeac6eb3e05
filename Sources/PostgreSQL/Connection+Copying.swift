internal import CPostgreSQL

/// The rows on their way into a table.
public struct CopyWriter: ~Copyable {
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
    public mutating func field(_ text: String?) {
        if isBehindField { bytes.append(UInt8(ascii: "\t")) }
        isBehindField = true
        guard var text else { return bytes += CopyText.null }
        text.withUTF8 { CopyText.append($0, to: &bytes) }
    }

    /// Ends the row.
    ///
    /// - Throws: `PostgreSQLError` where the connection is lost.
    public mutating func endRow() throws(PostgreSQLError) {
        bytes.append(UInt8(ascii: "\n"))
        isBehindField = false
        if bytes.count >= Self.chunk { try send() }
    }

    fileprivate mutating func send() throws(PostgreSQLError) {
        guard !bytes.isEmpty else { return }
        let code = bytes.withUnsafeBytes { bytes in
            cpq_put_copy_data(
                connection.handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: bytes.count))
        }
        guard code == 1 else { throw Connection.error(of: connection.handle) }
        bytes.removeAll(keepingCapacity: true)
    }
}

extension Connection {
    /// Runs `COPY … FROM STDIN` with the rows that `body` writes.
    ///
    /// - Throws: the error of `body`, with nothing copied; `PostgreSQLError` for a row that the table rejects.
    public func copyIn(_ sql: String, _ body: (inout CopyWriter) throws -> Void) throws {
        try checkRest(sql)
        let begin = withCStrings([]) { cpq_execute(handle, sql, 0, $0) }
        defer { cpq_clear(begin) }
        try check(begin, sql, PGRES_COPY_IN)
        var writer = CopyWriter(self)
        do {
            try body(&writer)
            try writer.send()
        } catch {
            // What the server says of it is only the consequence.
            _ = cpq_put_copy_end(handle, "the rows could not be read")
            try? endCopy(sql)
            throw error
        }
        guard cpq_put_copy_end(handle, nil) == 1 else { throw Self.error(of: handle) }
        try endCopy(sql)
    }

    /// Runs `COPY … TO STDOUT`, and calls `body` with the fields of each row; nil for NULL.
    ///
    /// - Throws: the error of `body`; `PostgreSQLError`. The connection can be used again in both cases.
    public func copyOut(_ sql: String, _ body: ([[UInt8]?]) throws -> Void) throws {
        try checkRest(sql)
        let begin = withCStrings([]) { cpq_execute(handle, sql, 0, $0) }
        defer { cpq_clear(begin) }
        try check(begin, sql, PGRES_COPY_OUT)
        var failure: (any Error)?
        while true {
            var bytes: UnsafeMutablePointer<CChar>?
            let count = cpq_get_copy_data(handle, &bytes)
            guard count > 0, let bytes else {
                if count == -2 { failure = failure ?? Self.error(of: handle) }
                break
            }
            defer { cpq_free(bytes) }
            // The rows behind a failure are read, too: the connection would be in the midst of them.
            guard failure == nil else { continue }
            let row = UnsafeRawBufferPointer(start: bytes, count: Int(count) - 1)
            do { try body(CopyText.fields(of: row)) } catch { failure = error }
        }
        do { try endCopy(sql) } catch { failure = failure ?? error }
        if let failure { throw failure }
    }

    private func endCopy(_ sql: String) throws(PostgreSQLError) {
        var failure: PostgreSQLError?
        while let result = cpq_result(handle) {
            defer { cpq_clear(result) }
            do throws(PostgreSQLError) { try check(result, sql, PGRES_COMMAND_OK) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }
}
