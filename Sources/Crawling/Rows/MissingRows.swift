/// The rows that a full crawl did not meet, with the pages that would show that they are gone.
///
/// Only evidence of this run removes a row: the only page of the list, or a page that has both neighbours of the row and
/// nothing between them, or the two pages with the neighbours, both requested again, of which one stayed the same around
/// a read of the other.
package struct MissingRows {
    /// A row that the crawl did not meet.
    package struct Row: Sendable, Hashable {
        package let id: Int64
        package let section: String?
        package let place: Place
        /// The pages where the row would be, next to the rows that were its neighbours, as far as they have to be
        /// requested. Empty if this run has shown that the row is gone.
        package internal(set) var pages: Set<PageOfCrawl> = []
        /// True if a row beside it was met.
        package internal(set) var hasNeighbours = true
        /// True if all rows after it are missing, too.
        package internal(set) var isAtEnd = true

        package init(id: Int64, section: String?, place: Place) {
            (self.id, self.section, self.place) = (id, section, place)
        }
    }

    /// The evidence of this run.
    package struct Evidence {
        /// True for a page that this run read.
        package var isOwn: (PageOfCrawl) throws -> Bool
        /// True if no item passed from one of two pages to the other while this run read them.
        package var areSteady: (PageOfCrawl, PageOfCrawl) throws -> Bool
        /// The pages of earlier runs that this run requested again.
        package var askedAgain: Set<PageOfCrawl>
        /// True if this run read the list, which is one page: nothing moved while it came.
        package var isOnePage: Bool
        /// The last page of the list, which may be empty; nil if it cannot be requested again.
        package var last: PageOfCrawl?

        package init(
            isOnePage: Bool, last: PageOfCrawl?, askedAgain: Set<PageOfCrawl>,
            isOwn: @escaping (PageOfCrawl) throws -> Bool,
            areSteady: @escaping (PageOfCrawl, PageOfCrawl) throws -> Bool
        ) {
            (self.isOnePage, self.last, self.askedAgain) = (isOnePage, last, askedAgain)
            (self.isOwn, self.areSteady) = (isOwn, areSteady)
        }
    }

    /// In feed order.
    package private(set) var rows: [Row]
    private let evidence: Evidence

    /// - Parameters:
    ///   - rows: In feed order.
    ///   - met: The earlier places of the rows that the crawl met, in feed order.
    /// - Throws: The errors of the evidence.
    package init(_ rows: [Row], among met: [MetPlaces], _ evidence: Evidence) throws {
        self.rows = rows
        self.evidence = evidence
        /// The missing rows since the last row that was met.
        var gap: [Int] = []
        var before: PageOfCrawl?
        var next = met.startIndex
        for index in rows.indices {
            while next < met.endIndex, met[next].first.precedes(rows[index].place) {
                try close(&gap, before, met[next].name)
                before = met[next].name
                next += 1
            }
            gap.append(index)
        }
        try close(&gap, before, next < met.endIndex ? met[next].name : nil)
    }

    /// Settles rows between two rows that were met.
    private mutating func close(_ gap: inout [Int], _ before: PageOfCrawl?, _ behind: PageOfCrawl?) throws {
        guard !gap.isEmpty else { return }
        // Rows behind the last one that was met may be on the last page by now.
        let pages = try pagesToAsk(before, behind ?? (before == evidence.last ? nil : evidence.last))
        for index in gap {
            rows[index].pages = pages
            rows[index].hasNeighbours = before != nil || behind != nil
            rows[index].isAtEnd = behind == nil
        }
        gap = []
    }

    private func pagesToAsk(_ before: PageOfCrawl?, _ behind: PageOfCrawl?) throws -> Set<PageOfCrawl> {
        if evidence.isOnePage { return [] }
        if let before, before == behind, try evidence.isOwn(before) { return [] }
        let pages = Set([before, behind].compactMap(\.self))
        let left = pages.subtracting(evidence.askedAgain)
        guard let before, let behind, before != behind else { return left }
        return try left.isEmpty && evidence.areSteady(before, behind) ? [] : pages
    }

    /// Leaves out the rows that may stand where this run could not see them.
    ///
    /// - Parameters:
    ///   - isTailOpen: True if the list may go on behind its last known page.
    ///   - isFirstLoad: True if no crawl has read the whole list before.
    ///   - isWhole: True if this run read every page of the list.
    ///   - passedOver: The rows that the way to the next page may have passed over.
    package mutating func leaveOut(isTailOpen: Bool, isFirstLoad: Bool, isWhole: Bool, passedOver: Set<Int64>) {
        rows.removeAll { row in
            // A row that slid off a page with no known next page is not removed.
            isTailOpen && row.isAtEnd
                // Without a neighbour, and where nothing was stored that could be gone, the row may have moved up to the
                // pages of an earlier run.
                || !isWhole && (isFirstLoad || !row.hasNeighbours)
                || passedOver.contains(row.id)
        }
    }
}

extension MetPlaces {
    /// The page where the rows were met.
    fileprivate var name: PageOfCrawl { PageOfCrawl(crawl: crawl, number: page) }
}
