internal import HTTPServer

/// One way in which an upstream can be broken: what it answers, and how `feedsync sync` ends on it.
public struct HellKind: Sendable {
    /// What the kinds of a group have in common.
    public enum Group: String, Sendable, CaseIterable {
        case transfers, encodings, headers, statuses, redirects, waits, validators, bodies, totals, cursors
    }

    typealias Answer = @Sendable (HellPage) -> ServerResponse

    /// The last part of its path.
    public let name: String
    /// What it belongs to.
    public let group: Group
    /// The exit code that feedsync promises.
    public let code: Int32
    /// What is wrong, in a phrase.
    public let summary: String
    /// The `pagination` of a feed that meets the fault.
    public let pagination: String
    /// Whether nothing comes for longer than the feed waits.
    let isStalled: Bool
    let answer: Answer

    init(
        _ name: String, _ group: Group, _ code: Int32, _ summary: String, pagination: String = HellPage.pages,
        isStalled: Bool = false, answer: @escaping Answer
    ) {
        self.name = name
        self.group = group
        self.code = code
        self.summary = summary
        self.pagination = pagination
        self.isStalled = isStalled
        self.answer = answer
    }

    /// All of them, group by group.
    public static let all: [HellKind] =
        transfers + encodings + headers + statuses + redirects + waits + validators + bodies + totals + cursors
}
