internal import YAML

/// The columns to show of an item, by name or by the path from which they are filled.
package struct ShowRule: Sendable, Hashable {
    /// The item's title.
    package var title: String?
    /// The item's text.
    package var text: String?
    /// The item's web page.
    package var link: String?
    /// The item's picture.
    package var picture: String?
    /// The item's time.
    package var time: String?
    /// Counts and other short values, in order.
    package var figures: [String] = []

    package init() {}

    /// All that can be read in a line, in the order in which people read it.
    package var columns: [String] { [title].compactMap(\.self) + figures + [text, link].compactMap(\.self) }

    /// The column that a word of the rule means; nil if there is none.
    ///
    /// - Parameter columns: Names and paths.
    package static func column(
        _ word: String, among columns: [(name: String, path: String?)]
    ) -> String? {
        let path = (try? Path(word))?.description ?? word
        return columns.first { $0.name == word }?.name ?? columns.first { $0.path == path }?.name
    }

    /// The names of the columns that words mean, each once, in the order of the words.
    static func columns(_ words: [String], among columns: [ColumnDefinition]) -> [String] {
        let known = columns.map { (name: $0.name, path: Optional($0.path.description)) }
        var found: [String] = []
        for word in words {
            guard let name = column(word, among: known), !found.contains(name) else { continue }
            found.append(name)
        }
        return found
    }
}

extension MappingDecoder {
    /// A mapping of columns to show.
    ///
    /// - Parameters:
    ///   - columns: The feed's columns.
    ///   - isOpen: True if further columns are still to be discovered.
    func showRule(_ name: String, of columns: [ColumnDefinition], isOpen: Bool) -> ShowRule? {
        guard let members = reader(name) else { return nil }
        defer { members.finish() }
        var rule = ShowRule()
        rule.title = members.string("title")
        rule.text = members.string("text")
        rule.link = members.string("link")
        rule.picture = members.string("picture")
        rule.time = members.string("time")
        let figures = members.strings("figures")
        rule.figures = figures.map(\.text)
        guard !isOpen else { return rule }
        let known = columns.map { (name: $0.name, path: Optional($0.path.description)) }
        let words = ["title", "text", "link", "picture", "time"].compactMap { place in
            members.node(place).map { (place, $0) }
        }
        for (place, node) in words + figures.map({ ("figures", $0.node) }) {
            guard let word = node.text, ShowRule.column(word, among: known) == nil else { continue }
            members.report(
                "`\(place)` in `\(name)` of \(subject) is none of its columns: `\(word)`",
                at: SourcePosition(node.mark), word: word,
                suggestion: NearestWord.suggestion(for: word, among: columns.map(\.name)))
        }
        return rule
    }
}
