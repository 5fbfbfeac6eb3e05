extension Findings: JSONRecord {
    /// The findings as stored.
    package var fields: JSONFields {
        let place: JSONFields? = items.map { ["path": $0.path.description, "keyed_by": $0.keyedBy] }
        let found: JSONFields = [
            "key": key, "columns": columns, "pagination": pagination, "tried": triedElementCount,
        ]
        let length: JSONFields = mayGoOn ? ["may_go_on": true] : [:]
        let failed: JSONFields = failedSearchCount > 0 ? ["failed": failedSearchCount] : [:]
        let kind: JSONFields = format.map { ["format": $0.rawValue] } ?? [:]
        let told: JSONFields = sign.map { ["sign": $0] } ?? [:]
        let keys: JSONFields = triedKeys.map { ["tried_keys": $0] } ?? [:]
        let signs: JSONFields = triedSigns.map { ["tried_signs": $0] } ?? [:]
        let stray: JSONFields = strayItemCount.map { ["stray": $0] } ?? [:]
        return kind + told + length + failed + keys + signs + stray + (place.map { ["items": $0] } ?? [:]) + found
    }

    /// Reads the output of `json`; nil for anything else.
    package init?(json: String) {
        self.init()
        guard let members = try? JSONValue(parsing: json).members, let names = members["key"]?.elements,
            let columns = members["columns"]?.elements
        else { return nil }
        format = members["format"]?.text.flatMap { FeedFormat(rawValue: $0) }
        if let place = members["items"]?.members {
            guard let path = place["path"]?.text.flatMap({ try? Path($0) }) else { return nil }
            items = ItemsRule(path: path, keyedBy: place["keyed_by"]?.text)
        }
        key = names.compactMap(\.text)
        self.columns = columns.compactMap(ColumnDefinition.init)
        guard key.count == names.count, self.columns.count == columns.count else { return nil }
        pagination = members["pagination"]?.text
        sign = members["sign"]?.text
        if case .number(let digits)? = members["failed"] { failedSearchCount = min(max(Int(digits) ?? 0, 0), 2) }
        mayGoOn = members["may_go_on"] == .bool(true)
        triedKeys = members["tried_keys"]?.text
        triedSigns = members["tried_signs"]?.text
        if case .number(let digits)? = members["stray"] { strayItemCount = Int(digits) }
        if case .number(let digits)? = members["tried"] { triedElementCount = Int(digits) }
    }
}

extension ColumnDefinition: JSONRecord {
    package var fields: JSONFields { ["name": name, "path": path.description, "type": type?.rawValue] }

    fileprivate init?(_ value: JSONValue) {
        guard let members = value.members, let name = members["name"]?.text,
            let path = members["path"]?.text.flatMap({ try? Path($0) })
        else { return nil }
        self.init(name: name, path: path, type: members["type"]?.text.flatMap(ColumnType.init))
    }
}
