internal import Text

/// An error of PostgreSQL, of libpq, or of this wrapper. Values are never a part of it, nor is a password.
package struct PostgreSQLError: Error, Sendable, Hashable {
    /// The fault in the server's or the library's words, on one line.
    package let message: String
    /// The five characters that PostgreSQL calls the error by; nil where it did not come from a server.
    ///
    /// Source: https://www.postgresql.org/docs/15/errcodes-appendix.html
    package let code: String?
    /// The statement that failed, on one line and cut to 200 characters; nil outside of one.
    package let sql: String?
    /// True if libpq is not installed.
    package let isMissingLibrary: Bool
    /// True if a pooler gives each transaction another session.
    package let isPooled: Bool

    /// An error with these parts.
    package init(
        _ message: String, code: String? = nil, sql: String? = nil, isMissingLibrary: Bool = false,
        isPooled: Bool = false
    ) {
        self.isMissingLibrary = isMissingLibrary
        self.isPooled = isPooled
        self.message = message.onOneLine
        self.code = code
        self.sql = sql.map(\.onOneLine).map { $0.count > 200 ? "\($0.prefix(200))…" : $0 }
    }

}

extension PostgreSQLError {
    /// The first two characters of the code: the class of the error.
    private var codeClass: String { String(code?.prefix(2) ?? "") }

    /// True if the server cannot be reached, is starting, stopping or full of connections, or ended this one.
    package var isOfConnection: Bool {
        isLost || codeClass == "08" || codeClass == "57" || code == "53300" || code == "25P03"
    }

    /// True if the connection is lost, or was never made.
    package var isLost: Bool { code == nil && sql == nil }

    /// True if the server refused the input for good, because of its values or of tables that were changed.
    package var isOfData: Bool {
        ["0A", "21", "22", "23", "27", "2B", "42", "44", "54", "P0"].contains(codeClass)
    }

    /// True if another session held a lock for too long.
    package var isLocked: Bool { code == "55P03" }
}

extension PostgreSQLError: CustomStringConvertible {
    /// The message, with the code and the statement where there are any.
    package var description: String {
        message + (code.map { " (PostgreSQL error \($0))" } ?? "") + (sql.map { ", in: \($0)" } ?? "")
    }
}
