/// A column of a result.
package struct RowColumn: Sendable, Hashable {
    /// Its name.
    package let name: String
    /// The type of its values, if the column of a feed's table has one.
    package let type: ColumnType?
    /// The path of its value in the item; nil unless it is a column of a model.
    package let path: String?

    package init(name: String, type: ColumnType? = nil, path: String? = nil) {
        self.name = name
        self.type = type
        self.path = path
    }

    /// A value of the column as JSON. A Boolean becomes a JSON Boolean, and JSON stays unchanged.
    package func json(_ value: StoredValue) -> String {
        switch (type, value) {
        case (.boolean, .integer(0)): "false"
        case (.boolean, .integer(1)): "true"
        // Only text that the strict parser accepts is passed on unchanged, because other programs may have written to
        // the table.
        case (.json, .text(let text)) where (try? JSONValue(parsing: text)) != nil: text
        default: value.json
        }
    }
}

extension RowColumn {
    /// The columns in `_feed.columns`; nil for anything but a list of them.
    static func list(_ json: String) -> [RowColumn]? {
        guard let elements = try? JSONValue(parsing: json).elements else { return nil }
        let columns = elements.compactMap { element -> RowColumn? in
            guard let members = element.members, let name = members["name"]?.text else { return nil }
            let type = members["type"]?.text.flatMap(ColumnType.init)
            return RowColumn(name: name, type: type, path: members["path"]?.text)
        }
        return columns.count == elements.count ? columns : nil
    }

    /// The names in `_feed.key_columns`; none for anything but a list.
    static func names(_ json: String?) -> [String] {
        guard let json, let elements = try? JSONValue(parsing: json).elements else { return [] }
        return elements.compactMap(\.text)
    }
}
