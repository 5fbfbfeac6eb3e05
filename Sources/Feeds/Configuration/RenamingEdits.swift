internal import YAML

/// The edits that rename a feed: its name, with its quotes, and the names in the `for_each` of other feeds.
struct RenamingEdits {
    let layout: ConfigurationLayout

    /// The edits; nil if there is no feed of the name, or its name is more than a word.
    func edits(of name: String, to new: String) -> [TextEdit]? {
        guard let feeds = layout.feeds, let key = layout.feed(name)?.key, key.shape == .scalar, !key.isMarked
        else { return nil }
        let others = feeds.pairs.flatMap { pair in
            pair.value.pairs.first { $0.key.text == "for_each" }.map { rule in
                parentEdits(rule.value, name, new) + pair.value.children.flatMap { columnEdits($0, name, new) }
            } ?? []
        }
        return [edit(key, to: new)] + others
    }

    private func edit(_ scalar: Layout, to new: String) -> TextEdit {
        switch layout.bytes[scalar.bytes].first {
        case UInt8(ascii: "'"): TextEdit(scalar.bytes, "'\(new)'")
        case UInt8(ascii: "\""): TextEdit(scalar.bytes, ConfigurationText.scalar(new, asJSON: true))
        default: TextEdit(scalar.bytes, ConfigurationText.scalar(new))
        }
    }

    /// The name of the parent in `for_each`.
    private func parentEdits(_ rule: Layout, _ name: String, _ new: String) -> [TextEdit] {
        let feed = rule.shape == .mapping ? rule.pairs.first { $0.key.text == "feed" }?.value : rule
        guard let feed, feed.shape == .scalar, feed.text == name, !feed.isMarked else { return [] }
        return [edit(feed, to: new)]
    }

    /// The columns in braces.
    private func columnEdits(_ value: Layout, _ name: String, _ new: String) -> [TextEdit] {
        guard value.shape == .scalar else { return value.children.flatMap { columnEdits($0, name, new) } }
        let text = String(decoding: layout.bytes[value.bytes], as: UTF8.self)
        let renamed = text.replacing("{\(name).", with: "{\(new).")
        return renamed == text ? [] : [TextEdit(value.bytes, renamed)]
    }
}

extension Node {
    /// True if the other node differs only in the feed's name, alone or before a column.
    func isSame(as other: Node, but name: String, isNow new: String) -> Bool {
        switch (content, other.content) {
        case (.scalar(let one), .scalar(let another)):
            [one.text, one.text == name ? new : one.text, one.text.replacing("{\(name).", with: "{\(new).")]
                .contains(another.text) && one.resolution == another.resolution
        case (.sequence(let one), .sequence(let another)):
            one.count == another.count
                && zip(one, another).allSatisfy { $0.isSame(as: $1, but: name, isNow: new) }
        case (.mapping(let one), .mapping(let another)):
            one.count == another.count
                && zip(one, another).allSatisfy {
                    $0.key.isSame(as: $1.key) && $0.value.isSame(as: $1.value, but: name, isNow: new)
                }
        default: false
        }
    }
}
