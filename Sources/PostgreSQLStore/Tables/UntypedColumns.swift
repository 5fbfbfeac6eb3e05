package import SQLite

/// The columns of a feed's table that have no type in the definition: their values decide. Those of the key are not
/// among them, because another key makes another table.
///
/// - Isolation: belongs to the thread of the file's connection.
package final class UntypedColumns {
    private let table: String
    private let names: Set<String>
    /// The file with all rows of the table; nil if there is none.
    private let file: SQLite.Connection?
    /// The columns that are text and have other values than numbers, too.
    private var mixed: Set<String> = []

    package init(_ names: Set<String>, of table: String, in file: SQLite.Connection?) {
        self.names = names
        self.table = table
        self.file = file
    }

    func contains(_ column: CopiedTable.Column) -> Bool { names.contains(column.name) }

    /// True if a column is text, but all its values are numbers by now: it was made when it had none.
    func areNumbers(_ column: CopiedTable.Column) throws -> Bool {
        // The file is asked once for a column whose values are of several kinds: that reads the whole table.
        guard let file, column.type == .text, contains(column), !mixed.contains(column.name) else { return false }
        if try FeedTableShape.type(of: column.name, in: table, on: file) != .text { return true }
        mixed.insert(column.name)
        return false
    }
}
