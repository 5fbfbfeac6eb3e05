internal import CPostgreSQL

/// One connection to one PostgreSQL database, in UTC, UTF-8 and ISO 8601. It closes with its last reference.
///
/// Source of all that libpq does: https://www.postgresql.org/docs/15/libpq.html
///
/// - Isolation: belongs to one owner, such as an actor; never shared between threads. All calls block.
public final class Connection {
    let handle: OpaquePointer
    /// The database and its server, without a password: `feeds at /run/postgresql`.
    public let place: String
    /// The beginning of the script that the server runs, for errors; nil where it runs none.
    var sent: String?

    /// Connects.
    ///
    /// - Parameter uri: `postgres://USER@HOST:PORT/DATABASE?OPTIONS`. Missing parts are taken from the environment and
    ///   `~/.pgpass`, as by `psql`. https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING
    /// - Throws: `PostgreSQLError` if libpq is not installed, if the URI or a password in it is wrong, if the server
    ///   cannot be reached within ten seconds or refuses, and if the database is not in UTF-8.
    public init(uri: String) throws(PostgreSQLError) {
        if let missingLibrary {
            throw PostgreSQLError("libpq cannot be loaded: \(missingLibrary)", isMissingLibrary: true)
        }
        guard !uri.utf8.contains(0) else { throw PostgreSQLError("the URI contains a NUL character") }
        guard ConnectionURI.hasReadablePasswords(uri) else {
            throw PostgreSQLError(
                "the password in the URI has a character that a URI uses for itself; write @ as %40, % as %25, : as %3A, / as %2F"
            )
        }
        // Those behind the URI are taken only if it does not say otherwise.
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
        guard cpq_status(handle) == CONNECTION_OK else { throw Self.error(of: handle) }
        try checkEncoding()
        try execute(
            """
            SET client_encoding = 'UTF8'; SET TimeZone = 'UTC'; SET DateStyle = 'ISO'; SET extra_float_digits = 1;
            SET bytea_output = 'hex'; SET standard_conforming_strings = on; SET array_nulls = on;
            SET quote_all_identifiers = off; SET default_transaction_isolation = 'read committed'
            """)
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
    static func error(of handle: OpaquePointer) -> PostgreSQLError {
        PostgreSQLError(cpq_error_message(handle).map { String(cString: $0) } ?? "the connection failed")
    }

    /// True if a transaction is open, even a failed one.
    public var isInTransaction: Bool { cpq_transaction_status(handle) != PQTRANS_IDLE }

    /// The server's version as a number: 150012 is 15.12.
    public var serverVersion: Int { Int(cpq_server_version(handle)) }
}

@available(*, unavailable)
extension Connection: Sendable {}

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
