import Foundation
import SQLite
import TemporaryFolder

extension TemporaryFolder {
    func path(_ name: String = "test.db") -> String { file(name) }

    func bytes(_ name: String = "test.db") throws -> Data { try Data(contentsOf: URL(filePath: file(name))) }

    func connect(
        _ name: String = "test.db", access: Connection.Access = .readWriteCreate, busyTimeout: Duration = .seconds(5)
    ) throws -> Connection {
        try Connection(path: path(name), access: access, busyTimeout: busyTimeout)
    }
}

/// The `SQLiteError` that `body` throws; nil if it throws none or another error.
func sqliteError(_ body: () throws -> Void) -> SQLiteError? {
    do { try body() } catch { return error as? SQLiteError }
    return nil
}

/// The first column of every row, each in its own storage class.
func firstColumn(_ connection: Connection, _ sql: String, _ values: [Value] = []) throws -> [Value] {
    var column: [Value] = []
    try connection.rows(sql, values) { column.append($0.value(at: 0)) }
    return column
}
