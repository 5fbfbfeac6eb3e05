internal import SQLite

extension Store {
    /// The first few faults of the file that SQLite finds; none if it is intact. It reads all of the file.
    package func damages() throws(FeedSyncError) -> [String] {
        try storing {
            // https://sqlite.org/pragma.html#pragma_integrity_check
            let found = try connection.all("PRAGMA integrity_check(3)") { $0.text(at: 0) ?? "" }
            return found == ["ok"] ? [] : found
        }
    }

    /// True for a fault of an index alone, which can be rebuilt from the rows.
    ///
    /// The words are those of SQLite's `integrity_check`: <https://sqlite.org/pragma.html#pragma_integrity_check>
    package static func isOfIndex(_ damage: String) -> Bool {
        damage.contains("missing from index") || damage.hasPrefix("wrong # of entries in index")
            || damage.hasPrefix("non-unique entry in index") || damage.contains("values differ from index")
    }

    /// The version of the SQLite that reads the store.
    package func libraryVersion() throws(FeedSyncError) -> String {
        try storing { try connection.scalar("SELECT sqlite_version()")?.text ?? "" }
    }

    /// The time at which a command of that name was last started on any feed; nil if the history has none.
    package func lastBegin(of command: String) throws(FeedSyncError) -> Timestamp? {
        try storing {
            let sql = "SELECT max(started_at) FROM run WHERE command = ?"
            return try connection.scalar(sql, .text(command))?.text.flatMap { Timestamp($0) }
        }
    }
}
