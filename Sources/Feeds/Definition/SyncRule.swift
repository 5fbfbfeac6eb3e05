internal import YAML

/// How `sync` makes a feed's mirror true.
package enum SyncRule: Sendable, Hashable {
    /// Every page where they are few, else as `new`.
    case auto
    /// From the first page to a synced range.
    case new
    /// A request for what is newer than the watermark.
    case since(Watermark)
    /// Every page; what was not seen is gone.
    case all

    /// The item value that says how far a mirror has come.
    package struct Watermark: Sendable, Hashable {
        /// The query parameter that carries it.
        package let parameter: String
        /// What the parameter is set to: text around `{watermark}`.
        package let value: String
        /// Where in the item it is.
        package let path: Path
        /// How much is taken off before it goes out.
        package let overlap: Overlap

        /// Where the watermark goes in `value`.
        static let placeholder = "{watermark}"

        /// What the parameter is set to for a watermark.
        package func parameterValue(_ mark: String) -> String { value.replacing(Self.placeholder, with: mark) }
    }

    /// What a watermark is lessened by, so that what came late is met.
    package enum Overlap: Sendable, Hashable {
        /// Where nothing is said: a minute for what may be a time, nothing for other numbers.
        case standard
        /// For timestamps.
        case time(Duration)
        /// For ids; seconds for what turns out to be a time.
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

    /// How often every page is crawled; nil for never.
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
