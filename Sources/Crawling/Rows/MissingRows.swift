/// The rows that a full crawl did not meet, with the pages that would show that they are gone.
///
/// Only evidence of this run removes a row: the only page of the list, or a page that has both neighbours of the row
/// and nothing between them, or the two pages with the neighbours, both requested again, of which one stayed the same
/// around a read of the other. The two pages follow each other: beside a neighbour that has moved, the row itself may
/// stand on a page between. A page between them that is empty for the first time may be so by mistake, and is requested
/// again, too. A row that a crawl by watermark has placed may stand on any page: all of them have to be
/// requested again, unless it is proved that the crawl met everything.
package struct MissingRows {
    /// A row that the crawl did not meet.
    package struct Row: Sendable, Hashable {
        package let id: Int64
        package let section: String?
        package let place: Place
        /// The pages where the row would be, next to the rows that were its neighbours, as far as they have to be
        /// requested. Empty if this run has shown that the row is gone, and of a row out of sight.
        package internal(set) var pages: Set<PageOfCrawl> = []
        /// True if a row beside it was met.
        package internal(set) var hasNeighbours = true
        /// True if all rows after it are missing, too, or if it may stand anywhere.
        package internal(set) var isAtEnd = true
        /// The number of the gap that it is in: no row that was met is between the rows of a gap.
        package internal(set) var gap = 0
        /// True if other pages with items lie between its neighbours by now, or if it may stand on too many pages.
        var isOutOfSight = false

        /// True if this run has shown that the row is gone.
        package var isGone: Bool { pages.isEmpty && !isOutOfSight }

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
        /// The places of its pages in the list, and the pages themselves, up to the last one with items.
        fileprivate let places: [PageOfCrawl: Int]
        private let pagesBeforeEnd: [PageOfCrawl]
        private let emptyPages: Set<PageOfCrawl>
        /// The first of them; nil for a list in partitions, where a row before all others may be in any of them.
        fileprivate let first: PageOfCrawl?
        /// The last page of the list, which may be empty; nil if it cannot be requested again.
        package var last: PageOfCrawl?
        /// True if it is proved that the crawl met everything.
        package var isProved = false
        /// The generations of rows whose places are not in the order of the list.
        package var unordered: Set<Int64> = []

        /// - Parameters:
        ///   - pages: The pages of the list that have items, in its order, and those between that are empty for the
        ///     first time.
        ///   - emptyPages: The empty ones of these, and those whose items have no row.
        ///   - isDivided: True if the list is requested in partitions.
        package init(
            isOnePage: Bool, pages: [PageOfCrawl], emptyPages: Set<PageOfCrawl>, isDivided: Bool,
            last: PageOfCrawl?, askedAgain: Set<PageOfCrawl>,
            isOwn: @escaping (PageOfCrawl) throws -> Bool,
            areSteady: @escaping (PageOfCrawl, PageOfCrawl) throws -> Bool
        ) {
            (self.isOnePage, self.last, self.askedAgain) = (isOnePage, last, askedAgain)
            (self.isOwn, self.areSteady) = (isOwn, areSteady)
            (pagesBeforeEnd, self.emptyPages) = (pages, emptyPages)
            places = Dictionary(zip(pages, pages.indices)) { first, _ in first }
            first = isDivided ? nil : pages.first
        }

        /// True if a page is the same as another, or follows it with only empty pages between them, as far as both are
        /// known. A page after the last one with items has no place, and is at the end.
        fileprivate func follow(_ one: PageOfCrawl?, _ other: PageOfCrawl?) -> Bool {
            guard let one, let other else { return true }
            let between = between(one, other)
            return place(of: one) <= place(of: other) && between.count <= MissingRows.mostPages
                && between.allSatisfy(emptyPages.contains)
        }

        /// The pages between two pages of the list.
        fileprivate func between(_ one: PageOfCrawl, _ other: PageOfCrawl) -> ArraySlice<PageOfCrawl> {
            let (first, end) = (place(of: one) + 1, place(of: other))
            return first < end ? pagesBeforeEnd[first..<end] : []
        }

        fileprivate func place(of page: PageOfCrawl) -> Int { places[page] ?? places.count }

        /// The pages of the list, in its order.
        fileprivate var pages: [PageOfCrawl] {
            guard let last, places[last] == nil else { return pagesBeforeEnd }
            return pagesBeforeEnd + [last]
        }
    }

    /// In feed order.
    package private(set) var rows: [Row]
    /// True if rows were left out because pages lie between their neighbours, or because they may stand anywhere.
    package private(set) var hasRowsOutOfSight = false
    private let evidence: Evidence
    /// The earlier places of the rows that were met, in feed order, and if they have kept their order.
    private let met: [MetPlaces]
    private let isSteady: [Bool]

    /// - Parameters:
    ///   - rows: In feed order.
    ///   - met: The earlier places of the rows that the crawl met, in feed order.
    /// - Throws: The errors of the evidence.
    package init(_ rows: [Row], among met: [MetPlaces], _ evidence: Evidence) throws {
        self.rows = rows
        self.evidence = evidence
        let met = met.filter { !evidence.unordered.contains($0.first.generation) }
        self.met = met
        isSteady = SteadyRows.find(counts: met.map(\.count), pages: met.map { evidence.place(of: $0.name) })
        let everywhere = evidence.unordered.isEmpty ? [] : try pagesToAskEverywhere()
        /// The missing rows since the last row that was met.
        var gap: [Int] = []
        var next = met.startIndex
        for index in rows.indices {
            guard !evidence.unordered.contains(rows[index].place.generation) else {
                // It may stand behind the end, too.
                self.rows[index].gap = -1 - index
                self.rows[index].isOutOfSight = everywhere == nil
                self.rows[index].pages = everywhere ?? []
                continue
            }
            while next < met.endIndex, met[next].first.precedes(rows[index].place) {
                try close(&gap, at: next)
                next += 1
            }
            gap.append(index)
        }
        try close(&gap, at: next)
    }

    /// The pages to request for rows that may stand anywhere in the list: all of them, or none if this run has shown
    /// that the rows are gone; nil if there are too many.
    private func pagesToAskEverywhere() throws -> Set<PageOfCrawl>? {
        if evidence.isOnePage || evidence.isProved { return [] }
        let pages = evidence.pages
        guard pages.count <= Self.mostPages else { return nil }
        let isSteady = try zip(pages, pages.dropFirst()).allSatisfy { try evidence.areSteady($0, $1) }
        return isSteady && evidence.askedAgain.isSuperset(of: pages) ? [] : Set(pages)
    }

    /// Settles rows between two rows that were met.
    ///
    /// - Parameter next: The index of the second one.
    private mutating func close(_ gap: inout [Int], at next: Int) throws {
        guard !gap.isEmpty else { return }
        let neighbours = neighbours(at: next)
        let pages = try neighbours.map { try pagesToAsk($0.before, $0.behind) } ?? []
        for index in gap {
            rows[index].pages = pages
            rows[index].hasNeighbours = !met.isEmpty
            rows[index].isAtEnd = next == met.endIndex
            rows[index].gap = next
            rows[index].isOutOfSight = neighbours == nil && !evidence.isOnePage
        }
        gap = []
    }

    /// The pages of the nearest rows above and below that still stand so that no page lies between; nil if there are
    /// none.
    ///
    /// A row that has moved is passed over: the missing row stood between those behind it, too.
    ///
    /// - Parameter next: The index of the first row below.
    private func neighbours(at next: Int) -> (before: PageOfCrawl?, behind: PageOfCrawl?)? {
        let names = { (indices: Range<Int>) -> [PageOfCrawl?] in indices.filter { isSteady[$0] }.map { met[$0].name } }
        let (first, end) = (max(next - Self.mostNeighbours, 0), min(next + Self.mostNeighbours, met.count))
        var above = Array(names(first..<next).reversed())
        var below = names(next..<end)
        // Rows above all others may be on the first page by now, and rows below all others on the last.
        let (isAtHead, isAtEnd) = (first == 0, end == met.count)
        if isAtHead { above.append(evidence.first) }
        if isAtEnd { below.append(evidence.last) }
        guard !above.isEmpty, !below.isEmpty else { return nil }
        let pairs = above.indices.map { ($0, 0) } + below.indices.dropFirst().map { (0, $0) }
        guard let (one, other) = pairs.first(where: { evidence.follow(above[$0], below[$1]) }) else { return nil }
        // The border of a list is no row with which another has come.
        guard above[one] == below[other] else { return (above[one], below[other]) }
        if isAtHead, one == above.count - 1 { return (nil, below[other]) }
        if isAtEnd, other == below.count - 1 { return (above[one], nil) }
        return (above[one], below[other])
    }

    /// The most of some rows that are in one gap, as those of a partition are that ended too soon.
    ///
    /// - Parameter rows: In feed order.
    package static func widestGap(_ rows: [Row]) -> ArraySlice<Row> {
        var widest = rows[..<0]
        var start = 0
        for index in rows.indices {
            if rows[index].gap != rows[start].gap { start = index }
            if index + 1 - start > widest.count { widest = rows[start...index] }
        }
        return widest
    }

    /// The number of rows that may be passed over.
    private static let mostNeighbours = 64
    /// The number of pages that are requested again for a row that may stand on any of them.
    fileprivate static let mostPages = 10

    private func pagesToAsk(_ before: PageOfCrawl?, _ behind: PageOfCrawl?) throws -> Set<PageOfCrawl> {
        if evidence.isOnePage { return [] }
        if let before, before == behind, try evidence.isOwn(before) { return [] }
        guard let before, let behind, before != behind else {
            return Set([before, behind].compactMap(\.self)).subtracting(evidence.askedAgain)
        }
        let pages = [before] + evidence.between(before, behind) + [behind]
        let isSteady = try zip(pages, pages.dropFirst()).allSatisfy { try evidence.areSteady($0, $1) }
        return isSteady && evidence.askedAgain.isSuperset(of: pages) ? [] : Set(pages)
    }

    /// Leaves out the rows that may stand where this run could not see them.
    ///
    /// - Parameters:
    ///   - isTailOpen: True if the list may go on behind its last known page.
    ///   - isFirstLoad: True if no crawl has read the whole list before.
    ///   - isWhole: True if this run read every page of the list.
    ///   - passedOver: The rows that the way to the next page may have passed over.
    package mutating func leaveOut(isTailOpen: Bool, isFirstLoad: Bool, isWhole: Bool, passedOver: Set<Int64>) {
        hasRowsOutOfSight = rows.contains(where: \.isOutOfSight)
        rows.removeAll { row in
            row.isOutOfSight
                // A row that slid off a page with no known next page is not removed.
                || isTailOpen && row.isAtEnd
                // Without a neighbour, and where nothing was stored that could be gone, the row may have moved up to
                // the pages of an earlier run.
                || !isWhole && (isFirstLoad || !row.hasNeighbours)
                || passedOver.contains(row.id)
        }
    }
}

extension MetPlaces {
    /// The page where the rows were met.
    fileprivate var name: PageOfCrawl { PageOfCrawl(crawl: crawl, number: page) }
}
