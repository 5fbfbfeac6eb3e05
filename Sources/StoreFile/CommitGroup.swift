/// The rules for committing the pages of a transaction.
///
/// Pages that come close together share a transaction, because a commit costs as much as the rows of a small page. A
/// page that took a wait is committed at once; the last page of a run waits for the run's end. Pure: the time is a
/// parameter.
///
/// | page | committed |
/// | --- | --- |
/// | after a wait of its run of more than 10 ms, if another page follows | at once, with those before it |
/// | without a page after it | with its run's end, which commits those before it, too |
/// | the 64th, the one with which there are 4 MB, or one 50 ms behind the first | at once, with those before it |
/// | any other one | with those that come next, until none comes for 10 ms, or 50 ms behind the first |
///
/// While the previous transaction is on its way to another database, a commit would only wait for it. The pages that
/// come meanwhile are committed together after it, or at twice the pages, three times the bytes or four times the time.
package struct CommitGroup: Sendable {
    static let mostPages = 64
    static let mostBytes = 4 << 20
    static let longestPause = Duration.milliseconds(10)
    static let longestWait = Duration.milliseconds(50)
    /// The factors of the limits while the previous commit is on its way.
    private static let moreBehind = (pages: 2, bytes: 3, wait: 4)

    /// A page, with the facts that the rules depend on.
    package struct Page: Sendable {
        /// The bytes of its body.
        var bytes: Int
        /// The time for which its run waited for it.
        var waited: Duration
        /// True if its run requests another page.
        var isFollowed: Bool

        package init(bytes: Int, waited: Duration, isFollowed: Bool) {
            self.bytes = bytes
            self.waited = waited
            self.isFollowed = isFollowed
        }
    }

    private var pages = 0
    private var bytes = 0
    private var firstAt: ContinuousClock.Instant?
    private var lastAt: ContinuousClock.Instant?

    package init() {}

    /// Adds a page that was stored at this moment.
    ///
    /// - Parameter isBehind: True if the previous transaction is still on its way to another database.
    /// - Returns: True if the pages are to be committed now.
    package mutating func add(_ page: Page, at now: ContinuousClock.Instant, isBehind: Bool = false) -> Bool {
        let first = firstAt ?? now
        firstAt = first
        lastAt = now
        pages += 1
        bytes += page.bytes
        let more = isBehind ? Self.moreBehind : (pages: 1, bytes: 1, wait: 1)
        return !isBehind && page.isFollowed && page.waited > Self.longestPause || pages >= Self.mostPages * more.pages
            || bytes >= Self.mostBytes * more.bytes || now - first >= Self.longestWait * more.wait
    }

    /// The time to commit unless another page comes first; nil if no page waits.
    ///
    /// - Parameter isBehind: True if the previous transaction is still on its way to another database.
    package func dueAt(isBehind: Bool = false) -> ContinuousClock.Instant? {
        guard let firstAt, let lastAt else { return nil }
        guard !isBehind else { return firstAt + Self.longestWait * Self.moreBehind.wait }
        return min(lastAt + Self.longestPause, firstAt + Self.longestWait)
    }

    /// Ends the group, because its pages are committed or undone.
    package mutating func close() { self = CommitGroup() }
}
