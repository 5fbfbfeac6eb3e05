internal import PostgreSQL

/// The address of a store.
package enum StoreAddress: Sendable, Hashable {
    /// A SQLite file's path.
    case file(String)
    /// A URI of libpq: https://www.postgresql.org/docs/15/libpq-connect.html#id-1.7.3.8.3.6
    case postgreSQL(String)

    /// The address of a text: a URI by its scheme, else a path.
    package init(_ text: String) {
        let isURI = ["postgres://", "postgresql://"].contains { text.hasPrefix($0) }
        self = isURI ? .postgreSQL(text) : .file(text)
    }

    /// As it is shown, without a password.
    package var shown: String {
        switch self {
        case .file(let path): path
        case .postgreSQL(let uri): ConnectionURI.masked(uri)
        }
    }
}
