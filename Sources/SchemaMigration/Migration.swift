internal import Text

/// One numbered step of a schema, never edited once it has shipped.
package struct Migration: Sendable, Hashable {
    /// The name that the store records, such as `0001_store`.
    package let name: String
    /// Any number of statements, none of which begins, commits or rolls back a transaction.
    package let sql: String

    /// A step that runs `sql`.
    package init(name: String, sql: String) {
        self.name = name
        self.sql = sql
    }

    /// The 64-bit FNV-1a hash of the SQL's UTF-8 bytes, as 16 hexadecimal digits.
    ///
    /// It reveals an accidental edit of a migration that has shipped; it is no protection against an attacker.
    package var checksum: String { FNV1a(sql).digits }
}

extension [Migration] {
    /// The migrations that a store lacks, oldest first.
    ///
    /// - Parameter recorded: The store's checksums by name; none for a new store.
    /// - Throws: `MigrationError` if the store does not fit.
    package func pending(recorded: [String: String]) throws(MigrationError) -> [Migration] {
        let known = Set(map(\.name))
        let unknown = recorded.keys.filter { !known.contains($0) }.sorted()
        guard unknown.isEmpty else { throw .newerStore(unknown: unknown) }

        var pending: [Migration] = []
        for migration in self {
            guard let checksum = recorded[migration.name] else {
                pending.append(migration)
                continue
            }
            guard checksum == migration.checksum else { throw .edited(name: migration.name) }
            if let skipped = pending.first { throw .outOfOrder(name: skipped.name, after: migration.name) }
        }
        return pending
    }
}

/// The mismatch between the migrations and a store, which is unchanged.
package enum MigrationError: Error, Sendable, Hashable {
    /// The store records unknown migrations: a newer version wrote it.
    case newerStore(unknown: [String])
    /// A migration differs from the store's record of its name.
    case edited(name: String)
    /// A migration is not recorded, although a later one is.
    case outOfOrder(name: String, after: String)
    /// A migration's SQL begins, commits or rolls back a transaction.
    case transactionInside(name: String)
}

extension MigrationError: CustomStringConvertible {
    /// One line that names the migrations concerned.
    package var description: String {
        switch self {
        case .newerStore(let unknown):
            "the store was written by a newer version (unknown migrations: \(unknown.joined(separator: ", ")))"
        case .edited(let name):
            "migration \(name) differs from the one that the store was built with"
        case .outOfOrder(let name, let later):
            "migration \(name) was never applied to the store, but the later \(later) was"
        case .transactionInside(let name):
            "migration \(name) begins or ends a transaction, but already runs in one"
        }
    }
}
