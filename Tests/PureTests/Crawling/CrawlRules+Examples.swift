import Pagination

@testable import Crawling

extension ResumePoint {
    /// A feed with these ranges, and no crawl of every page under way.
    static func loaded(_ ranges: SyncedRange...) -> ResumePoint {
        var point = ResumePoint()
        point.state.crawl = CrawlState(id: 1)
        point.state.progress.synced = SyncedRanges(ranges: ranges)
        return point
    }
}

extension CrawlRules.Committed {
    /// A page that leads to the next one.
    static func page(
        _ number: Int, _ next: PageCursor, crawl: Int64 = 1, isUnchanged: Bool = false, hasOverlap: Bool = true
    ) -> Self {
        Self(crawl: crawl, number: number, isUnchanged: isUnchanged, hasOverlap: hasOverlap, onward: .page(next))
    }

    /// The last page of the list.
    static func end(
        _ number: Int, _ reason: IncompleteReason? = nil, isUnchanged: Bool = false, isInPlace: Bool = true
    ) -> Self {
        Self(crawl: 1, number: number, isUnchanged: isUnchanged, isInPlace: isInPlace, onward: .end(reason))
    }

    /// A page that met a range which is open at its end.
    static func range(_ number: Int, _ range: SyncedRange, pages: Int = 3, isUnchanged: Bool = false) -> Self {
        Self(crawl: 99, number: number, isUnchanged: isUnchanged, onward: .range(range), pagesOfRange: pages)
    }

    /// A page that met a range which reaches the end.
    static func whole(
        _ number: Int, _ range: SyncedRange, _ reason: IncompleteReason? = nil, isUnchanged: Bool = false
    ) -> Self {
        Self(crawl: 99, number: number, isUnchanged: isUnchanged, onward: .whole(range, reason))
    }
}
