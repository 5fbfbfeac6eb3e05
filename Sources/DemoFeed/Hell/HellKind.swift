internal import HTTPServer

/// A fault of upstreams: the answer with the fault, and the expected end of `feedsync sync`.
package struct HellKind: Sendable {
    /// The common aspect of some kinds.
    package enum Group: String, Sendable, CaseIterable {
        case transfers, encodings, headers, statuses, redirects, waits, validators, bodies, totals, cursors
    }

    typealias Answer = @Sendable (HellPage) -> ServerResponse

    /// The last part of its path.
    package let name: String
    /// The group of this kind.
    package let group: Group
    /// The exit code that feedsync promises.
    package let code: Int32
    /// The fault, in a phrase.
    package let summary: String
    /// The `pagination` of a feed that meets the fault.
    package let pagination: String
    /// True if the answer is silent for longer than the feed waits.
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
    package static let all: [HellKind] =
        transfers + encodings + headers + statuses + redirects + waits + validators + bodies + totals + cursors
}
