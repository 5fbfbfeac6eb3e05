internal import YAML

extension ConfigurationEditor {
    /// The line of the comment directly above a feed, which stays when the feed is removed; nil if there is none.
    package func commentLine(above name: String) -> Int? {
        guard let feeds, let pair = feeds.pairs.first(where: { $0.key.text == name }), let start = ownLine(of: pair.key)
        else { return nil }
        let text = TextLines(bytes)
        guard start > text.lineStart(of: 0), case .comment? = text.filler(from: text.lineStart(of: start - 1)) else {
            return nil
        }
        return text.number(of: start) - 1
    }

    /// The edits that remove a feed; nil if there is none of the name, or its bounds are unclear.
    func removals(of name: String) -> [Edit]? {
        guard let feeds, let index = feeds.pairs.firstIndex(where: { $0.key.text == name }) else { return nil }
        return feeds.isFlow ? fromBraces(index, of: feeds) : fromBlock(index, of: feeds)
    }

    var feeds: Layout? { document.root?.pairs.first { $0.key.text == "feeds" }?.value }

    func fromBlock(_ index: Int, of feeds: Layout) -> [Edit]? {
        let pairs = feeds.pairs
        let pair = pairs[index]
        guard var start = ownLine(of: pair.key) else { return nil }
        let text = TextLines(bytes)
        let isLast = index == pairs.count - 1
        var end = fillerEnd(
            after: max(pair.key.bytes.upperBound, pair.value.bytes.upperBound), deeperThan: pair.key.column)
        // Blank lines separate feeds: the removed feed takes one separator with it.
        if index > 0, isLast || isBlank(end, text) {
            let before = pairs[index - 1].value.bytes.upperBound
            while start > before, isBlank(text.lineStart(of: start - 1), text), text.lineStart(of: start - 1) >= before
            {
                start = text.lineStart(of: start - 1)
            }
        } else if index == 0, !isLast {
            while isBlank(end, text), end < bytes.count { end = text.nextLine(from: end) }
        }
        // A text that ended without a line break still does.
        if end == bytes.count, !text.isLineStart(end), start > 0 {
            start = text.textEnd(from: text.lineStart(of: start - 1))
        }
        return [Edit(start..<max(start, end))]
    }

    private func isBlank(_ place: Int, _ text: TextLines) -> Bool {
        place < bytes.count && text.isLineStart(place) && text.filler(from: place) == .blank
    }

    func fromBraces(_ index: Int, of feeds: Layout) -> [Edit]? {
        let pairs = feeds.pairs
        let pair = pairs[index]
        let text = TextLines(bytes)
        let end = max(pair.key.bytes.upperBound, pair.value.bytes.upperBound)
        let comma = comma(after: end)
        let isLast = index == pairs.count - 1
        let before =
            index > 0 ? max(pairs[index - 1].key.bytes.upperBound, pairs[index - 1].value.bytes.upperBound) : nil
        let after = comma.map { $0 + 1 } ?? end
        guard let start = ownLine(of: pair.key), start > 0, text.filler(from: after) != nil else {
            if !isLast { return [Edit(pair.key.bytes.lowerBound..<pairs[index + 1].key.bytes.lowerBound)] }
            // A comma behind the last one stays behind the new last one.
            return [before.map { Edit($0..<end) } ?? Edit(pair.key.bytes.lowerBound..<after)]
        }
        guard isLast else { return [Edit(start..<text.nextLine(from: after))] }
        let lines = Edit(text.textEnd(from: text.lineStart(of: start - 1))..<text.textEnd(from: after))
        guard comma == nil, let before, let separator = self.comma(after: before) else { return [lines] }
        return [Edit(separator..<separator + 1), lines]
    }

    /// The start of a name's line, if nothing precedes the name on it.
    func ownLine(of key: Layout) -> Int? {
        let start = TextLines(bytes).lineStart(of: key.bytes.lowerBound)
        let before = bytes[start..<max(start, key.bytes.lowerBound)]
        return before.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } ? start : nil
    }

    /// The comma that follows a value in braces, past spaces, line breaks and comments.
    func comma(after end: Int) -> Int? {
        let text = TextLines(bytes)
        var place = end
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): place += 1
            case UInt8(ascii: "#"): place = text.textEnd(from: place)
            case UInt8(ascii: ","): return place
            default: return nil
            }
        }
        return nil
    }
}
