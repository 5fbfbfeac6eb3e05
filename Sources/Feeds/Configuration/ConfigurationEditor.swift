internal import Text
internal import YAML

/// Adds, changes, renames and removes feeds in the text of a configuration, and leaves every other byte as it is.
///
/// It is pure. The new text is parsed before it is returned: it must have the same meaning as before, apart from the
/// one feed, or an error is thrown.
///
/// A feed is added after the last one, in the style of the text: as a block or in braces, as JSON, with a blank line
/// before it if the others have one. A feed is removed with the comments inside it. Comments above it stay: they may be
/// about more than this feed.
package struct ConfigurationEditor: Sendable {
    private let file: String
    private let node: Node?
    private let layout: ConfigurationLayout

    /// An editor of the text of a configuration.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - file: Its name in errors.
    /// - Throws: `ConfigurationError` if it is not YAML.
    package init(_ bytes: [UInt8], file: String) throws(ConfigurationError) {
        self.file = file
        do throws(YAMLError) {
            node = try Node.parse(bytes, source: file)
            layout = ConfigurationLayout(bytes: bytes, document: try Layout.parse(bytes, source: file))
        } catch {
            throw ConfigurationError(error)
        }
    }

    /// The names of the feeds, in their order.
    package var names: [String] { feedPairs.compactMap(\.key.text) }

    /// A feed as it is written; nil where there is none of the name.
    package func entry(named name: String) -> FeedEntry? {
        guard let pair = feedPairs.first(where: { $0.key.text == name }), pair.value.pairs != nil,
            case .mapping(let members) = FeedEntry.Value(pair.value)
        else { return nil }
        return FeedEntry(name: name, members: members)
    }

    /// The text with another feed.
    ///
    /// - Throws: `ConfigurationError` if its place is unclear; the feed must be added by hand then.
    package func adding(_ entry: FeedEntry) throws(ConfigurationError) -> [UInt8] {
        guard !names.contains(entry.name) else { throw refused("feed `\(entry.name)` already exists") }
        if let name = ConfigurationText.nameTooLong(in: .mapping(entry.members)) {
            throw refused(
                "\(Excerpt.quoted(name, limit: 60)) is too long for the name of a member: YAML takes 1,024 characters")
        }
        let insertion = InsertionEdits(layout: layout, hasNoFeeds: node?["feeds"]?.isNull ?? true)
        let problem = "the feed cannot be added without changing other lines; add it by hand"
        return try applying(insertion.edits(of: entry), or: problem) { after in
            guard let added = Self.feeds(of: after).last, added.key.text == entry.name else { return false }
            return FeedEntry.Value.mapping(entry.members).isSame(as: added.value)
                && Self.isSame(node, after, without: [entry.name])
        }
    }

    /// The text with one feed less.
    ///
    /// - Throws: `ConfigurationError` if there is no such feed, or if something else would change, as where an alias
    ///   refers into it.
    package func removing(_ name: String) throws(ConfigurationError) -> [UInt8] {
        guard names.contains(name), let feeds = layout.feeds,
            let index = feeds.pairs.firstIndex(where: { $0.key.text == name }),
            let edits = MemberEdits(mapping: feeds, layout: layout).removal(of: index)
        else { throw refused("there is no feed `\(name)`") }
        let problem = "the feed `\(name)` cannot be removed without changing other lines; remove it by hand"
        return try applying(edits, or: problem) { after in
            Self.isSame(node, after, without: [name]) && after["feeds"]?[name] == nil
        }
    }

    /// The text with another name for a feed, also where others name it as their parent.
    ///
    /// - Throws: `ConfigurationError` if there is no such feed, or if something else would change.
    package func renaming(_ name: String, to new: String) throws(ConfigurationError) -> [UInt8] {
        guard names.contains(name) else { throw refused("there is no feed `\(name)`") }
        guard !names.contains(new) else { throw refused("feed `\(new)` already exists") }
        let problem = "the feed `\(name)` cannot be renamed without changing other lines; rename it by hand"
        /// Also true of the name, alone or before a column, and the new one.
        func isSameText(_ one: String, _ another: String) -> Bool {
            another == one || one == name && another == new
                || another == one.replacing("{\(name).", with: "{\(new).")
        }
        return try applying(RenamingEdits(layout: layout).edits(of: name, to: new), or: problem) { after in
            Self.isSame(node, after, without: Set(names + [new]))
                && Self.feeds(of: after).compactMap(\.key.text) == names.map { $0 == name ? new : $0 }
                && zip(feedPairs, Self.feeds(of: after)).allSatisfy { before, after in
                    before.value["for_each"] == nil
                        ? before.value.isSame(as: after.value)
                        : before.value.isSame(as: after.value, isSameText)
                }
        }
    }

    /// The line of the comment directly above a feed, which stays when the feed is removed; nil if there is none.
    package func commentLine(above name: String) -> Int? {
        guard let pair = layout.feed(name), let start = layout.ownLine(of: pair.key) else { return nil }
        let text = layout.text
        guard start > text.lineStart(of: 0), case .comment? = text.filler(from: text.lineStart(of: start - 1)) else {
            return nil
        }
        return text.number(of: start) - 1
    }

    /// The lines of a feed, with its name, as they are written: those in a block without the indentation that they
    /// share. Nil if there is no such feed.
    package func source(of name: String) -> String? {
        guard let place = place(of: name) else { return nil }
        let text = String(decoding: layout.bytes[place.bytes], as: UTF8.self)
        guard let column = place.column else { return text }
        return Self.lines(of: text).map { line in
            String(line.dropFirst(line.prefix(column).prefix { $0 == " " }.count))
        }.joined(separator: "\n")
    }

    /// The text with other lines for a feed, which keep its name.
    ///
    /// - Throws: `ConfigurationError` if there is no such feed, if the lines are no YAML or another feed's, or if
    ///   something else would change.
    package func replacing(_ name: String, with source: String) throws(ConfigurationError) -> [UInt8] {
        guard let place = place(of: name) else { throw refused("there is no feed `\(name)`") }
        let written = try Node.ofConfiguration(Array(source.utf8), source: file)
        guard let pairs = written?.pairs, pairs.count == 1, pairs[0].key.text == name else {
            throw refused("the text must begin with `\(name):`, and have no other feed")
        }
        let edit = TextEdit(place.bytes, indented(source, by: place.column))
        let problem = "the feed `\(name)` cannot be changed without changing other lines; edit the file"
        return try applying([edit], or: problem) { after in
            isSame(after, besides: name) && after["feeds"]?[name]?.isSame(as: pairs[0].value) == true
        }
    }

    /// The text with a value for a member of a feed, or without the member.
    ///
    /// - Parameter value: Nil to remove the member.
    /// - Throws: `ConfigurationError` if there is no such feed, or if something else would change.
    package func setting(_ member: String, of name: String, to value: FeedEntry.Value?) throws(ConfigurationError)
        -> [UInt8]
    {
        guard let feed = layout.feed(name)?.value, let pairs = node?["feeds"]?[name]?.pairs else {
            throw refused("there is no feed `\(name)`")
        }
        let index = feed.pairs.firstIndex { $0.key.text == member }
        let members = MemberEdits(mapping: feed, layout: layout)
        let edits: [TextEdit]? =
            switch (index, value) {
            case (let index?, let value?): members.replacement(of: feed.pairs[index], by: value)
            case (let index?, nil): feed.pairs.count > 1 ? members.removal(of: index) : nil
            case (nil, let value?): members.addition(FeedEntry.Member(member, value))
            case (nil, nil): []
            }
        let problem = "the feed `\(name)` cannot be changed without changing other lines; edit the file"
        return try applying(edits, or: problem) { after in
            guard isSame(after, besides: name), let feed = after["feeds"]?[name], let all = feed.pairs else {
                return false
            }
            return Self.isSame(feed[member], value)
                && Self.isSame(pairs.filter { $0.key.text != member }, all.filter { $0.key.text != member })
        }
    }

    /// The edited text, if it still is YAML and means what it should; a problem otherwise, or without edits.
    private func applying(
        _ edits: [TextEdit]?, or problem: String, _ isMeant: (Node) -> Bool
    ) throws(ConfigurationError) -> [UInt8] {
        guard let text = edits.map({ TextEdit.applying($0, to: layout.bytes) }),
            let after = try? Node.parse(text, source: file), isMeant(after)
        else { throw refused(problem) }
        return text
    }

    private var feedPairs: [Node.Pair] { Self.feeds(of: node) }

    private static func feeds(of node: Node?) -> [Node.Pair] { node?["feeds"]?.pairs ?? [] }

    /// True if another text has the same meaning apart from one feed, and the same feeds in the same order.
    private func isSame(_ after: Node?, besides name: String) -> Bool {
        Self.isSame(node, after, without: [name]) && Self.feeds(of: after).compactMap(\.key.text) == names
    }

    /// True if both have the same meaning apart from feeds of these names; an absent or empty `feeds` has none.
    private static func isSame(_ before: Node?, _ after: Node?, without names: Set<String>) -> Bool {
        let others = [before, after].map { node in
            (node?.pairs ?? []).filter { $0.key.text != "feeds" }
        }
        let kept = [before, after].map { node in feeds(of: node).filter { !names.contains($0.key.text ?? "") } }
        return [others, kept].allSatisfy { isSame($0[0], $0[1]) }
    }

    private static func isSame(_ one: [Node.Pair], _ another: [Node.Pair]) -> Bool {
        one.elementsEqual(another) { $0.key.isSame(as: $1.key) && $0.value.isSame(as: $1.value) }
    }

    private func refused(_ problem: String) -> ConfigurationError {
        let place = layout.document.root?.pairs.first { $0.key.text == "feeds" }?.key.bytes.lowerBound
        let line = place.map { offset in layout.text.number(of: offset) }
        let position = line.map { SourcePosition(file: file, line: $0, column: 1) } ?? SourcePosition(file: file)
        return ConfigurationError(Diagnostic(position: position, problem: problem))
    }

    private static func isSame(_ node: Node?, _ value: FeedEntry.Value?) -> Bool {
        guard let node, let value else { return node == nil && value == nil }
        return value.isSame(as: node)
    }

    /// The bytes of a feed with its name: in a block all its lines, indented by a column.
    private func place(of name: String) -> (bytes: Range<Int>, column: Int?)? {
        guard let pair = layout.feed(name) else { return nil }
        let end = max(pair.key.bytes.upperBound, pair.value.bytes.upperBound)
        guard layout.feeds?.isFlow == false, let start = layout.ownLine(of: pair.key) else {
            return (pair.key.bytes.lowerBound..<end, nil)
        }
        let lines = layout.text
        var last = layout.fillerEnd(after: end, deeperThan: pair.key.column)
        while last > start, lines.isLineStart(last) { last = lines.textEnd(from: lines.lineStart(of: last - 1)) }
        return (start..<last, pair.key.column)
    }

    private func indented(_ source: String, by column: Int?) -> String {
        var lines = Self.lines(of: source)
        while lines.last?.allSatisfy({ $0 == " " }) == true { lines.removeLast() }
        let space = ConfigurationText.spaces(column ?? 0)
        return lines.map { $0.isEmpty ? "" : space + $0 }.joined(separator: layout.text.lineBreak)
    }

    private static func lines(of text: String) -> [Substring] {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    }
}
