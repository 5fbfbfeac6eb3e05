internal import YAML

/// The mode of `sync` for a feed.
package enum SyncRule: Sendable, Hashable {
    /// Every page where they are few, else as `new`.
    case auto
    /// From the first page to a synced range.
    case new
    /// A request for items newer than the watermark.
    case since(Watermark)
    /// Every page; items that were not seen are removed.
    case all

    /// The item value that says how far a mirror has come.
    package struct Watermark: Sendable, Hashable {
        /// The query parameter that carries it.
        package let parameter: String
        /// The value of the parameter: text around `{watermark}`.
        package let value: String
        /// The path of the watermark in the item.
        package let path: Path
        /// The amount subtracted before the watermark is sent.
        package let overlap: Overlap

        /// The place of the watermark in `value`.
        static let placeholder = "{watermark}"

        /// The value of the parameter for a watermark.
        package func parameterValue(_ mark: String) -> String { value.replacing(Self.placeholder, with: mark) }
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
        case .all: "all"
        }
    }
}

extension MappingDecoder {
    private enum Mode: String, CaseIterable { case auto, new, since, all }

    /// The feed's `sync`; `auto` where there is none.
    func syncRule(_ name: String) -> (rule: SyncRule, full: Duration?, verify: VerifyRule) {
        let standard = FeedDefinition.standardFullCrawl
        guard let members = reader(name, of: "`\(name)` of \(subject)") else { return (.auto, standard, .auto) }
        defer { members.finish() }
        let mode = members.choice("mode", Mode.self) ?? .auto
        let verify = members.choice("verify", VerifyRule.self) ?? .auto
        let full = members.fullCrawl("full", mode)
        let parameter = members.string("param")
        let value = members.watermarkValue("value")
        let path = members.path("from")
        let overlap = members.overlap("overlap")
        if mode == .since {
            members.require("param", "mode `since` needs the query parameter to send")
            members.require("from", "mode `since` needs the path of the timestamp or id")
            guard let parameter, let path else { return (.auto, full, verify) }
            let mark = SyncRule.Watermark(
                parameter: parameter, value: value ?? SyncRule.Watermark.placeholder, path: path,
                overlap: overlap ?? .standard)
            return (.since(mark), full, verify)
        }
        for member in ["param", "value", "from", "overlap"] where members.has(member) {
            members.report("`\(member)` of \(members.subject) makes sense only with `mode: since`", at: member)
        }
        switch mode {
        case .all: return (.all, full, verify)
        case .new: return (.new, full, verify)
        case .auto, .since: return (.auto, full, verify)
        }
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
        let placeholder = SyncRule.Watermark.placeholder
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
