internal import YAML

extension ConfigurationEditor {
    /// The edits that add a feed; nil if its place is unclear.
    func additions(of entry: FeedEntry) -> [Edit]? {
        guard let root = document.root, !isNothing(root) else {
            return [lines(["feeds:"] + ConfigurationText.block(entry, indentation: 2, step: 2), at: document.end)]
        }
        guard root.shape == .mapping else { return nil }
        guard let feeds = root.pairs.first(where: { $0.key.text == "feeds" }) else {
            let whole = FeedEntry.Member(entry.name, .mapping(entry.members))
            guard !root.isFlow else { return inBraces(FeedEntry(name: "feeds", members: [whole]), of: root) }
            let column = root.pairs.first?.key.column ?? 0
            let text = ConfigurationText.block(entry, indentation: column + 2, step: 2)
            return [lines([ConfigurationText.spaces(column) + "feeds:"] + text, at: document.end)]
        }
        if feeds.value.shape == .mapping {
            return feeds.value.isFlow ? inBraces(entry, of: feeds.value) : asBlock(entry, in: feeds.value, of: root)
        }
        guard feeds.value.shape == .scalar, !feeds.value.isMarked, hasNoFeeds else { return nil }
        if root.isFlow {
            return [Edit(feeds.value.bytes, "{\(ConfigurationText.flow(entry, asJSON: isJSON(root)))}")]
        }
        let column = feeds.key.column
        let place = fillerEnd(after: feeds.value.bytes.upperBound, deeperThan: column)
        let text = ConfigurationText.block(entry, indentation: column + 2, step: 2)
        // A `null` there is in the way.
        let null = feeds.value.bytes.isEmpty ? [] : [Edit(feeds.value.bytes)]
        return null + [lines(text, at: place)]
    }

    /// An empty document has an empty scalar.
    private func isNothing(_ root: Layout) -> Bool { root.shape == .scalar && root.bytes.isEmpty && !root.isMarked }

    private func asBlock(_ entry: FeedEntry, in feeds: Layout, of root: Layout) -> [Edit]? {
        guard let first = feeds.pairs.first, let last = feeds.pairs.last else { return nil }
        let text = TextLines(bytes)
        let outer = root.pairs.first?.key.column ?? 0
        let inner = feeds.pairs.map(\.value).first { $0.shape == .mapping && !$0.isFlow }?.children.first
        let step = inner.map { $0.column - first.key.column } ?? max(2, first.key.column - outer)
        let end = last.value.bytes.upperBound
        let place = fillerEnd(after: end, deeperThan: outer)
        // Behind a block of text a blank line could become part of it.
        let isPartitioned = feeds.pairs.count > 1 && hasBlankLine(before: last.key, text) && !text.isLineStart(end)
        let block = ConfigurationText.block(entry, indentation: first.key.column, step: max(1, step))
        return [lines((isPartitioned ? [""] : []) + block, at: place)]
    }

    private func hasBlankLine(before key: Layout, _ text: TextLines) -> Bool {
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

    /// Whole lines at the beginning of a line, or behind the last one where that has no line break.
    func lines(_ lines: [String], at place: Int) -> Edit {
        let text = TextLines(bytes)
        let block = lines.joined(separator: text.lineBreak)
        let isBehind = !text.isLineStart(place)
        return Edit(place..<place, isBehind ? text.lineBreak + block : block + text.lineBreak)
    }

    /// The end of the lines that belong to the text before `end`: the rest of its own line, and comments below it that
    /// are indented deeper than a column. Blank lines after the last of them do not belong.
    func fillerEnd(after end: Int, deeperThan column: Int) -> Int {
        let text = TextLines(bytes)
        var place = text.isLineStart(end) ? end : text.nextLine(from: end)
        var last = place
        while place < document.end, text.isLineStart(place), let filler = text.filler(from: place) {
            place = text.nextLine(from: place)
            guard case .comment(let own) = filler else { continue }
            guard own > column else { break }
            last = place
        }
        return last
    }

    private func inBraces(_ entry: FeedEntry, of mapping: Layout) -> [Edit]? {
        let isJSON = isJSON(mapping)
        let new = ConfigurationText.flow(entry, asJSON: isJSON)
        guard let last = mapping.pairs.last else {
            guard let brace = bytes[mapping.bytes].firstIndex(of: UInt8(ascii: "{")) else { return nil }
            return [Edit(brace + 1..<brace + 1, new)]
        }
        let text = TextLines(bytes)
        let end = max(last.key.bytes.upperBound, last.value.bytes.upperBound)
        let comma = comma(after: end)
        let lineEnd = text.textEnd(from: comma ?? end)
        guard let start = ownLine(of: last.key), text.filler(from: comma.map { $0 + 1 } ?? end) != nil else {
            return [Edit(end..<end, ", " + new)]
        }
        let indentation = String(decoding: bytes[start..<last.key.bytes.lowerBound], as: UTF8.self)
        let line = text.lineBreak + indentation + new
        if comma != nil { return [Edit(lineEnd..<lineEnd, line + ",")] }
        if lineEnd == end { return [Edit(end..<end, "," + line)] }
        return [Edit(end..<end, ","), Edit(lineEnd..<lineEnd, line)]
    }

    /// True if names are in double quotes, as in JSON.
    func isJSON(_ mapping: Layout) -> Bool {
        let name = mapping.pairs.first?.key ?? document.root?.pairs.first?.key
        return name.map { bytes[$0.bytes].first == UInt8(ascii: "\"") } ?? false
    }
}
