internal import YAML

/// The search of a feed: the columns to search, and the upstream's search parameter.
package struct SearchRule: Sendable, Hashable {
    /// The columns that can be searched for words, by name or by the path that they are filled from; the one that
    /// counts most first.
    package let words: [String]
    /// The query parameter for the upstream's search; nil if the upstream has none.
    package var parameter: String?

    /// The names of those that a feed has, in order.
    package func columns(among columns: [ColumnDefinition]) -> [String] {
        ShowRule.columns(words, among: columns)
    }
}

extension SearchRule {
    /// The first word that names none of a feed's columns, neither by name nor by path; nil if each names one.
    package func unknownWord(among columns: [ColumnDefinition]) -> String? {
        words.first { word in
            let path = try? Path(word)
            return !columns.contains { [word, path?.columnName].contains($0.name) || $0.path == path }
        }
    }
}

extension MappingDecoder {
    /// The feed's `search`: columns, or `{columns: …, param: …}`.
    ///
    /// - Parameters:
    ///   - columns: The feed's columns.
    ///   - isOpen: True if there are others, which are still to be found.
    func searchRule(_ name: String, of columns: [ColumnDefinition], isOpen: Bool) -> SearchRule? {
        guard let node = node(name) else { return nil }
        var words = [(text: String, node: Node)]()
        var parameter: String?
        if node.pairs != nil, let members = reader(name) {
            parameter = members.string("param")
            if parameter == nil {
                members.require("columns", "say which columns can be searched, or the upstream's `param`")
            }
            words = members.strings("columns")
            if parameter?.isEmpty == true { members.report("`param` of \(members.subject) is empty", at: "param") }
            members.finish()
        } else {
            words = strings(name)
        }
        if words.isEmpty, node.elements != nil { report("`\(name)` of \(subject) is empty", at: name) }
        let known = columns.map { (name: $0.name, path: Optional($0.path.description)) }
        for (text, node) in words {
            let column = ShowRule.column(text, among: known)
            // FTS5 has columns of its own of these names: https://sqlite.org/fts5.html
            if ["rank", "rowid"].contains((column ?? text).lowercased()) {
                report(
                    "SQLite cannot search a column of the name `\(text)`: give it another in `columns`",
                    at: SourcePosition(node.mark), word: text)
            } else if column == nil, !isOpen {
                report(
                    "`\(name)` of \(subject) is none of its columns: `\(text)`", at: SourcePosition(node.mark),
                    word: text, suggestion: NearestWord.suggestion(for: text, among: columns.map(\.name)))
            }
        }
        return SearchRule(words: words.map(\.text), parameter: parameter)
    }
}

extension FeedDefinition {
    /// The same feed, with a request for the items that match a text; nil if it has no parameter for that.
    package func asking(for text: String) -> FeedDefinition? {
        guard let parameter = search?.parameter else { return nil }
        var feed = self
        feed.query.removeAll { $0.name == parameter }
        feed.query.append(NamedTemplate(name: parameter, value: Template([.literal(text)], position: position)))
        return feed
    }
}
