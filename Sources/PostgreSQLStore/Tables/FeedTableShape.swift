package import Feeds
internal import JSON
internal import PostgreSQL
package import SQLite
internal import Text

/// A feed's table in SQLite, and its form in PostgreSQL.
package struct FeedTableShape {
    let name: String
    let columns: [CopiedTable.Column]
    let key: FeedKey
    /// True if the key can be a primary key: not if one has more bytes than PostgreSQL takes into an index (2,704, less
    /// its overhead), nor if two are the same text, as `7` and `"7"` are.
    let hasPrimaryKey: Bool
    private let notNull: Set<String>

    /// The type of a column that every feed's table has; nil for one of the model.
    private static func own(_ column: String) -> FieldType? {
        switch PlaceColumn(rawValue: column) {
        case .section?: .text
        case .generation?, .position?: .bigint
        case .firstSeenAt?, .changedAt?, .removedAt?: .timestamp
        case nil: column == "_raw" ? .json : nil
        }
    }

    /// Looks at a feed's table.
    ///
    /// - Parameter types: Of the columns that the feed's definition has a type for.
    package init(of table: String, types: [String: ColumnType], on connection: SQLite.Connection) throws {
        name = table
        var all: [(name: String, isKey: Int64, isRowID: Bool, isNotNull: Bool)] = []
        try connection.rows(#"SELECT name, pk, type, "notnull" FROM pragma_table_info(?)"#, [.text(table)]) { row in
            let isRowID = row.int64(at: 1) > 0 && row.text(at: 2) == "INTEGER"
            all.append((row.text(at: 0) ?? "", row.int64(at: 1), isRowID, row.int64(at: 3) == 1))
        }
        // https://www.postgresql.org/docs/15/limits.html
        guard all.count < 1_590 else {
            throw CopyProblem.refused(
                "the table \(table) has \(all.count) columns, and PostgreSQL takes 1,600",
                advice: "name fewer under the feed's `columns`")
        }
        let keys = all.filter { $0.isKey > 0 }.sorted { $0.isKey < $1.isKey }
        key = FeedKey(columns: keys.map(\.name), isRowID: keys.count == 1 && keys[0].isRowID)
        var columns: [CopiedTable.Column] = []
        for column in all {
            var type = Self.own(column.name)
            if type == nil, let known = types[column.name] { type = FieldType(known) }
            let found = try type ?? Self.type(of: column.name, in: table, on: connection)
            let holdsAll = try column.isKey == 0 || Self.holdsAll(found, column.name, in: table, on: connection)
            columns.append(CopiedTable.Column(name: column.name, type: holdsAll ? found : .text))
        }
        self.columns = columns
        notNull = Set(all.filter { $0.isKey > 0 || $0.isNotNull }.map(\.name))
        hasPrimaryKey = try key.isRowID || Self.areIndexable(key.columns, of: table, on: connection)
    }

    private static func areIndexable(
        _ key: [String], of table: String, on connection: SQLite.Connection
    ) throws -> Bool {
        let texts = try key.map { "CAST(\(try SQL.identifier($0)) AS BLOB)" }
        let length = texts.map { "length(\($0))" }.joined(separator: " + ")
        let table = try SQL.identifier(table)
        guard try connection.int64("SELECT max(\(length)) FROM \(table)") ?? 0 <= 2_000 else { return false }
        let kinds = try key.map { "typeof(\(try SQL.identifier($0)))" }.joined(separator: " || ")
        guard try connection.int64("SELECT count(DISTINCT \(kinds)) FROM \(table)") ?? 0 > 1 else { return true }
        let same = "SELECT 1 FROM \(table) GROUP BY \(texts.joined(separator: ", ")) HAVING count(*) > 1"
        return try connection.scalar(same) == nil
    }

    /// The type for values whose type the definition leaves open.
    static func type(
        of column: String, in table: String, on connection: SQLite.Connection
    ) throws -> FieldType {
        let column = try SQL.identifier(column)
        let kinds = try connection.all(
            "SELECT DISTINCT typeof(\(column)) FROM \(try SQL.identifier(table)) WHERE \(column) IS NOT NULL"
        ) { $0.text(at: 0) ?? "" }
        if kinds == ["integer"] { return .bigint }
        return !kinds.isEmpty && Set(kinds).isSubset(of: ["integer", "real"]) ? .numeric : .text
    }

    /// True if a type holds every value of a key exactly: a key cannot be NULL.
    private static func holdsAll(
        _ type: FieldType, _ column: String, in table: String, on connection: SQLite.Connection
    ) throws -> Bool {
        if type == .json || type == .jsonb { return false }
        var holdsAll = true
        let statement = try connection.prepare(
            "SELECT \(try SQL.identifier(column)) FROM \(try SQL.identifier(table))")
        while try holdsAll && statement.step() { holdsAll = type.field(CopiedValue(statement, at: 0)).isExact }
        return holdsAll
    }

    /// The name of a table's primary key: PostgreSQL's own, `a_pkey`, may be that of another feed's table.
    package static func keyName(of table: String) -> String { "_key_\(FNV1a(table).digits)" }

    /// The statements that make the table.
    var creation: [String] {
        let identifier = PostgreSQL.Connection.identifier
        let table = identifier(name)
        let names = Dictionary(columns.map { ($0.name, $0.shortName) }) { first, _ in first }
        var lines = columns.map { column in
            "\(identifier(column.shortName)) \(column.type.sql)\(notNull.contains(column.name) ? " NOT NULL" : "")"
        }
        lines.append("_exact jsonb")
        let key = key.columns.map { identifier(names[$0] ?? $0) }
        if hasPrimaryKey {
            lines.append("CONSTRAINT \(Self.keyName(of: name)) PRIMARY KEY (\(key.joined(separator: ", ")))")
        }
        var statements = ["CREATE TABLE \(table) (\n    \(lines.joined(separator: ",\n    "))\n)"]
        if !hasPrimaryKey {
            let hashes = (key + self.key.columns.map { CopiedTable.exact(names[$0] ?? $0) }).map {
                "md5(CAST(\($0) AS text))"
            }
            statements.append("CREATE UNIQUE INDEX ON \(table) (\(hashes.joined(separator: ", ")))")
        }
        statements.append("COMMENT ON TABLE \(table) IS \(PostgreSQL.Connection.literal(self.key.comment))")
        return statements + columns.flatMap { comments($0) }
    }

    /// The statements that add a column.
    func addition(of column: CopiedTable.Column) -> [String] {
        let identifier = PostgreSQL.Connection.identifier
        return ["ALTER TABLE \(identifier(name)) ADD COLUMN \(identifier(column.shortName)) \(column.type.sql)"]
            + comments(column)
    }

    /// A comment with the full name if it was cut.
    private func comments(_ column: CopiedTable.Column) -> [String] {
        guard column.shortName != column.name else { return [] }
        let identifier = PostgreSQL.Connection.identifier
        return [
            "COMMENT ON COLUMN \(identifier(name)).\(identifier(column.shortName)) IS \(PostgreSQL.Connection.literal(column.name))"
        ]
    }
}

extension FieldType {
    /// The type for the values of a column.
    package init(_ type: ColumnType) {
        self =
            switch type {
            case .text: .text
            case .integer: .bigint
            case .real: .double
            case .boolean: .boolean
            case .timestamp: .timestamp
            case .json: .jsonb
            }
    }
}
