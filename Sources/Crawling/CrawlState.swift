/// The state of a crawl, as stored in `_crawl`, with which its next page is compared.
package struct CrawlState: Sendable {
    package var id: Int64
    package var mode = CrawlMode.reload
    /// The first crawl of the round that it belongs to; nil for a crawl of its own.
    package var round: Int64?
    /// The generation of the rows that it wrote; nil while all its pages were unchanged.
    package var generation: Int64?
    package var pages = 0
    /// The number of elements in the items arrays of all its pages.
    package var elements = 0
    /// The position of the next new item.
    package var position: Int64 = 0
    package var skipped = 0
    /// The number of items replaced by another item of the same page with the same key.
    package var sameKey = 0
    package var total: Int?
    /// True if every page had a total; in partitions, if each partition had one.
    package var hasTotals = true
    /// True if the total changed between pages.
    package var hasTotalMoved = false
    /// The number of items that came again on a later page.
    package var repeats = 0
    /// True if each page began with the last item of the previous page.
    package var overlaps = true
    /// True if the places of its rows follow the order of the list.
    package var isOrdered = true
    /// True if its first page had new items, as far as this run read it.
    package var headGained = false
    /// True if the list moved while it was read.
    package var hasDrifted = false
    /// The reason why it is incomplete: as far as its pages show, and at its end that of the verdict.
    package var reason: IncompleteReason?
    /// The number of the last page whose rows have places in the crawl's generation.
    package var lifted = 0
    /// The number of pages in a row that brought only items that the crawl had met.
    package var repeatedPages = 0
    /// The number of pages in a row that brought no item that the crawl had not met, empty ones included; in
    /// partitions, of the pages of one of them.
    package var pagesWithoutNews = 0
    /// The place of the last item of its last page with items.
    package var lastPlace: Place?
    /// The place of that item before the crawl wrote it; nil for a new item.
    package var lastPlaceBefore: Place?
    /// The furthest watermark value of its items, as JSON.
    package var furthest: String?
    /// The largest number of elements on any of its pages, taken as that of a full page.
    package var mostElements = 0
    /// The keys of its last page, to notice the same page twice in a row.
    package var lastKeys = "[]"
    /// The partition that it is reading; nil between two partitions, and for a feed without partitions.
    package var partition: CrawlPartition?
    /// The number of elements in the partitions that it has read, as reported by the upstream.
    package var finishedTotal = 0
    /// True if a partition that cannot be halved had more items than the upstream serves.
    package var isCapped = false
    /// True while its pages equal those of the previous crawl, except for new items above them.
    package var onlyGrows = true
    /// True once it met stored items.
    var hasMet = false
    /// The number of elements of a partition that the upstream serves, once known.
    package var cap: Int?
    /// True if a page proves too little about the end of the list, or of its partition.
    package var hasDoubtfulEnd = false
    /// True if several stored rows have the values by which `keyset` continues: a page may begin behind items that
    /// share them, and were not met.
    package var sharesValues = false
    /// True if items may share these values, whether or not rows do.
    package var mayShareValues = false

    /// True if the finished partitions have as many items as their totals say, and each has a total.
    package var partitionTotalsAreMet: Bool { hasTotals && finishedTotal == elements - (partition?.elements ?? 0) }

    package init(id: Int64) {
        self.id = id
    }
}

/// The trail of a crawl's pages. It grows with the list, so it is extended in place and never copied.
package struct CrawlTrail: Sendable {
    /// Every page cursor that one of its pages led to.
    package private(set) var cursors: Set<String> = []
    /// The earlier places of the rows that it met.
    private(set) var metPlaces: [MetPlaces] = []
    /// The number of rows that it added; nil unless all of the crawl's pages are known.
    private var added: Int64?
    /// The number of elements on its pages that are not items; nil if unknown for some page.
    package private(set) var others: Int?

    /// - Parameter isWhole: True if the trail begins with the crawl.
    package init(isWhole: Bool = false) {
        added = isWhole ? 0 : nil
        others = isWhole ? 0 : nil
    }

    package mutating func add(_ cursor: String?, _ met: [MetPlaces] = [], added: Int = 0, others: Int? = nil) {
        if let cursor { cursors.insert(cursor) }
        metPlaces += met
        self.added = self.added.map { $0 + Int64(added) }
        if let sum = self.others { self.others = others.map { sum + $0 } }
    }

    /// Keeps the earlier places of rows when the crawl goes a page back.
    package mutating func keepPlaces(of other: CrawlTrail) { metPlaces = other.metPlaces }

    /// The number of rows that the crawl met; nil if unknown.
    ///
    /// - Parameter generation: The crawl's own generation. Rows with a place in it were met before, or are new.
    package func metCount(besides generation: Int64?) -> Int64? {
        guard var count = added else { return nil }
        let places = metPlaces.filter { $0.first.generation != generation }
            .sorted { ($0.first.generation, $0.first.position) < ($1.first.generation, $1.first.position) }
        var end: Place?
        for met in places {
            let last = met.first.position + met.count
            // A place that was met twice is one row.
            let isSeen = end?.generation == met.first.generation
            let from = isSeen ? max(met.first.position, end?.position ?? 0) : met.first.position
            count += max(last - from, 0)
            end = Place(generation: met.first.generation, position: isSeen ? max(last, end?.position ?? 0) : last)
        }
        return count
    }
}

