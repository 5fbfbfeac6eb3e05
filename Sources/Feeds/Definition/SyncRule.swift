internal import YAML

/// The mode of `sync` for a feed.
package enum SyncRule: Sendable, Hashable {
    /// Every page where they are few, else as `new`.
    case auto
    /// From the first page to a synced range.
    case new
    /// A request for items newer than the watermark.
    indirect case since(SinceRule)
    /// The changes since a token of the upstream.
    indirect case delta(DeltaRule)
    /// Every page; items that were not seen are removed.
    case all

    /// The beginning of a first sync.
    package enum Start: Sendable, Hashable {
        /// Seconds since 1970.
        case at(Int64)
        /// Seconds before now.
        case before(Int64)

        /// The moment, in seconds since 1970.
        package func second(at now: Int64) -> Int64 {
            switch self {
            case .at(let second): second
            case .before(let distance): now - distance
            }
        }
    }

    /// The windows of a sync.
    package struct Windows: Sendable, Hashable {
        /// The query parameter for the end of a window.
        package let until: String
        /// The most seconds from a window's beginning to the beginning of the next; nil for one window up to now.
        package let widest: Int64?
        /// The seconds from the end of a window to the beginning of the next.
        package let gap: Int64
    }

    /// The amount subtracted from a watermark, so that late items are found.
    package enum Overlap: Sendable, Hashable {
        /// The default: a minute for numbers that may be times, nothing for other numbers.
        case standard
        /// For timestamps.
        case time(Duration)
        /// For ids; seconds if the number turns out to be a time.
        case count(Int)
    }

    /// The mode's word in the configuration.
    package var mode: String {
        switch self {
        case .auto: "auto"
        case .new: "new"
        case .since: "since"
        case .delta: "delta"
        case .all: "all"
        }
    }
}

/// The rule of a sync with a watermark: the form in which the watermark is sent, and its place in the items.
package struct SinceRule: Sendable, Hashable {
    /// The query parameter that carries it; nil if the upstream lists its newest items first and takes none.
    package let parameter: String?
    /// The value of the parameter: text around `{watermark}`.
    package let value: String
    /// The path of the watermark in the item; nil if the ends of windows are the watermark.
    package let path: Path?
    /// The amount subtracted before the watermark is sent.
    package let overlap: SyncRule.Overlap
    /// The notation in which it goes out; nil for that of the items.
    package var format: TimeFormat?
    /// The moment at which a first sync begins; nil if that asks for everything.
    package var start: SyncRule.Start?
    /// The windows in which a sync asks up to now; nil for requests without an end.
    package var windows: SyncRule.Windows?

    /// The place of the watermark in `value`.
    static let placeholder = "{watermark}"

    /// The value of the parameter for a watermark.
    package func parameterValue(_ mark: String) -> String { value.replacing(Self.placeholder, with: mark) }

    /// True if the values are times, even where they look like other numbers.
    package var isTime: Bool {
        if case .time = overlap { return true }
        return format != nil || windows != nil
    }

    /// The time subtracted from a watermark that is a time. Without a word of the definition: a minute, because
    /// upstreams differ on whether the border itself comes again, and commit late; a day where the notation names
    /// no zone, because upstreams count days and hours in zones of their own.
    package var overlapSeconds: Int64 {
        switch overlap {
        case .standard: format.map(\.namesZone) == false ? 86_400 : 60
        case .time(let time): time.components.seconds + (time.components.attoseconds > 0 ? 1 : 0)
        case .count(let count): Int64(count)
        }
    }
}

extension MappingDecoder {
    private enum Mode: String, CaseIterable { case auto, new, since, delta, all }

    /// The feed's `sync`; `auto` where there is none.
    func syncRule(_ name: String) -> (rule: SyncRule, full: Duration?, verify: VerifyRule) {
        let standard = FeedDefinition.standardFullCrawl
        guard let members = reader(name) else { return (.auto, standard, .auto) }
        defer { members.finish() }
        let mode = members.choice("mode", Mode.self) ?? .auto
        let verify = members.choice("verify", VerifyRule.self) ?? .auto
        let full = members.fullCrawl("full", mode)
        let delta = members.deltaRule(isDelta: mode == .delta)
        let rule = members.watermark(isSince: mode == .since)
        if mode == .since {
            guard let rule else { return (.auto, full, verify) }
            // A walk from the start on is as long as the first sync was: it is not due by itself.
            return (.since(rule), rule.start == nil || members.has("full") ? full : nil, verify)
        }
        let isParameter = { (name: String) in name == "param" && mode == .delta }
        for member in Self.watermarkMembers where members.has(member) && !isParameter(member) {
            members.report("`\(member)` of \(members.subject) makes sense only with `mode: since`", at: member)
        }
        for member in ["token", "expired"] where members.has(member) && mode != .delta {
            members.report("`\(member)` of \(members.subject) makes sense only with `mode: delta`", at: member)
        }
        switch mode {
        case .all: return (.all, full, verify)
        case .new: return (.new, full, verify)
        // The upstream says what changed, and when it can no longer.
        case .delta: return (delta.map { .delta($0) } ?? .auto, members.has("full") ? full : nil, verify)
        case .auto, .since: return (.auto, full, verify)
        }
    }

