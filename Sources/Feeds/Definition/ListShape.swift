internal import YAML

/// A list in a feed's items, of which a view shows each element: its column, and what its elements have.
package struct ListShape: Sendable, Hashable, JSONRecord {
    /// The column that holds the list as JSON.
    package let column: String
    /// The members of its elements, in the order in which they came.
    package private(set) var members: [String] = []
    /// True if an element was no object.
    package var hasPlain = false

    /// The most members that a view shows.
    static let mostMembers = 200

    package init(column: String) { self.column = column }

    /// Adds a member, if it is new and can be shown.
    package mutating func add(_ member: String) {
        guard !member.utf8.contains(0), members.count < Self.mostMembers, !members.contains(member) else { return }
        members.append(member)
    }

    /// The name of the view, beside a feed's table.
    package func viewName(of table: String) -> String { String("\(table)_\(column)".map { $0 == "-" ? "_" : $0 }) }

    /// The names of a view's columns: those of the row's key, the element's place, and what it has.
    package func columnNames(key: [String]) -> [String] {
        ColumnNames.columnNames(for: key + ["position"] + (hasPlain ? ["value"] : []) + members)
    }

    package var fields: JSONFields {
        let names = JSONDocument("[\(members.map(JSONText.string).joined(separator: ","))]")
        return ["column": column, "members": names, "plain": hasPlain]
    }

    /// The lists as the store has them; empty for anything else.
    package static func all(_ json: String?) -> [ListShape] {
        guard let json, let elements = try? JSONValue(parsing: json).elements else { return [] }
        return elements.compactMap { element in
            guard case .object(let object) = element, let column = object["column"]?.text,
                case .array(let names)? = object["members"]
            else { return nil }
            var list = ListShape(column: column)
            for name in names.compactMap(\.text) { list.add(name) }
            list.hasPlain = object["plain"] == .bool(true)
            return list
        }
    }
}

extension FeedDefinition {
    /// The columns of its `lists`, each once, as far as it has them.
    package var listColumns: [String] { ShowRule.columns(lists, among: columns) }
}

extension ColumnDefinition {
    /// The column as JSON, if it is one of the lists and the definition gives it no type.
    func asList(among lists: [String], of columns: [ColumnDefinition]) -> ColumnDefinition {
        guard type == nil, derivation == nil else { return self }
        let known = columns.map { (name: $0.name, path: Optional($0.path.description)) }
        guard lists.contains(where: { ShowRule.column($0, among: known) == name }) else { return self }
        return ColumnDefinition(name: name, path: path, type: .json)
    }
}

extension MappingDecoder {
    /// The feed's `lists`: columns, by name or path.
    ///
    /// - Parameters:
    ///   - columns: The feed's columns.
    ///   - isOpen: True if there are others, which are still to be found.
    func lists(_ name: String, of columns: [ColumnDefinition], isOpen: Bool) -> [String] {
        let words = strings(name)
        if words.isEmpty, node(name)?.elements != nil { report("`\(name)` of \(subject) is empty", at: name) }
        let known = columns.map { (name: $0.name, path: Optional($0.path.description)) }
        for (text, node) in words {
            let column = ShowRule.column(text, among: known)
            if let column = columns.first(where: { $0.name == column }) {
                guard let type = column.type, type != .json else { continue }
                report(
                    "`lists` of \(subject) has `\(text)`, which is \(type.rawValue), and no list",
                    at: SourcePosition(node.mark), word: text)
            }
            guard column == nil, !isOpen else { continue }
            report(
                "`\(name)` of \(subject) is none of its columns: `\(text)`", at: SourcePosition(node.mark), word: text,
                suggestion: NearestWord.suggestion(for: text, among: columns.map(\.name)))
        }
        return words.map(\.text)
    }
}
