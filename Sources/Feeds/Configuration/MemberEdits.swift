internal import Text
internal import YAML

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
