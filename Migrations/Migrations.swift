package import SchemaMigration

/// The store's schema changes, in order.
///
/// Each is a file in `sql/`, or in `postgresql/`, embedded in the binary, and never edited once shipped. CONTRIBUTING.md says
/// how to add one. (Embedding turns the leading digit of a file name into `_`.)
package enum Migrations {
    /// Those of a store in SQLite, the oldest first.
    package static let sqlite: [Migration] = [
        Migration(name: "0001_store", sql: String(decoding: PackageResources._001_store_sql, as: UTF8.self))
    ]

    /// Those of a store in PostgreSQL, the oldest first: they make the same tables, with PostgreSQL's types.
    package static let postgreSQL: [Migration] = [
        Migration(name: "0001_postgresql", sql: String(decoding: PackageResources._001_postgresql_sql, as: UTF8.self))
    ]
}
