internal import YAML

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
