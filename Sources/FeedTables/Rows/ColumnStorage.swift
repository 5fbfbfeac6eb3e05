internal import CPageDecoder
package import SQLite

/// The values that a column of a feed's table is declared to hold: one kind, so that every tool can read it, or any.
///
/// A STRICT table converts what it can (https://sqlite.org/stricttables.html), so a value of another kind is never
/// bound to a column: the declaration changes first.
package enum ColumnStorage: String {
    case integer = "INTEGER"
    case real = "REAL"
    case text = "TEXT"
    /// Values of several kinds, exactly as they were bound.
    case any = "ANY"

    /// The declaration for values of a type; where none is known, that of most members.
    init(_ type: ColumnType?) {
        self =
            switch type {
            case .integer?, .boolean?: .integer
            case .real?: .real
            case .text?, .timestamp?, .json?, nil: .text
            }
    }

    /// The declaration for a value; nil where there is none.
    init?(_ value: ColumnValue) {
        switch value {
        case .missing, .null: return nil
        case .integer: self = .integer
        case .real: self = .real
        case .text, .madeText: self = .text
        }
    }

    init(_ value: FeedPart.KeyValue) {
        self =
            switch value {
            case .integer: .integer
            case .real: .real
            case .text: .text
            }
    }

    /// The declaration for values of these kinds; nil for none.
    init?(holding kinds: Set<Self>) {
        guard let first = kinds.first else { return nil }
        self = kinds.count == 1 ? first : .any
    }

    /// The kinds of JSON value, as in `json_page.item_kinds`, that this holds whatever the values are: of others, each
    /// has to be looked at.
    func certainKinds(of type: ColumnType?) -> UInt16 {
        let kinds = [
            JSON_FALSE, JSON_TRUE, JSON_INTEGER, JSON_REAL, JSON_NUMBER, JSON_TEXT, JSON_OBJECT, JSON_ARRAY,
        ]
        let certain = kinds.filter { self == .any || Self.kept($0, in: type) == self }
        return (certain + [JSON_MISSING, JSON_NULL]).reduce(0) { $0 | 1 << UInt16($1.rawValue) }
    }

    /// The declaration that every value of a JSON kind needs in a column of a type; nil where that depends on the
    /// value, as in `ColumnValue`.
    private static func kept(_ kind: json_kind, in type: ColumnType?) -> Self? {
        switch (type, kind) {
        case (.text?, _), (.json?, _): .text
        case (.integer?, JSON_TEXT), (.boolean?, JSON_TEXT): nil
        case (.real?, JSON_TEXT), (.real?, JSON_INTEGER): nil
        case (.timestamp?, JSON_INTEGER), (.timestamp?, JSON_REAL): nil
        case (_, JSON_INTEGER), (_, JSON_FALSE), (_, JSON_TRUE): .integer
        case (_, JSON_REAL): .real
        default: .text
        }
    }

    /// The declarations of a table's columns, by name as SQLite compares it.
    package static func declared(
        in table: String, on connection: Connection
    ) throws(SQLiteError) -> [[UInt8]: ColumnStorage] {
        var declared: [[UInt8]: ColumnStorage] = [:]
        let statement = try connection.prepare("SELECT name, type FROM pragma_table_info(?)")
        try statement.bind(.text(table), at: 1)
        while try statement.step() {
            declared[TableSchema.folded(statement.text(at: 0) ?? "")] =
                ColumnStorage(rawValue: statement.text(at: 1) ?? "") ?? .any
        }
        return declared
    }
}

extension DecodedPage {
    /// The kinds of values that columns are not declared to hold, by the columns' places.
    ///
    /// - Parameters:
    ///   - storage: The declarations, by column.
    ///   - certain: Of each, the kinds of JSON value that need not be looked at.
    func misfits(in storage: [ColumnStorage], certain: [UInt16]) -> [Int: Set<ColumnStorage>] {
        var misfits: [Int: Set<ColumnStorage>] = [:]
        for column in storage.indices where kinds(of: column) & ~certain[column] != 0 {
            let found = self.storage(of: column)
            if !found.isSubset(of: [storage[column]]) { misfits[column] = found }
        }
        return misfits
    }

    /// The kinds of values that the stored items have in a column.
    private func storage(of column: Int) -> Set<ColumnStorage> {
        var found: Set<ColumnStorage> = []
        for index in 0..<elementCount {
            let item = element(at: index)
            guard item.isStorable, let kind = ColumnStorage(item.value(of: column)) else { continue }
            found.insert(kind)
        }
        return found
    }
}
