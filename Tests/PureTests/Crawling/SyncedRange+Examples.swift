import Pagination

@testable import Crawling

/// Page cursors in tests are their names.
extension PageCursor {
    static let p2 = PageCursor("p2")
    static let p3 = PageCursor("p3")
    static let p4 = PageCursor("p4")
    static let p5 = PageCursor("p5")
    static let p6 = PageCursor("p6")
    static let p7 = PageCursor("p7")
    static let p8 = PageCursor("p8")
    static let p9 = PageCursor("p9")
    static let p10 = PageCursor("p10")
    static let p21 = PageCursor("p21")
}

/// Ranges that begin with the first row of the lowest of their generations.
extension SyncedRange {
    static func open(_ crawl: Int64, _ cursor: PageCursor, generations: Set<Int64>) -> SyncedRange {
        example([crawl], generations, .open(cursor))
    }

    static func whole(_ crawl: Int64, generations: Set<Int64>, _ reason: IncompleteReason? = nil) -> SyncedRange {
        example([crawl], generations, .last(reason))
    }

    static func whole(_ crawls: [Int64], generations: Set<Int64>) -> SyncedRange {
        example(crawls, generations, .last(nil))
    }

    private static func example(_ crawls: [Int64], _ generations: Set<Int64>, _ end: End) -> SyncedRange {
        let first = generations.min().map { Place(generation: $0, position: 0) }
        return SyncedRange(crawls: crawls, generations: generations, first: first, end: end)
    }
}
