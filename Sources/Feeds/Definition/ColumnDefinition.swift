internal import YAML

/// The storage type of a column's values.
package enum ColumnType: String, Sendable, Hashable, CaseIterable {
    /// Text as received.
    case text
    /// A whole number.
    case integer
    /// A number.
    case real
    /// 0 or 1.
    case boolean
    /// A time, in UTC and ISO 8601.
    case timestamp
    /// JSON text.
    case json
}

/// One column of a feed's table.
package struct ColumnDefinition: Sendable, Hashable {
    /// The column's name in the table, unlike every other there.
    package let name: String
    /// The path of its value in the item.
    package let path: Path
    /// The type of its values; nil to use the type of each value.
    package let type: ColumnType?

    /// A column of this name.
    package init(name: String, path: Path, type: ColumnType? = nil) {
        self.name = name
        self.path = path
        self.type = type
    }
}

extension MappingDecoder {
    /// A mapping of column names to paths, or to `{path, type}`; the names are as written.
    func columns(_ name: String) -> [ColumnDefinition] {
        guard let members = reader(name, of: "`\(name)` of \(subject)") else { return [] }
        return members.entries().compactMap { entry in
            guard entry.value.pairs != nil else {
                return members.path(entry.name, entry.value).map { ColumnDefinition(name: entry.name, path: $0) }
            }
            let column = MappingDecoder(entry.value, of: "column `\(entry.name)` of \(subject)", log: log)
            defer { column.finish() }
            column.require("path", "say where in the item its value is")
            let type = column.choice("type", ColumnType.self)
            return column.path("path").map { ColumnDefinition(name: entry.name, path: $0, type: type) }
        }
    }
}
