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
        Migration(name: "0003_due", sql: String(decoding: PackageResources._003_due_sql, as: UTF8.self)),
        Migration(name: "0004_following", sql: String(decoding: PackageResources._004_following_sql, as: UTF8.self)),
        Migration(
            name: "0005_generations", sql: String(decoding: PackageResources._005_generations_sql, as: UTF8.self)),
        Migration(name: "0006_same_key", sql: String(decoding: PackageResources._006_same_key_sql, as: UTF8.self)),
    ]

    /// Those of a store in SQLite, the oldest first.
    public static let all: [Migration] = [
        Migration(
            name: "0001_first_store", sql: String(decoding: PackageResources._001_first_store_sql, as: UTF8.self)),
        Migration(name: "0002_findings", sql: String(decoding: PackageResources._002_findings_sql, as: UTF8.self)),
        Migration(name: "0003_planning", sql: String(decoding: PackageResources._003_planning_sql, as: UTF8.self)),
        Migration(name: "0004_sync", sql: String(decoding: PackageResources._004_sync_sql, as: UTF8.self)),
        Migration(name: "0005_split", sql: String(decoding: PackageResources._005_split_sql, as: UTF8.self)),
        Migration(name: "0006_walk_pages", sql: String(decoding: PackageResources._006_walk_pages_sql, as: UTF8.self)),
        Migration(name: "0007_crawls", sql: String(decoding: PackageResources._007_crawls_sql, as: UTF8.self)),
        Migration(name: "0008_changes", sql: String(decoding: PackageResources._008_changes_sql, as: UTF8.self)),
        Migration(name: "0009_renames", sql: String(decoding: PackageResources._009_renames_sql, as: UTF8.self)),
        Migration(name: "0010_responses", sql: String(decoding: PackageResources._010_responses_sql, as: UTF8.self)),
        Migration(name: "0011_parts", sql: String(decoding: PackageResources._011_parts_sql, as: UTF8.self)),
        Migration(
            name: "0012_parts_ahead", sql: String(decoding: PackageResources._012_parts_ahead_sql, as: UTF8.self)),
        Migration(name: "0013_same_key", sql: String(decoding: PackageResources._013_same_key_sql, as: UTF8.self)),
    ]
}
