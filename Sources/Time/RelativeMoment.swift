internal import Text

/// A moment that a text names by its distance from now: `{now-7d}`, `{today}`, `{now-1mo/month:%d.%m.%Y}`.
package struct RelativeMoment: Sendable, Hashable {
    private enum Step: Hashable {
        case seconds(Int64)
        case months(Int64)
        /// Back to the start of a unit.
        case start(CalendarUnit)
    }

    private let steps: [Step]
    private let format: TimeFormat

    /// The permitted forms of a moment in braces.
    package static let forms =
        "`{now}`, `{today}`, `{now-7d}`, `{now-1mo/month}`, `{today+1d:%d.%m.%Y}`, `{now-2h:unix}`"

    /// A hundred years.
    private static let furthest: Int64 = 36_525 * 86_400
    private static let furthestMonths: Int64 = 1200
    private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]

    /// True if the words in braces begin like a moment. If they are none, they are wrong.
    package static func begins(_ words: some StringProtocol) -> Bool {
        ["now", "today"].contains { words.hasPrefix($0) && !(words.dropFirst($0.count).first?.isLetter ?? false) }
    }

    /// Reads the text between braces; nil if it is no moment.
    package init?(_ words: some StringProtocol) {
        guard Self.begins(words) else { return nil }
        let isToday = words.hasPrefix("today")
        var rest = Substring(words.dropFirst(isToday ? 5 : 3))
        var steps: [Step] = isToday ? [.start(.day)] : []
        while let sign = rest.first, sign != ":" {
            guard let step = Self.step(&rest) else { return nil }
            steps.append(step)
        }
        guard Self.isNear(steps) else { return nil }
        self.steps = steps
        let name = rest.isEmpty ? (isToday ? "date" : "time") : String(rest.dropFirst())
        guard let format = TimeFormat(name) else { return nil }
        self.format = format
    }

    /// Reads `-7d`, `+1mo` or `/month` from the front.
    private static func step(_ rest: inout Substring) -> Step? {
        let sign = rest.removeFirst()
        guard sign != "/" else {
            let word = rest.prefix(while: \.isLetter)
            rest = rest.dropFirst(word.count)
            return CalendarUnit(rawValue: String(word)).map { .start($0) }
        }
        guard sign == "+" || sign == "-" else { return nil }
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        rest = rest.dropFirst(digits.count)
        let unit = rest.prefix(while: \.isLetter)
        rest = rest.dropFirst(unit.count)
        guard let count = Int64(digits) else { return nil }
        let factor: Int64 = sign == "-" ? -1 : 1
        if unit == "mo" { return count <= furthestMonths ? .months(factor * count) : nil }
        guard unit.count == 1, let size = unit.first.flatMap({ units[$0] }), count <= furthest / size else {
            return nil
        }
        return .seconds(factor * count * size)
    }

    /// True if the steps lead no more than a hundred years away.
    private static func isNear(_ steps: [Step]) -> Bool {
        var (seconds, months): (Int64, Int64) = (0, 0)
        for step in steps {
            switch step {
            case .seconds(let count): seconds += abs(count)
            case .months(let count): months += abs(count)
            case .start: break
            }
            if seconds > furthest || months > furthestMonths { return false }
        }
        return true
    }

    /// The moment as text; days, weeks and months begin at midnight in UTC.
    package func text(at now: Int64) -> String {
        var second = now
        for step in steps {
            switch step {
            case .seconds(let count): second += count
            case .months(let count): second = CalendarUnit.moved(second, months: count)
            case .start(let unit): second = unit.start(of: second)
            }
        }
        return format.text(ofSecond: second)
    }

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
        // Few texts have a brace, and bytes are looked through faster than characters.
        guard text.utf8.contains(UInt8(ascii: "{")) else { return nil }
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
