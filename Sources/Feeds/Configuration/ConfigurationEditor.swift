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
    let bytes: [UInt8]
    let file: String
    private let node: Node?
    let document: Layout.Document

    /// An editor of the text of a configuration.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - file: Its name in errors.
    /// - Throws: `ConfigurationError` if it is no YAML.
    package init(_ bytes: [UInt8], file: String) throws(ConfigurationError) {
        self.bytes = bytes
        self.file = file
        do throws(YAMLError) {
            node = try Node.parse(bytes, source: file)
            document = try Layout.parse(bytes, source: file)
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
        guard let edits = additions(of: entry) else {
            throw refused("the feed cannot be added without changing other lines; add it by hand")
        }
        let text = Self.applying(edits, to: bytes)
        guard let after = try? Self.parsed(text, file), let added = Self.feeds(of: after).last,
            added.key.text == entry.name,
            FeedEntry.Value.mapping(entry.members).isSame(as: added.value),
            Self.isSame(node, after, without: [entry.name])
        else { throw refused("the feed cannot be added without changing other lines; add it by hand") }
        return text
    }

    /// The text with one feed less.
    ///
    /// - Throws: `ConfigurationError` if there is no such feed, or if something else would change, as where an alias
    ///   refers into it.
    package func removing(_ name: String) throws(ConfigurationError) -> [UInt8] {
        guard names.contains(name), let edits = removals(of: name) else { throw refused("there is no feed `\(name)`") }
        let text = Self.applying(edits, to: bytes)
        let problem = "the feed `\(name)` cannot be removed without changing other lines; remove it by hand"
        guard let after = try? Self.parsed(text, file), Self.isSame(node, after, without: [name]),
            !Self.feeds(of: after).contains(where: { $0.key.text == name })
        else { throw refused(problem) }
        return text
    }

    /// The text with another name for a feed, also where others name it as their parent.
    ///
    /// - Throws: `ConfigurationError` if there is no such feed, or if something else would change.
    package func renaming(_ name: String, to new: String) throws(ConfigurationError) -> [UInt8] {
        guard names.contains(name) else { throw refused("there is no feed `\(name)`") }
        guard !names.contains(new) else { throw refused("feed `\(new)` already exists") }
        let problem = "the feed `\(name)` cannot be renamed without changing other lines; rename it by hand"
        guard let edits = renaming(of: name, to: new) else { throw refused(problem) }
        let text = Self.applying(edits, to: bytes)
        guard let after = try? Self.parsed(text, file), Self.isSame(node, after, without: Set(names + [new])),
            Self.feeds(of: after).compactMap(\.key.text) == names.map({ $0 == name ? new : $0 }),
            zip(feedPairs, Self.feeds(of: after)).allSatisfy({ before, after in
                before.value["for_each"] == nil
                    ? before.value.isSame(as: after.value)
                    : before.value.isSame(as: after.value, but: name, isNow: new)
            })
        else { throw refused(problem) }
        return text
    }

    /// True if `feeds` is absent or empty.
    var hasNoFeeds: Bool { node?["feeds"]?.isNull ?? true }

    var feedPairs: [Node.Pair] { Self.feeds(of: node) }

    static func feeds(of node: Node?) -> [Node.Pair] { node?["feeds"]?.pairs ?? [] }

    static func parsed(_ text: [UInt8], _ file: String) throws(ConfigurationError) -> Node? {
        do throws(YAMLError) { return try Node.parse(text, source: file) } catch { throw ConfigurationError(error) }
    }

    /// True if another text has the same meaning apart from one feed, and the same feeds in the same order.
    func isSame(_ after: Node?, besides name: String) -> Bool {
        Self.isSame(node, after, without: [name]) && Self.feeds(of: after).compactMap(\.key.text) == names
    }

    /// True if both have the same meaning apart from feeds of these names; an absent or empty `feeds` has none.
    private static func isSame(_ before: Node?, _ after: Node?, without names: Set<String>) -> Bool {
        let others = [before, after].map { node in
            (node?.pairs ?? []).filter { $0.key.text != "feeds" }
        }
        let kept = [before, after].map { node in feeds(of: node).filter { !names.contains($0.key.text ?? "") } }
        return [others, kept].allSatisfy { lists in
            lists[0].count == lists[1].count
                && zip(lists[0], lists[1]).allSatisfy { $0.key.isSame(as: $1.key) && $0.value.isSame(as: $1.value) }
        }
    }

    func refused(_ problem: String) -> ConfigurationError {
        let place = document.root?.pairs.first { $0.key.text == "feeds" }?.key.bytes.lowerBound
        let line = place.map { offset in TextLines(bytes).number(of: offset) }
        let position = line.map { SourcePosition(file: file, line: $0, column: 1) } ?? SourcePosition(file: file)
        return ConfigurationError(Diagnostic(position: position, problem: problem))
    }
}

extension ConfigurationEditor {
    /// New bytes in place of others.
    struct Edit {
        let range: Range<Int>
        let bytes: [UInt8]

        init(_ range: Range<Int>, _ text: String = "") {
            self.range = range
            bytes = Array(text.utf8)
        }
    }

    static func applying(_ edits: [Edit], to bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var position = 0
        for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            // Edits never overlap; one that did would be found when the text is read again.
            let start = max(position, min(edit.range.lowerBound, bytes.count))
            result += bytes[position..<start] + edit.bytes
            position = max(start, min(edit.range.upperBound, bytes.count))
        }
        return result + bytes[position...]
    }
}
