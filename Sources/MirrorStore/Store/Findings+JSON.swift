extension Findings {
    /// The findings as the store keeps them.
    var json: String {
        var object = JSONObjectText()
        if let items {
            var place = JSONObjectText()
            place.add("path", items.path.description)
            place.add("keyed_by", items.keyedBy)
            object.add("items", json: place.text)
        }
        object.add("key", json: "[\(key.map(JSONText.string).joined(separator: ","))]")
        object.add("columns", json: ColumnDefinition.json(columns))
        object.add("pagination", pagination)
        object.add("tried", triedElementCount)
        return object.text
    }

    /// Reads what `json` wrote; nil for anything else.
    init?(json: String) {
        self.init()
        guard case .object(let members)? = try? JSONValue(parsing: json),
            case .array(let names)? = members["key"], case .array(let columns)? = members["columns"]
        else { return nil }
        if case .object(let place)? = members["items"] {
            guard let path = place["path"]?.text.flatMap({ try? Path($0) }) else { return nil }
            items = ItemsRule(path: path, keyedBy: place["keyed_by"]?.text)
        }
        key = names.compactMap(\.text)
        self.columns = columns.compactMap(ColumnDefinition.init)
        guard key.count == names.count, self.columns.count == columns.count else { return nil }
        pagination = members["pagination"]?.text
        if case .number(let digits)? = members["tried"] { triedElementCount = Int(digits) }
    }
}

extension ColumnDefinition {
    /// Columns as a JSON array of `{name, path, type}`.
    static func json(_ columns: [ColumnDefinition]) -> String {
        "[\(columns.map(\.json).joined(separator: ","))]"
    }

    /// The column as `{name, path, type}`.
    var json: String {
        var object = JSONObjectText()
        object.add("name", name)
        object.add("path", path.description)
        object.add("type", type?.rawValue)
        return object.text
    }

    fileprivate init?(_ value: JSONValue) {
        guard case .object(let members) = value, let name = members["name"]?.text,
            let path = members["path"]?.text.flatMap({ try? Path($0) })
        else { return nil }
        self.init(name: name, path: path, type: members["type"]?.text.flatMap(ColumnType.init))
    }
}
