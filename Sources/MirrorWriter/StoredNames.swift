internal import SQLite

/// The names of the feeds that a store had when this process first worked on one of its feeds. If one of them is gone,
/// another process has renamed or deleted the feed, and the configuration of this one is older than that.
///
/// - Isolation: the store's.
final class StoredNames {
    private var names: Set<String>?

    /// The names in an open store.
    static func of(_ transactions: Transactions) -> StoredNames {
        transactions.attachment { StoredNames() }
    }

    /// Reads the names, unless they are read.
    func load(from connection: Connection) throws {
        guard names == nil else { return }
        names = Set(try connection.all("SELECT feed FROM _feed") { $0.text(at: 0) ?? "" })
    }

    /// Removes a name, and returns true if the store had it.
    @discardableResult
    func remove(_ name: String) -> Bool { names?.remove(name) != nil }
}
