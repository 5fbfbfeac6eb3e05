internal import Text
internal import YAML

extension ConfigurationEditor {
    /// The lines of a feed, with its name, as they are written: those in a block without the indentation that they
    /// share. Nil if there is no such feed.
    package func source(of name: String) -> String? {
        guard let place = place(of: name) else { return nil }
        let text = String(decoding: bytes[place.bytes], as: UTF8.self)
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
        let written: Node?
        do throws(YAMLError) {
            written = try Node.parse(Array(source.utf8), source: file)
        } catch {
            throw ConfigurationError(error)
        }
        guard let pairs = written?.pairs, pairs.count == 1, pairs[0].key.text == name else {
            throw refused("the text must begin with `\(name):`, and have no other feed")
        }
        let text = Self.applying([Edit(place.bytes, indented(source, by: place.column))], to: bytes)
        guard let after = try? Self.parsed(text, file), isSame(after, besides: name),
            let value = Self.feeds(of: after).first(where: { $0.key.text == name })?.value,
            value.isSame(as: pairs[0].value)
        else { throw refused("the feed `\(name)` cannot be changed without changing other lines; edit the file") }
        return text
    }

    /// The text with a value for a member of a feed, or without the member.
    ///
    /// - Parameter value: Nil to remove the member.
    /// - Throws: `ConfigurationError` if there is no such feed, or if something else would change.
    package func setting(_ member: String, of name: String, to value: FeedEntry.Value?) throws(ConfigurationError)
        -> [UInt8]
    {
        guard let feed = feeds?.pairs.first(where: { $0.key.text == name })?.value,
            let node = feedPairs.first(where: { $0.key.text == name })?.value.pairs
        else { throw refused("there is no feed `\(name)`") }
        let index = feed.pairs.firstIndex { $0.key.text == member }
        let edits: [Edit]? =
            switch (index, value) {
            case (let index?, let value?): replacement(of: feed.pairs[index], by: value, in: feed)
            case (let index?, nil): removal(of: index, in: feed)
            case (nil, let value?): addition(FeedEntry.Member(member, value), to: feed)
            case (nil, nil): []
            }
        let problem = "the feed `\(name)` cannot be changed without changing other lines; edit the file"
        guard let edits else { throw refused(problem) }
        let text = Self.applying(edits, to: bytes)
        let others = node.filter { $0.key.text != member }
        guard let after = try? Self.parsed(text, file), isSame(after, besides: name),
            let pairs = Self.feeds(of: after).first(where: { $0.key.text == name })?.value.pairs,
            Self.isSame(pairs.first(where: { $0.key.text == member })?.value, value),
            others.elementsEqual(
                pairs.filter { $0.key.text != member },
                by: { $0.key.isSame(as: $1.key) && $0.value.isSame(as: $1.value) })
        else { throw refused(problem) }
        return text
    }

    private static func isSame(_ node: Node?, _ value: FeedEntry.Value?) -> Bool {
        guard let node, let value else { return node == nil && value == nil }
        return value.isSame(as: node)
    }

    private func replacement(
        of pair: (key: Layout, value: Layout), by value: FeedEntry.Value, in feed: Layout
    ) -> [Edit] {
        let text = ConfigurationText.flow(value, asJSON: isJSON(feed))
        let isOnOtherLines = bytes[pair.key.bytes.upperBound..<pair.value.bytes.lowerBound].contains(UInt8(ascii: "\n"))
        let lines = TextLines(bytes)
        var end = pair.value.bytes.upperBound
        // A block of text ends with its last line break.
        while end > pair.value.bytes.lowerBound, lines.isLineStart(end) {
            end = lines.textEnd(from: lines.lineStart(of: end - 1))
        }
        guard isOnOtherLines, !feed.isFlow else { return [Edit(pair.value.bytes.lowerBound..<end, text)] }
        return [Edit(pair.key.bytes.upperBound..<end, ": \(text)")]
    }

    /// The bytes of a feed with its name: in a block all its lines, indented by a column.
    private func place(of name: String) -> (bytes: Range<Int>, column: Int?)? {
        guard let feeds, let pair = feeds.pairs.first(where: { $0.key.text == name }) else { return nil }
        let end = max(pair.key.bytes.upperBound, pair.value.bytes.upperBound)
        guard !feeds.isFlow, let start = ownLine(of: pair.key) else { return (pair.key.bytes.lowerBound..<end, nil) }
        let lines = TextLines(bytes)
        var last = fillerEnd(after: end, deeperThan: pair.key.column)
        while last > start, lines.isLineStart(last) { last = lines.textEnd(from: lines.lineStart(of: last - 1)) }
        return (start..<last, pair.key.column)
    }

    private func indented(_ source: String, by column: Int?) -> String {
        var lines = Self.lines(of: source)
        while lines.last?.allSatisfy({ $0 == " " }) == true { lines.removeLast() }
        let space = ConfigurationText.spaces(column ?? 0)
        return lines.map { $0.isEmpty ? "" : space + $0 }.joined(separator: TextLines(bytes).lineBreak)
    }

    private static func lines(of text: String) -> [Substring] {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    }

    /// The edits that add a member to a feed, as in YAML or as in JSON; nil where its value is no mapping with members.
    private func addition(_ member: FeedEntry.Member, to feed: Layout) -> [Edit]? {
        guard feed.shape == .mapping, let last = feed.pairs.last else { return nil }
        let end = max(last.key.bytes.upperBound, last.value.bytes.upperBound)
        guard !feed.isFlow else {
            let isJSON = isJSON(feed)
            let name = isJSON ? member.name.json : member.name
            return [Edit(end..<end, ", \(name): \(ConfigurationText.flow(member.value, asJSON: isJSON))")]
        }
        let place = fillerEnd(after: end, deeperThan: last.key.column - 1)
        return [lines(ConfigurationText.lines(of: member, indentation: last.key.column), at: place)]
    }

    private func removal(of index: Int, in feed: Layout) -> [Edit]? {
        guard feed.pairs.count > 1 else { return nil }
        return feed.isFlow ? fromBraces(index, of: feed) : fromBlock(index, of: feed)
    }
}