    private static let watermarkMembers = [
        "param", "value", "from", "overlap", "format", "start", "until", "widest", "gap",
    ]

    /// The watermark of `mode: since`; nil for one that is wrong.
    private func watermark(isSince: Bool) -> SinceRule? {
        let parameter = string("param")
        let value = watermarkValue("value")
        let path = path("from")
        let overlap = overlap("overlap")
        let format = timeFormat("format")
        let start = start("start")
        let windows = windows(format)
        guard isSince else { return nil }
        if has("until") {
            require("param", "windows need the query parameter for their beginning")
            if overlap.map({ if case .count(1...) = $0 { true } else { false } }) ?? false {
                report("`overlap` of \(subject) must be a time, because windows are stretches of time", at: "overlap")
            }
        } else {
            require("from", "mode `since` needs the path of the timestamp or id")
            guard path != nil else { return nil }
            for member in ["value", "format", "start"] where has(member) && !has("param") {
                report("`\(member)` of \(subject) makes sense only with `param`, which carries it", at: member)
            }
        }
        return SinceRule(
            parameter: parameter, value: value ?? SinceRule.placeholder, path: path,
            overlap: overlap ?? .standard, format: format, start: start, windows: windows)
    }

    /// The notation of a watermark.
    private func timeFormat(_ name: String) -> TimeFormat? {
        value(name, expected: "\(TimeFormat.forms), and tell the day") { text in
            TimeFormat(text).flatMap { $0.granule == nil ? nil : $0 }
        }
    }

    /// A day, a time, or a distance from now.
    private func start(_ name: String) -> SyncRule.Start? {
        value(name, expected: "a day such as `2020-01-01`, a time, or a distance from now such as `365d`") { text in
            if let time = Timestamp(text) { return .at(time.seconds) }
            guard let distance = DurationText.parse(text), distance <= FeedDefinition.longestTime,
                text.last?.isLetter == true
            else { return nil }
            return .before(distance.components.seconds)
        }
    }

    /// The windows of a sync; nil where there are none.
    private func windows(_ format: TimeFormat?) -> SyncRule.Windows? {
        let until = string("until")
        let granule = format?.granule ?? 1
        let widest = duration("widest", in: .seconds(granule)...FeedDefinition.longestTime)?.components.seconds
        let gap = duration("gap", in: .zero...FeedDefinition.longestTime)?.components.seconds ?? 0
        guard let until else {
            for member in ["widest", "gap"] where has(member) {
                report("`\(member)` of \(subject) makes sense only with `until`, the end of a window", at: member)
            }
            return nil
        }
        if let widest, gap > widest { report("`gap` of \(subject) is more than `widest`", at: "gap") }
        return SyncRule.Windows(until: until, widest: widest, gap: gap)
    }

    /// The interval of complete crawls; nil for never.
    private func fullCrawl(_ name: String, _ mode: Mode) -> Duration? {
        guard has(name) else { return FeedDefinition.standardFullCrawl }
        if mode == .all {
            report(
                "`\(name)` of \(subject) makes no sense with `mode: all`, which crawls every page each time", at: name)
        }
        if node(name)?.scalar?.text == "never" {
            _ = string(name)
            return nil
        }
        return duration(name, in: .seconds(1)...FeedDefinition.longestTime)
    }

    /// The text around the watermark; nil where none is given.
    private func watermarkValue(_ name: String) -> String? {
        guard let value = string(name) else { return nil }
        let placeholder = SinceRule.placeholder
        if value.ranges(of: placeholder).count != 1 {
            report(
                "`\(name)` of \(subject) must have `\(placeholder)` in it once, such as `>=\(placeholder)`", at: name)
        }
        return value
    }

    private func overlap(_ name: String) -> SyncRule.Overlap? {
        if case .integer? = node(name)?.scalar?.resolution {
            return integer(name, in: 0...Int.max).map { .count($0) }
        }
        return duration(name, in: .zero...FeedDefinition.longestTime).map { .time($0) }
    }
}

extension SyncRule {
    /// True if a sync usually asks for what changed alone.
    package var asksForChanges: Bool {
        switch self {
        case .since, .delta: true
        case .auto, .new, .all: false
        }
    }

    /// The rule of a delta; nil for other modes.
    package var delta: DeltaRule? { if case .delta(let rule) = self { rule } else { nil } }
}

/// The rule for proofs in `sync`, for `verify` in the configuration.
package enum VerifyRule: String, Sendable, Hashable, CaseIterable {
    /// Proofs that cost little.
    case auto
    /// By every page again.
    case always
    /// Not at all.
    case never
}
