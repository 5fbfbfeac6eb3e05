internal import Text

/// A moment that a text names by its distance from now: `{now-7d}`, `{today}`, `{today-1d:%d.%m.%Y}`.
package struct RelativeMoment: Sendable, Hashable {
    private enum Format: Hashable {
        /// As in `2026-11-21T02:20:11Z`.
        case time
        /// As in `2026-11-21`.
        case date
        /// Seconds since 1970, or milliseconds.
        case unix(milliseconds: Bool)
        /// With `%Y`, `%m`, `%d`, `%H`, `%M`, `%S` and `%%`.
        case pattern(String)
    }

    private let isToday: Bool
    private let offset: Int64
    private let format: Format

    /// The permitted forms of a moment in braces.
    package static let forms = "`{now}`, `{today}`, `{now-7d}`, `{today+1d:%d.%m.%Y}`, `{now-2h:unix}`"

    /// A hundred years.
    private static let furthest: Int64 = 36_525 * 86_400
    private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]

    /// True if the words in braces begin like a moment. If they are none, they are wrong.
    package static func begins(_ words: some StringProtocol) -> Bool {
        ["now", "today"].contains { words.hasPrefix($0) && !(words.dropFirst($0.count).first?.isLetter ?? false) }
    }

    /// Reads the text between braces; nil if it is no moment.
    package init?(_ words: some StringProtocol) {
        guard Self.begins(words) else { return nil }
        isToday = words.hasPrefix("today")
        var rest = words.dropFirst(isToday ? 5 : 3)[...]
        var offset: Int64 = 0
        while let sign = rest.first, sign == "+" || sign == "-" {
            let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
            guard let count = Int64(digits),
                let unit = rest.dropFirst(digits.count + 1).first.flatMap({ Self.units[$0] }),
                count <= Self.furthest / unit
            else { return nil }
            offset += (sign == "-" ? -1 : 1) * count * unit
            guard abs(offset) <= Self.furthest else { return nil }
            rest = rest.dropFirst(digits.count + 2)
        }
        self.offset = offset
        guard let colon = rest.first else {
            format = isToday ? .date : .time
            return
        }
        let name = String(rest.dropFirst())
        guard colon == ":", !name.isEmpty else { return nil }
        switch name {
        case "date": format = .date
        case "time": format = .time
        case "unix": format = .unix(milliseconds: false)
        case "unix_ms": format = .unix(milliseconds: true)
        default:
            guard Self.text(of: name, { _ in "" }) != nil, name.contains("%") else { return nil }
            format = .pattern(name)
        }
    }

    /// The moment as text; today begins at midnight in UTC.
    package func text(at now: Int64) -> String {
        let midnight = now - (now % 86_400 + 86_400) % 86_400
        let second = (isToday ? midnight : now) + offset
        // As in `2026-11-21T02:20:11.000Z`.
        let full = Timestamp.text(ofSecond: second) ?? ""
        func part(_ range: Range<Int>) -> String { String(full.dropFirst(range.lowerBound).prefix(range.count)) }
        switch format {
        case .time: return part(0..<19) + "Z"
        case .date: return part(0..<10)
        case .unix(let milliseconds): return "\(second)\(milliseconds ? "000" : "")"
        case .pattern(let pattern):
            let places: [Character: Range<Int>] = [
                "Y": 0..<4, "m": 5..<7, "d": 8..<10, "H": 11..<13, "M": 14..<16, "S": 17..<19,
            ]
            return Self.text(of: pattern) { letter in places[letter].map(part) ?? "" } ?? ""
        }
    }

    /// A pattern with its letters replaced; nil where one means nothing.
    private static func text(of pattern: String, _ value: (Character) -> String) -> String? {
        var result = ""
        var rest = pattern[...]
        while let character = rest.popFirst() {
            guard character == "%" else {
                result.append(character)
                continue
            }
            guard let letter = rest.popFirst(), "YmdHMS%".contains(letter) else { return nil }
            result += letter == "%" ? "%" : value(letter)
        }
        return result
    }
}

extension RelativeMoment {
    /// A text with its moments written out.
    ///
    /// - Parameter coded: Encodes a value for its place in the text.
    package static func written(
        in text: String, at now: Int64, coded: (_ value: String, _ before: String) -> String = { value, _ in value }
    ) -> String {
        BracedWords.replaced(in: text) { word, before in Self(word).map { coded($0.text(at: now), before) } }
    }

    /// The first words in braces that begin as a moment and are none, with their place in Unicode scalars.
    package static func mistake(in text: String) -> (words: String, offset: Int)? {
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            rest = rest[text.index(after: open)...]
            guard let close = rest.firstIndex(of: "}") else { return nil }
            let words = rest[..<close]
            if begins(words), Self(words) == nil {
                return ("{\(words)}", text.unicodeScalars.distance(from: text.startIndex, to: open))
            }
        }
        return nil
    }
}
