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
    /// The making of its values; nil to take the items' as they come.
    package let derivation: Derivation?

    /// A column of this name.
    package init(name: String, path: Path, type: ColumnType? = nil, derivation: Derivation? = nil) {
        self.name = name
        self.path = path
        self.type = type
        self.derivation = derivation
    }

    /// The column with another name.
    func named(_ name: String) -> ColumnDefinition {
        ColumnDefinition(name: name, path: path, type: type, derivation: derivation)
    }

    /// The column with a change of its value, if the definition has it.
    func withValue(_ change: (Template) -> Template) -> ColumnDefinition {
        guard let value = derivation?.value else { return self }
        return ColumnDefinition(name: name, path: path, type: type, derivation: .value(change(value)))
    }
}

extension MappingDecoder {
    /// A mapping of column names to paths, or to mappings of a path or value and more; the names are as written. Or a
    /// list of paths, whose columns have their names.
    func columns(_ name: String) -> [ColumnDefinition] {
        if node(name)?.elements != nil {
            return strings(name).compactMap { path(name, $0.node) }.map {
                ColumnDefinition(name: $0.columnName, path: $0)
            }
        }
        guard let members = reader(name) else { return [] }
        return members.entries().compactMap { entry in
            guard entry.value.pairs != nil else {
                return members.path(entry.name, entry.value).map { ColumnDefinition(name: entry.name, path: $0) }
            }
            let column = MappingDecoder(entry.value, of: "column `\(entry.name)` of \(self.subject)", log: log)
            return column.column(entry.name)
        }
    }

    /// A column as a mapping.
    private func column(_ name: String) -> ColumnDefinition? {
        defer { finish() }
        let type = choice("type", ColumnType.self)
        let change = textChange()
        if has("value") {
            for other in ["path", "replace", "mask"] where has(other) {
                report("\(subject) has a `value`, and so no `\(other)`", at: other)
            }
            return columnValue().map {
                ColumnDefinition(name: name, path: .given, type: type ?? typeOfValue(), derivation: .value($0))
            }
        }
        require("path", "say where in the item its value is, or give it a `value`")
        if has("mask"), let type, type != .text {
            report("\(subject) is masked, and its hashes are no \(type.rawValue)", at: "type")
        }
        return path("path").map {
            ColumnDefinition(name: name, path: $0, type: type, derivation: change.map(Derivation.change))
        }
    }
}
