/// The purpose of a crawl.
package enum CrawlMode: String, Sendable, Hashable, CaseIterable {
    /// The first page, and further ones by hand.
    case reload
    /// The new items at the head.
    case new
    /// The changes since the watermark.
    case since
    /// Every page.
    case all
}

extension CrawlMode {
    /// The maximum number of pages of a list that `auto` reads as a whole each time.
    static let mostPagesOfAuto = 10

    /// The mode of a sync's crawl.
    ///
    /// | the first that is true | `new` | `auto` | `since`, `delta` | `all` |
    /// | --- | --- | --- | --- | --- |
    /// | a round is under way | its mode | its mode | its mode | its mode |
    /// | a full crawl is due | all | all | all | all |
    /// | no range is stored | all | all | – | all |
    /// | no watermark is stored | – | – | all | – |
    /// | the list has at most 10 pages | – | all | – | – |
    /// | none of these | new | new | since | all |
    ///
    /// With a `start`, nothing is ever asked for without the watermark's parameter: `since` is the only mode, and a
    /// full crawl begins at the start.
    package init(_ definition: FeedDefinition, _ resumePoint: ResumePoint) {
        let progress = resumePoint.progress
        if case .since(let rule) = definition.sync, rule.start != nil {
            self = .since
            return
        }
        if let round = progress.round {
            self = round.mode
            return
        }
        let isFullDue = resumePoint.isFullDue
        self =
            switch definition.sync {
            case .all: .all
            case .since, .delta: resumePoint.watermark == nil || isFullDue ? .all : .since
            case .new: progress.synced.isEmpty || isFullDue ? .all : .new
            case .auto:
                progress.synced.isEmpty || isFullDue || progress.fullPages.map { $0 <= Self.mostPagesOfAuto } ?? false
                    ? .all : .new
            }
    }

    /// True if the first page shows that a long list has become short: nothing follows it, or it has at most half of
    /// the elements that it had, and no others. A sync that asked for what is new then reads the whole list.
    ///
    /// - Parameters:
    ///   - count: The number of elements on the first page.
    ///   - before: The same when the page was stored; nil if it has other items now.
    ///   - isEnd: True if no page follows.
    package func hasShortList(_ definition: FeedDefinition, _ count: Int, before: Int?, isEnd: Bool) -> Bool {
        guard self == .new, definition.partitioning == nil, case .auto = definition.sync else { return false }
        return isEnd || before.map { count * 2 <= $0 } ?? false
    }
}

extension FeedDefinition {
    /// True if the interval between full crawls has passed since the last one.
    ///
    /// - Parameters:
    ///   - last: In milliseconds since 1970; nil if there was none.
    ///   - now: In milliseconds since 1970.
    package func isFullCrawlDue(after last: Int64?, now: Int64?) -> Bool {
        guard let full = fullCrawlEvery, let last, let now else { return false }
        // A clock that was set back must not delay the crawl beyond the interval.
        return now - last >= full.components.seconds * 1000 || last > now
    }
}
