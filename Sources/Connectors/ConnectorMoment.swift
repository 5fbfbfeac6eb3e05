internal import Feeds

/// A time in an expression: one that is known, or one that is counted from the time of a run.
struct ConnectorMoment: Sendable, Hashable {
    enum Base: Sendable, Hashable {
        case known(Timestamp)
        case now
        case today
    }

    var base: Base
    /// Seconds from there.
    var offset: Int64 = 0

    /// A hundred years: no span of a manifest is longer.
    static let furthest: Int64 = 36_525 * 86_400

    /// The form of `str()` in Python.
    static let plainFormat = "%Y-%m-%d %H:%M:%S.%f+00:00"

    /// The moment of a text: a time in ISO 8601, or a number of seconds or milliseconds since 1970.
    init?(_ text: String, format: String?) {
        // Eight digits are a date, unless they are said to count seconds.
        if format?.contains("%Y%m%d") == true, text.count >= 8, text.prefix(8).allSatisfy(\.isNumber) {
            let date = text.prefix(4) + "-" + text.dropFirst(4).prefix(2) + "-" + text.dropFirst(6).prefix(2)
            guard let time = Timestamp(String(date)) else { return nil }
            base = .known(time)
        } else if let time = Timestamp(text) ?? Int64(text).flatMap({ Timestamp(sinceEpoch: $0) }) {
            base = .known(time)
        } else {
            return nil
        }
    }

    init(_ base: Base, offset: Int64 = 0) { (self.base, self.offset) = (base, offset) }

    func moved(by seconds: Int64) -> ConnectorMoment? {
        let (sum, isBeyond) = offset.addingReportingOverflow(seconds)
        return isBeyond || abs(sum) > Self.furthest ? nil : ConnectorMoment(base, offset: sum)
    }

    /// The seconds since 1970; nil for one that is counted from a run.
    var seconds: Int64? {
        guard case .known(let time) = base else { return nil }
        let (sum, isBeyond) = time.seconds.addingReportingOverflow(offset)
        return isBeyond ? nil : sum
    }

    /// The moment in a format of `strftime`; nil for letters that have no meaning here.
    func words(_ format: String) -> ConfigurationWords? {
        guard case .known(let time) = base else { return relativeWords(format) }
        guard let seconds, let text = Timestamp.text(ofSecond: seconds) else { return nil }
        let fraction = (time.fraction.map { Character(Unicode.Scalar($0)) } + Array(repeating: "0", count: 6)).prefix(6)
        return Self.text(
            of: format,
            [
                "Y": String(text.prefix(4)), "m": String(text.dropFirst(5).prefix(2)),
                "d": String(text.dropFirst(8).prefix(2)), "H": String(text.dropFirst(11).prefix(2)),
                "M": String(text.dropFirst(14).prefix(2)), "S": String(text.dropFirst(17).prefix(2)),
                "f": String(fraction), "L": String(fraction.prefix(3)), "s": "\(seconds)", "z": "+0000", "Z": "UTC",
                "%": "%",
            ]
        ).map { ConfigurationWords($0) }
    }

    /// `{now-30d:%Y-%m-%d}` and the like.
    private func relativeWords(_ format: String) -> ConfigurationWords? {
        let name = base == .today ? "today" : "now"
        var moment = "\(name)\(Self.span(offset))"
        switch format {
        case "%s": moment += ":unix"
        case "%ms": moment += ":unix_ms"
        case "%Y-%m-%dT%H:%M:%SZ": if base == .today { moment += ":time" }
        case "%Y-%m-%d": if base == .now { moment += ":date" }
        default:
            let letters = ["Y", "m", "d", "H", "M", "S", "%"].map { ($0, "%\($0)") }
            let values = letters + [("f", "000000"), ("L", "%L"), ("z", "+0000"), ("Z", "UTC")]
            let known = Dictionary(uniqueKeysWithValues: values.map { (Character($0.0), $0.1) })
            guard let pattern = Self.text(of: format, known), pattern.contains("%"), !pattern.contains("}") else {
                return nil
            }
            moment += ":" + pattern
        }
        return ConfigurationWords(reference: "{\(moment)}")
    }

    /// A distance in the largest unit that divides it.
    private static func span(_ seconds: Int64) -> String {
        guard seconds != 0 else { return "" }
        let units: [(Int64, String)] = [(86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")]
        let (size, unit) = units.first { seconds % $0.0 == 0 } ?? (1, "s")
        return "\(seconds < 0 ? "-" : "+")\(abs(seconds) / size)\(unit)"
    }

    /// The format with its letters replaced; nil where one has no value.
    private static func text(of format: String, _ values: [Character: String]) -> String? {
        if format == "%ms" { return values["s"].map { $0 + "000" } }
        var result = ""
        // Airbyte's own letters for milliseconds.
        var rest = format.replacing("%_ms", with: "%L")[...]
        while let character = rest.popFirst() {
            guard character == "%" else {
                result.append(character)
                continue
            }
            guard let letter = rest.popFirst(), let value = values[letter] else { return nil }
            result += value
        }
        return result
    }
}

/// Time spans in ISO 8601, as in `P1M` and `PT1S`.
enum ISODuration {
    /// The seconds; a month counts as 30 days, a year as 365. Nil for another text.
    static func seconds(_ text: String) -> Int64? {
        guard text.hasPrefix("P") else { return nil }
        var seconds: Int64 = 0
        var isTime = false
        var digits = ""
        for character in text.dropFirst() {
            switch character {
            case "T": isTime = true
            case "0"..."9", ".": digits.append(character)
            default:
                let days: [Character: Int64] = ["Y": 365 * 86_400, "M": 30 * 86_400, "W": 604_800, "D": 86_400]
                let times: [Character: Int64] = ["H": 3_600, "M": 60, "S": 1]
                guard let unit = (isTime ? times : days)[character],
                    let count = Int64(digits.prefix { $0 != "." }), count <= ConnectorMoment.furthest / unit
                else { return nil }
                seconds += count * unit
                digits = ""
            }
        }
        return digits.isEmpty && seconds <= ConnectorMoment.furthest ? seconds : nil
    }
}
