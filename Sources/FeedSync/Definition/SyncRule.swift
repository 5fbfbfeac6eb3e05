internal import YAML

/// How `sync` makes a feed's mirror true.
public enum SyncRule: Sendable, Hashable {
    /// From the first page to a synced range.
    case new
    /// A request for what is newer than the watermark.
    case since(Watermark)
    /// Every page; what was not seen is gone.
    case all

    /// The item value that says how far a mirror has come.
    public struct Watermark: Sendable, Hashable {
        /// The query parameter that carries it.
        public let parameter: String
        /// Where in the item it is.
        public let path: Path
        /// How much is taken off before it goes out.
        public let overlap: Overlap
    }

    /// What a watermark is lessened by, so that what came late is met.
    public enum Overlap: Sendable, Hashable {
        /// Where nothing is said: a minute for what may be a time, nothing for other numbers.
        case standard
        /// For timestamps.
        case time(Duration)
        /// For ids; seconds for what turns out to be a time.
        case count(Int)
    }

    /// The mode's word in the configuration.
    public var mode: String {
        switch self {
        case .new: "new"
        case .since: "since"
        case .all: "all"
        }
    }
}

extension MappingDecoder {
    private enum Mode: String, CaseIterable { case new, since, all }

    /// The feed's `sync`; `new` where there is none.
    func syncRule(_ name: String) -> SyncRule {
        guard let members = reader(name, of: "`\(name)` of \(subject)") else { return .new }
        defer { members.finish() }
        let mode = members.choice("mode", Mode.self) ?? .new
        let parameter = members.string("param")
        let path = members.path("from")
        let overlap = members.overlap("overlap")
        if mode == .since {
            members.require("param", "mode `since` needs the query parameter to send")
            members.require("from", "mode `since` needs the path of the timestamp or id")
            guard let parameter, let path else { return .new }
            return .since(SyncRule.Watermark(parameter: parameter, path: path, overlap: overlap ?? .standard))
        }
        for member in ["param", "from", "overlap"] where members.has(member) {
            members.mistake("`\(member)` of \(members.subject) makes sense only with `mode: since`", at: member)
        }
        return mode == .all ? .all : .new
    }

    private func overlap(_ name: String) -> SyncRule.Overlap? {
        if case .integer? = node(name)?.scalar?.resolution {
            return integer(name, in: 0...Int.max).map { .count($0) }
        }
        return duration(name, in: .zero...FeedDefinition.longestTime).map { .time($0) }
    }
}
