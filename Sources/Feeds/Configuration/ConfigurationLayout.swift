internal import YAML

/// The text of a configuration with the places of what is in it.
struct ConfigurationLayout: Sendable {
    let bytes: [UInt8]
    let document: Layout.Document
    var text: TextLines { TextLines(bytes) }

    var feeds: Layout? { document.root?.pairs.first { $0.key.text == "feeds" }?.value }

    /// A feed's name and value.
    func feed(_ name: String) -> (key: Layout, value: Layout)? { feeds?.pairs.first { $0.key.text == name } }

    /// True if names are in double quotes, as in JSON.
    func isJSON(_ mapping: Layout) -> Bool {
        let name = mapping.pairs.first?.key ?? document.root?.pairs.first?.key
        return name.map { bytes[$0.bytes].first == UInt8(ascii: "\"") } ?? false
    }

    /// The start of a name's line, if nothing precedes the name on it.
    func ownLine(of key: Layout) -> Int? {
        let start = text.lineStart(of: key.bytes.lowerBound)
        let before = bytes[start..<max(start, key.bytes.lowerBound)]
        return before.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } ? start : nil
    }

    /// The comma that follows a value in braces, past spaces, line breaks and comments.
    func comma(after end: Int) -> Int? {
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

    /// The end of the lines that belong to the text before `end`: the rest of its own line, and comments below it that
    /// are indented deeper than a column. Blank lines after the last of them do not belong.
    func fillerEnd(after end: Int, deeperThan column: Int) -> Int {
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

    /// True at the beginning of a blank line.
    func isBlank(_ place: Int) -> Bool {
        place < bytes.count && text.isLineStart(place) && text.filler(from: place) == .blank
    }

    /// Whole lines at the beginning of a line, or behind the last one where that has no line break.
    func lines(_ lines: [String], at place: Int) -> TextEdit {
        let block = lines.joined(separator: text.lineBreak)
        let isBehind = !text.isLineStart(place)
        return TextEdit(place..<place, isBehind ? text.lineBreak + block : block + text.lineBreak)
    }
}
