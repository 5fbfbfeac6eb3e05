internal import Text
internal import YAML

/// New bytes in place of others.
struct TextEdit {
    private let range: Range<Int>
    private let bytes: [UInt8]

    init(_ range: Range<Int>, _ text: String = "") {
        self.range = range
        bytes = Array(text.utf8)
    }

    static func applying(_ edits: [TextEdit], to bytes: [UInt8]) -> [UInt8] {
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

/// The edits that add a feed after the last one.
struct InsertionEdits {
    let layout: ConfigurationLayout
    /// True if `feeds` is absent or empty.
    let hasNoFeeds: Bool

    /// The edits; nil if the feed's place is unclear.
    func edits(of entry: FeedEntry) -> [TextEdit]? {
        guard let root = layout.document.root, !isNothing(root) else {
            return [
                layout.lines(
                    ["feeds:"] + ConfigurationText.block(entry, indentation: 2, step: 2), at: layout.document.end)
            ]
        }
        guard root.shape == .mapping else { return nil }
        guard let feeds = root.pairs.first(where: { $0.key.text == "feeds" }) else {
            let whole = FeedEntry.Member(entry.name, .mapping(entry.members))
            guard !root.isFlow else { return inBraces(FeedEntry(name: "feeds", members: [whole]), of: root) }
            let column = root.pairs.first?.key.column ?? 0
            let text = ConfigurationText.block(entry, indentation: column + 2, step: 2)
            return [layout.lines([ConfigurationText.spaces(column) + "feeds:"] + text, at: layout.document.end)]
        }
        if feeds.value.shape == .mapping {
            return feeds.value.isFlow ? inBraces(entry, of: feeds.value) : asBlock(entry, in: feeds.value, of: root)
        }
        guard feeds.value.shape == .scalar, !feeds.value.isMarked, hasNoFeeds else { return nil }
        if root.isFlow {
            return [TextEdit(feeds.value.bytes, "{\(ConfigurationText.flow(entry, asJSON: layout.isJSON(root)))}")]
        }
        let column = feeds.key.column
        let place = layout.fillerEnd(after: feeds.value.bytes.upperBound, deeperThan: column)
        let text = ConfigurationText.block(entry, indentation: column + 2, step: 2)
        // A `null` there is in the way.
        let null = feeds.value.bytes.isEmpty ? [] : [TextEdit(feeds.value.bytes)]
        return null + [layout.lines(text, at: place)]
    }

    /// An empty document has an empty scalar.
    private func isNothing(_ root: Layout) -> Bool { root.shape == .scalar && root.bytes.isEmpty && !root.isMarked }

    private func asBlock(_ entry: FeedEntry, in feeds: Layout, of root: Layout) -> [TextEdit]? {
        guard let first = feeds.pairs.first, let last = feeds.pairs.last else { return nil }
        let outer = root.pairs.first?.key.column ?? 0
        let inner = feeds.pairs.map(\.value).first { $0.shape == .mapping && !$0.isFlow }?.children.first
        let step = inner.map { $0.column - first.key.column } ?? max(2, first.key.column - outer)
        let end = last.value.bytes.upperBound
        let place = layout.fillerEnd(after: end, deeperThan: outer)
        // Behind a block of text a blank line could become part of it.
        let isPartitioned = feeds.pairs.count > 1 && hasBlankLine(before: last.key) && !layout.text.isLineStart(end)
        let block = ConfigurationText.block(entry, indentation: first.key.column, step: max(1, step))
        return [layout.lines((isPartitioned ? [""] : []) + block, at: place)]
    }

    private func hasBlankLine(before key: Layout) -> Bool {
        let text = layout.text
        var start = text.lineStart(of: key.bytes.lowerBound)
        while start > text.lineStart(of: 0) {
            start = text.lineStart(of: start - 1)
            switch text.filler(from: start) {
            case .blank: return true
            case .comment: continue
            case nil: return false
            }
        }
        return false
    }

    private func inBraces(_ entry: FeedEntry, of mapping: Layout) -> [TextEdit]? {
        let isJSON = layout.isJSON(mapping)
        let new = ConfigurationText.flow(entry, asJSON: isJSON)
        guard let last = mapping.pairs.last else {
            guard let brace = layout.bytes[mapping.bytes].firstIndex(of: UInt8(ascii: "{")) else { return nil }
            return [TextEdit(brace + 1..<brace + 1, new)]
        }
        let text = layout.text
        let end = max(last.key.bytes.upperBound, last.value.bytes.upperBound)
        let comma = layout.comma(after: end)
        let lineEnd = text.textEnd(from: comma ?? end)
        guard let start = layout.ownLine(of: last.key), text.filler(from: comma.map { $0 + 1 } ?? end) != nil else {
            return [TextEdit(end..<end, ", " + new)]
        }
        let indentation = String(decoding: layout.bytes[start..<last.key.bytes.lowerBound], as: UTF8.self)
        let line = text.lineBreak + indentation + new
        if comma != nil { return [TextEdit(lineEnd..<lineEnd, line + ",")] }
        if lineEnd == end { return [TextEdit(end..<end, "," + line)] }
        return [TextEdit(end..<end, ","), TextEdit(lineEnd..<lineEnd, line)]
    }
}

/// The edits of the members of a mapping: of `feeds`, or of one feed.
struct MemberEdits {
    let mapping: Layout
    let layout: ConfigurationLayout

    /// The edits that remove a member; nil if its bounds are unclear.
    func removal(of index: Int) -> [TextEdit]? { mapping.isFlow ? fromBraces(index) : fromBlock(index) }

    /// The edits that add a member, as in YAML or as in JSON; nil where there is no mapping with members.
    func addition(_ member: FeedEntry.Member) -> [TextEdit]? {
        guard mapping.shape == .mapping, let last = mapping.pairs.last else { return nil }
        let end = max(last.key.bytes.upperBound, last.value.bytes.upperBound)
        guard !mapping.isFlow else {
            let isJSON = layout.isJSON(mapping)
            let name = isJSON ? member.name.json : member.name
            return [TextEdit(end..<end, ", \(name): \(ConfigurationText.flow(member.value, asJSON: isJSON))")]
        }
        let place = layout.fillerEnd(after: end, deeperThan: last.key.column - 1)
        return [layout.lines(ConfigurationText.lines(of: member, indentation: last.key.column), at: place)]
    }

    /// The edits that give a member another value.
    func replacement(of pair: (key: Layout, value: Layout), by value: FeedEntry.Value) -> [TextEdit] {
        let text = ConfigurationText.flow(value, asJSON: layout.isJSON(mapping))
        let gap = layout.bytes[pair.key.bytes.upperBound..<pair.value.bytes.lowerBound]
        let isOnOtherLines = gap.contains(UInt8(ascii: "\n"))
        let lines = layout.text
        var end = pair.value.bytes.upperBound
        // A block of text ends with its last line break.
        while end > pair.value.bytes.lowerBound, lines.isLineStart(end) {
            end = lines.textEnd(from: lines.lineStart(of: end - 1))
        }
        guard isOnOtherLines, !mapping.isFlow else { return [TextEdit(pair.value.bytes.lowerBound..<end, text)] }
        return [TextEdit(pair.key.bytes.upperBound..<end, ": \(text)")]
    }

    private func fromBlock(_ index: Int) -> [TextEdit]? {
        let pairs = mapping.pairs
        let pair = pairs[index]
        guard var start = layout.ownLine(of: pair.key) else { return nil }
        let text = layout.text
        let isLast = index == pairs.count - 1
        var end = layout.fillerEnd(
            after: max(pair.key.bytes.upperBound, pair.value.bytes.upperBound), deeperThan: pair.key.column)
        // Blank lines separate feeds: the removed feed takes one separator with it.
        if index > 0, isLast || layout.isBlank(end) {
            let before = pairs[index - 1].value.bytes.upperBound
            while start > before, layout.isBlank(text.lineStart(of: start - 1)), text.lineStart(of: start - 1) >= before
            {
                start = text.lineStart(of: start - 1)
            }
        } else if index == 0, !isLast {
            while layout.isBlank(end), end < layout.bytes.count { end = text.nextLine(from: end) }
        }
        // A text that ended without a line break still does.
        if end == layout.bytes.count, !text.isLineStart(end), start > 0 {
            start = text.textEnd(from: text.lineStart(of: start - 1))
        }
        return [TextEdit(start..<max(start, end))]
    }

    private func fromBraces(_ index: Int) -> [TextEdit]? {
        let pairs = mapping.pairs
        let pair = pairs[index]
        let text = layout.text
        let end = max(pair.key.bytes.upperBound, pair.value.bytes.upperBound)
        let comma = layout.comma(after: end)
        let isLast = index == pairs.count - 1
        let before =
            index > 0 ? max(pairs[index - 1].key.bytes.upperBound, pairs[index - 1].value.bytes.upperBound) : nil
        let after = comma.map { $0 + 1 } ?? end
        guard let start = layout.ownLine(of: pair.key), start > 0, text.filler(from: after) != nil else {
            if !isLast { return [TextEdit(pair.key.bytes.lowerBound..<pairs[index + 1].key.bytes.lowerBound)] }
            // A comma behind the last one stays behind the new last one.
            return [before.map { TextEdit($0..<end) } ?? TextEdit(pair.key.bytes.lowerBound..<after)]
        }
        guard isLast else { return [TextEdit(start..<text.nextLine(from: after))] }
        let lines = TextEdit(text.textEnd(from: text.lineStart(of: start - 1))..<text.textEnd(from: after))
        guard comma == nil, let before, let separator = layout.comma(after: before) else { return [lines] }
        return [TextEdit(separator..<separator + 1), lines]
    }
}

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