extension CrawlState {
    /// Adds a page that was read to the crawl.
    ///
    /// - Parameter rules: The effect of the page on the stored rows.
    /// - Throws: `FeedSyncError` of kind `unfollowable` if the list goes in circles.
    package mutating func add(
        _ page: CrawlPage, by rules: PageRules, _ feed: FeedDefinition, url: String
    ) throws(FeedSyncError) {
        if !page.isCheck {
            pages += 1
            onlyGrows = onlyGrows && rules.onlyGrows(behindMet: hasMet)
            hasMet = hasMet || !rules.metPlaces.isEmpty
            let beginsPart = begins(page.partition)
            count(page, by: rules)
            try noteNews(of: page, hasNews: rules.placed > 0, beginsPart: beginsPart, url: url)
        }
        mostElements = max(mostElements, page.elementCount)
        switch feed.sync {
        case .since(let rule): furthest = Watermark.further(furthest, page.furthest, isTime: rule.isTime)
        case .delta(let rule): if !page.isCheck { furthest = rule.token(page.furthest, behind: furthest) }
        case .auto, .new, .all: break
        }
        skipped += page.skipped
        sameKey += page.sameKey
        // Rows of a page that moved elsewhere meanwhile are stored after the others.
        if rules.isOutOfOrder || page.isCheck && rules.isMoved { isOrdered = false }
        if page.keys != "[]", !page.isCheck { lastKeys = page.keys }
        if rules.isMoved { lifted = pages }
        guard !page.isCheck else { return }
        reason =
            page.end.next == nil
            ? Completeness.reason(
                of: self, isCut: page.upstreamNext != nil && !page.isOlder, isPartitioned: feed.partitioning != nil,
                sign: page.end.sign)
            // The halves of a partition have what the upstream left out.
            : Completeness.reason(after: page.end.partitionOutcome == .cut ? nil : page.end.sign, reason)
    }

    /// Counts a page of the crawl.
    private mutating func count(_ page: CrawlPage, by rules: PageRules) {
        elements += page.elementCount - page.overlap
        if pages == 1 { headGained = rules.items.inserted > 0 }
        if page.repeatsPageBefore {
            repeats += mostElements
            hasDoubtfulEnd = true
        }
        hasDoubtfulEnd = hasDoubtfulEnd || page.end.isDoubtful
        // The older pages that are read through are a crawl of their own.
        if !page.isAgain || page.readsThrough { repeats += rules.repeats }
        if pages > 1, !page.showsPageBefore { overlaps = false }
        guard let partition = page.partition else { return countTotal(page) }
        let said = page.isNotModified ? begins(partition) ? page.end.total : nil : page.end.total
        let hasTotal = said != nil || !begins(partition) && self.partition?.total != nil
        let hasFallen = meet(partition, elements: page.elementCount, total: said, end: page.end.partitionOutcome)
        if hasFallen, page.mode == .reload { hasDrifted = true }
        // An error proves little if no total shows that all items had come.
        let provesLittle = page.end.partitionOutcome == .whole && page.httpStatus >= 400 && !hasTotal
        hasDoubtfulEnd = hasDoubtfulEnd || provesLittle
        if page.end.partitionOutcome == .whole, !hasTotal { hasTotals = false }
    }

    private mutating func countTotal(_ page: CrawlPage) {
        // A total counts the older items, too, which are not asked for.
        guard let total = page.end.total, !page.asksNewest || !page.isOlder && page.end.next == nil else {
            hasTotals = false
            return
        }
        // An unchanged first page shows the total of the list as it was then.
        if let before = self.total, total != before {
            hasTotalMoved = true
            // Items that the crawl has passed were removed: as many later ones moved up, past the next page.
            if total < before, page.mode == .reload { hasDrifted = true }
        }
        self.total = total
    }

    /// Throws if too many pages in a row brought nothing new: only items already met, only `null`, or no items at all.
    /// Such a list never ends.
    private mutating func noteNews(
        of page: CrawlPage, hasNews: Bool, beginsPart: Bool, url: String
    ) throws(FeedSyncError) {
        repeatedPages = page.elementCount > 0 && !hasNews ? repeatedPages + 1 : 0
        // The number of partitions is limited, and many may be empty.
        pagesWithoutNews = hasNews || beginsPart ? 0 : pagesWithoutNews + 1
        let isEndless = pagesWithoutNews > Self.mostRepeatedPages && page.end.next != nil
        guard repeatedPages > Self.mostRepeatedPages || isEndless else { return }
        throw FeedSyncError(
            .unfollowable,
            "\(Self.mostRepeatedPages) pages in a row brought only items seen before, or none: the upstream is going in circles",
            advice: "check `pagination` in the feed's definition", url: url)
    }

    /// A list to which a thousand items are added meanwhile is not yet a loop.
    private static let mostRepeatedPages = 100
}
