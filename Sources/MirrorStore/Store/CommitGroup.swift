/// When the pages of a transaction are committed.
///
/// Pages that come close together share a transaction, because a commit costs as much as the rows of a small page. A
/// page that was waited for is committed at once; the last page of a run waits for the run's end. Pure: it is told the
/// time.
///
/// | page | committed |
/// | --- | --- |
/// | that its run waited for more than 10 ms for, if another page follows | at once, with those before it |
/// | that no page follows | with what ends its run, which commits those before it, too |
/// | the 64th, the one with which there are 4 MB, or one 50 ms behind the first | at once, with those before it |
/// | any other one | with those that come next, until none comes for 10 ms, or 50 ms behind the first |
struct CommitGroup: Sendable {
    static let mostPages = 64
    static let mostBytes = 4 << 20
    static let longestPause = Duration.milliseconds(10)
    static let longestWait = Duration.milliseconds(50)

    /// A page, as far as the rule has to know it.
    struct Page: Sendable {
        /// Of its body.
        var bytes: Int
        /// How long its run waited for it.
        var waited: Duration
        /// Whether its run asks for another page.
        var isFollowed: Bool
    }

    private var pages = 0
    private var bytes = 0
    private var firstAt: ContinuousClock.Instant?
    private var lastAt: ContinuousClock.Instant?

    /// Takes in a page that was stored at this moment.
    ///
    /// - Returns: Whether to commit now.
    mutating func add(_ page: Page, at now: ContinuousClock.Instant) -> Bool {
        let first = firstAt ?? now
        firstAt = first
        lastAt = now
        pages += 1
        bytes += page.bytes
        return page.isFollowed && page.waited > Self.longestPause || pages >= Self.mostPages
            || bytes >= Self.mostBytes || now - first >= Self.longestWait
    }

    /// When to commit unless another page comes before; nil where no page waits.
    var dueAt: ContinuousClock.Instant? {
        guard let firstAt, let lastAt else { return nil }
        return min(lastAt + Self.longestPause, firstAt + Self.longestWait)
    }

    /// The pages are committed, or undone.
    mutating func close() { self = CommitGroup() }
}
