public import SchemaMigration

/// The store's schema changes, in order.
///
/// Each is a file in `sql/`, or in `postgresql/`, embedded in the binary, and never edited once shipped. CONTRIBUTING.md says
/// how to add one. (Embedding turns the leading digit of a file name into `_`.)
public enum Migrations {
    /// Those of a store in PostgreSQL, the oldest first: they make the same tables, with PostgreSQL's types.
    public static let postgreSQL: [Migration] = [
        Migration(
            name: "0001_postgresql", sql: String(decoding: PackageResources._001_postgresql_sql, as: UTF8.self)),
        Migration(name: "0002_workers", sql: String(decoding: PackageResources._002_workers_sql, as: UTF8.self)),
        Migration(
            name: "0003_postgresql_columns",
            sql: String(decoding: PackageResources._003_postgresql_columns_sql, as: UTF8.self)),
        Migration(
            name: "0004_claim_definitions",
            sql: String(decoding: PackageResources._004_claim_definitions_sql, as: UTF8.self)),
        Migration(
            name: "0005_postgresql_moved",
            sql: String(decoding: PackageResources._005_postgresql_moved_sql, as: UTF8.self)),
        Migration(
            name: "0006_postgresql_lists_in_items",
            sql: String(decoding: PackageResources._006_postgresql_lists_in_items_sql, as: UTF8.self)),
        Migration(name: "0007_gone", sql: String(decoding: PackageResources._007_gone_sql, as: UTF8.self)),
        Migration(name: "0008_comments", sql: String(decoding: PackageResources._008_comments_sql, as: UTF8.self)),
    ]

    /// Those of a store in SQLite, the oldest first.
    public static let all: [Migration] = [
        Migration(name: "0001_store", sql: String(decoding: PackageResources._001_store_sql, as: UTF8.self)),
        Migration(name: "0002_lists", sql: String(decoding: PackageResources._002_lists_sql, as: UTF8.self)),
        Migration(name: "0003_columns", sql: String(decoding: PackageResources._003_columns_sql, as: UTF8.self)),
        Migration(name: "0004_returned", sql: String(decoding: PackageResources._004_returned_sql, as: UTF8.self)),
        Migration(name: "0005_moved", sql: String(decoding: PackageResources._005_moved_sql, as: UTF8.self)),
        Migration(
            name: "0006_lists_in_items",
            sql: String(decoding: PackageResources._006_lists_in_items_sql, as: UTF8.self)),
    ]
}
