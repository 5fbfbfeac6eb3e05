/// The newest value of a feed's items: a time or a number, in the items' own form.
package struct Watermark: Sendable, Hashable {
    private enum Value: Hashable {
        case time(Timestamp, TimestampForm)
        case epoch(Timestamp, isInMilliseconds: Bool)
        case number(Int64)
    }

    private let value: Value

    /// The watermark from an item's value; nil if it is neither a time nor a whole number.
    package init?(_ scalar: JSONScalar?, isTime: Bool) {
        switch scalar {
        case .integer(let number)? where isTime:
            guard let time = Timestamp(sinceEpoch: number) else { return nil }
            value = .epoch(time, isInMilliseconds: abs(number) >= 100_000_000_000)
        case .integer(let number)?: value = .number(number)
        case .real(let number)? where isTime:
            guard let time = Timestamp(sinceEpoch: number) else { return nil }
            value = .epoch(time, isInMilliseconds: abs(number) >= 100_000_000_000)
        case .text(let text)?:
            if isTime, let number = Int64(text), let time = Timestamp(sinceEpoch: number) {
                value = .epoch(time, isInMilliseconds: abs(number) >= 100_000_000_000)
            } else if let time = Timestamp(text) {
                value = .time(time, TimestampForm(of: text))
            } else if let number = Int64(text), !isTime {
                value = .number(number)
            } else {
                return nil
            }
        default: return nil
        }
    }

    /// Reads the form that `json` writes.
    package init?(json: String, isTime: Bool = false) {
        guard let parsed = try? JSONValue(parsing: json) else { return nil }
        switch parsed {
        case .string(let text): self.init(.text(text), isTime: isTime)
        case .number(let digits): self.init(Int64(digits).map { .integer($0) }, isTime: isTime)
        default: return nil
        }
    }

    /// The further of two values, as JSON.
    package static func further(_ one: String?, _ other: String?, isTime: Bool) -> String? {
        guard let one, let other else { return one ?? other }
        guard let old = Watermark(json: one, isTime: isTime) else { return other }
        return Watermark(json: other, isTime: isTime)?.isFurther(than: old) == true ? other : one
    }

    /// The mark as the items carry it.
    package var json: String {
        switch value {
        case .time(let time, let form): JSONText.string(form.text(time))
        case .number(let number): "\(number)"
        case .epoch: parameterText(less: .count(0))
        }
    }

    /// True if the mark is beyond another one; false if they cannot be compared.
    package func isFurther(than other: Watermark) -> Bool {
        switch (value, other.value) {
        case (.number(let one), .number(let two)): one > two
        default:
            // The form does not count: times are times.
            if let one = time, let two = other.time { two < one } else { false }
        }
    }

    /// The moment; nil for a number.
    package var time: Timestamp? {
        switch value {
        case .time(let time, _), .epoch(let time, _): time
        case .number: nil
        }
    }

    /// The mark, but not behind a moment in seconds since 1970; numbers are no moments.
    package func notAfter(_ moment: Int64?) -> Watermark {
        guard let moment, let limit = Timestamp(milliseconds: moment * 1000) else { return self }
        switch value {
        case .time(let time, let form) where limit < time: return Watermark(.time(limit, form))
        case .epoch(let time, let milliseconds) where limit < time:
            return Watermark(.epoch(limit, isInMilliseconds: milliseconds))
        default: return self
        }
    }

    /// The text to send by a rule: the mark less the overlap, in the notation of the rule or of the items.
    package func parameterText(_ rule: SinceRule) -> String {
        guard let format = rule.format, let time else { return parameterText(less: rule.overlap) }
        return format.text(time.earlier(by: .seconds(rule.overlapSeconds)) ?? time)
    }

    /// The mark less the overlap, to which items are compared.
    package func earlier(by rule: SinceRule) -> Watermark {
        Watermark(.text(parameterText(less: rule.overlap)), isTime: time != nil) ?? self
    }

    /// The text to send: the mark less the overlap.
    package func parameterText(less overlap: SyncRule.Overlap) -> String {
        switch (value, overlap) {
        case (.number(let number), .standard): return Self.text(number, less: Self.minute(before: number))
        case (.number(let number), .count(let count)): return Self.text(number, less: Int64(count))
        case (.number(let number), .time): return "\(number)"
        case (.time(let time, let form), .time(let overlap)): return form.text(time.earlier(by: overlap) ?? time)
        // Upstreams differ on whether the border itself comes again, and commit late: without a word, a minute.
        case (.time(let time, let form), .standard): return form.text(time.earlier(by: .seconds(60)) ?? time)
        case (.time(let time, let form), .count(let seconds)):
            return form.text(time.earlier(by: .seconds(seconds)) ?? time)
        case (.epoch(let time, let isInMilliseconds), let overlap):
            var time = time
            if case .time(let overlap) = overlap { time = time.earlier(by: overlap) ?? time }
            return isInMilliseconds ? "\(time.wholeMilliseconds)" : "\(time.seconds)"
        }
    }

    /// A moment in seconds since 1970.
    package init?(second: Int64) {
        guard let text = Timestamp.text(ofSecond: second) else { return nil }
        self.init(.text(text), isTime: true)
    }

    private init(_ value: Value) {
        self.value = value
    }

    private static func text(_ number: Int64, less overlap: Int64) -> String {
        let (less, isBeyond) = number.subtractingReportingOverflow(overlap)
        return "\(isBeyond ? number : less)"
    }

    /// A minute where the number may be seconds or milliseconds since 1970, from 2001 to 2286; an id is met again by it
    /// for no more than a few items.
    private static func minute(before number: Int64) -> Int64 {
        switch number {
        case 1_000_000_000..<10_000_000_000: 60
        case 1_000_000_000_000..<10_000_000_000_000: 60_000
        default: 0
        }
    }
}

/// The notation of a timestamp: the separator of date and time, the number of fraction digits, the zone.
struct TimestampForm: Sendable, Hashable {
    private let separator: Character?
    private let fractionDigits: Int
    private let zone: String
    /// Seconds east of UTC.
    private let offset: Int64
    private let hasSeconds: Bool

    /// The form of a text that `Timestamp` reads.
    init(of text: String) {
        let characters = Array(text)
        guard characters.count > 10 else {
            (separator, fractionDigits, zone, offset, hasSeconds) = (nil, 0, "", 0, false)
            return
        }
        separator = characters[10]
        let rest = characters[11...]
        let clock = rest.prefix { $0.isNumber || ":.,".contains($0) }
        zone = String(rest.dropFirst(clock.count))
        fractionDigits = clock.split(whereSeparator: { ".,".contains($0) }).dropFirst().first?.count ?? 0
        hasSeconds = clock.count { $0 == ":" } > 1
        let digits = zone.dropFirst().filter(\.isNumber)
        let hours = Int64(digits.prefix(2)) ?? 0
        let minutes = Int64(digits.dropFirst(2)) ?? 0
        offset = (zone.hasPrefix("-") ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    /// A moment in this form; parts that it has no room for are dropped.
    func text(_ time: Timestamp) -> String {
        let moved = Timestamp(milliseconds: (time.seconds + offset) * 1000)?.text ?? time.text
        let date = String(moved.prefix(10))
        guard let separator else { return date }
        var clock = String(moved.dropFirst(11).prefix(hasSeconds ? 8 : 5))
        if fractionDigits > 0 {
            let digits = (time.fraction + Array(repeating: UInt8(ascii: "0"), count: fractionDigits)).prefix(
                fractionDigits)
            clock += "." + String(decoding: digits, as: UTF8.self)
        }
        return date + String(separator) + clock + zone
    }
}
