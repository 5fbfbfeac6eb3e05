/// A notation of moments: a pattern with letters as in `strftime`, or a number since 1970.
///
/// | letter | writes |
/// | --- | --- |
/// | `%Y`, `%m`, `%d` | year, month and day |
/// | `%H`, `%M`, `%S` | hour, minute and second |
/// | `%L`, `%f` | milliseconds in three digits, microseconds in six |
/// | `%F`, `%T` | `%Y-%m-%d` and `%H:%M:%S` |
/// | `%s` | seconds since 1970 |
/// | `%z`, `%Z` | `+0000` and `UTC`: moments are written in UTC |
/// | `%%` | `%` |
package struct TimeFormat: Sendable, Hashable {
    fileprivate enum Part: Hashable {
        case text(String)
        case letter(Character)
        /// Milliseconds since 1970.
        case milliseconds
    }

    /// The format as it was written.
    package let text: String
    private let parts: [Part]

    /// The permitted forms, for messages.
    package static let forms =
        "`unix`, `unix_ms`, or letters such as `%Y-%m-%dT%H:%M:%SZ` (also `%L`, `%f`, `%s`, `%z`)"

    /// Time in UTC to the second, as in `2026-11-21T02:20:11Z`.
    package static let time = TimeFormat("time", parts("%FT%TZ"))

    private init(_ text: String, _ parts: [Part]?) {
        self.text = text
        self.parts = parts ?? []
    }

    /// Reads `date`, `time`, `unix`, `unix_ms` or a pattern; nil for a text without a letter, with one that means
    /// nothing, and for one that is longer than any notation.
    package init?(_ text: String) {
        guard text.utf8.count <= 100 else { return nil }
        switch text {
        case "date": self.init(text, Self.parts("%F"))
        case "time": self = .time
        case "unix": self.init(text, [.letter("s")])
        case "unix_ms": self.init(text, [.milliseconds])
        default:
            guard let parts = Self.parts(text), parts.contains(where: \.isLetter) else { return nil }
            self.init(text, parts)
        }
    }

    private static func parts(_ pattern: String) -> [Part]? {
        let known = "YmdHMSLfszZ"
        let longer: [Character: String] = ["F": "%Y-%m-%d", "T": "%H:%M:%S"]
        var parts: [Part] = []
        var rest = pattern[...]
        while let character = rest.popFirst() {
            guard character == "%" else {
                parts.append(.text(String(character)))
                continue
            }
            guard let letter = rest.popFirst(), letter == "%" || longer[letter] != nil || known.contains(letter) else {
                return nil
            }
            if let pattern = longer[letter] {
                rest = pattern + rest
                continue
            }
            parts.append(letter == "%" ? .text("%") : .letter(letter))
        }
        return parts
    }

    /// A moment in this notation; empty outside the years 0 to 9999.
    package func text(_ time: Timestamp) -> String {
        guard Timestamp.range.contains(time.seconds) else { return "" }
        // As in `2026-11-21T02:20:11.000000Z`.
        let full = Timestamp(seconds: time.seconds, fraction: []).text.prefix(20) + time.digits(6)
        return parts.map { part in
            switch part {
            case .text(let text): text
            case .milliseconds: "\(time.wholeMilliseconds)"
            case .letter("s"): "\(time.seconds)"
            case .letter("z"): "+0000"
            case .letter("Z"): "UTC"
            case .letter(let letter):
                Self.places[letter].map { String(full.dropFirst($0.lowerBound).prefix($0.count)) } ?? ""
            }
        }.joined()
    }

    /// The places of the letters in `2026-11-21T02:20:11.000000`.
    private static let places: [Character: Range<Int>] = [
        "Y": 0..<4, "m": 5..<7, "d": 8..<10, "H": 11..<13, "M": 14..<16, "S": 17..<19, "L": 20..<23, "f": 20..<26,
    ]

    /// A moment in seconds since 1970 in this notation.
    package func text(ofSecond second: Int64) -> String { text(Timestamp(seconds: second, fraction: [])) }

    /// The seconds of the smallest unit that the notation tells, at least 1; nil if it does not tell the day.
    package var granule: Int64? {
        let letters = Set(parts.compactMap(\.letter))
        if letters.contains("s") || parts.contains(.milliseconds) { return 1 }
        guard letters.isSuperset(of: ["Y", "m", "d"]) else { return nil }
        guard letters.contains("H") else { return 86_400 }
        guard letters.contains("M") else { return 3_600 }
        return letters.contains("S") ? 1 : 60
    }

    /// True if the notation says that the moment is in UTC. Upstreams read any other one in a zone of their own.
    package var namesZone: Bool {
        let letters = Set(parts.compactMap(\.letter))
        return letters.contains("s") || parts.contains(.milliseconds) || letters.contains("z") || letters.contains("Z")
            || ["Z", "z"].contains(text.last) && letters.contains("H") || text == "time" || text.hasSuffix("+00:00")
    }
}

extension TimeFormat.Part {
    fileprivate var letter: Character? { if case .letter(let letter) = self { letter } else { nil } }
    fileprivate var isLetter: Bool { letter != nil }
}

extension Timestamp {
    /// The first digits behind the second.
    fileprivate func digits(_ count: Int) -> String {
        String(decoding: (fraction + Array(repeating: UInt8(ascii: "0"), count: count)).prefix(count), as: UTF8.self)
    }
}
