/// A crawl as far as it has come: what `_crawl` holds, and what its next page is measured against.
package struct CrawlState: Sendable {
    package var id: Int64
    package var mode = CrawlMode.reload
    /// The first crawl of the crawl of every page that it belongs to; nil for one that stands by itself.
    package var round: Int64?
    /// Of the rows it wrote; nil while all its pages were unchanged.
    package var generation: Int64?
    package var pages = 0
    /// Elements of the items arrays of all its pages.
    package var elements = 0
    /// Where the next new item goes.
    package var position: Int64 = 0
    package var skipped = 0
    /// Items whose place another item of the same key and the same page took.
    package var sameKey = 0
    package var total: Int?
    /// Whether every page said a total.
    package var hasTotals = true
    /// Whether that was another one on some page.
    package var hasTotalMoved = false
    /// Items that came again on a later page.
    package var repeats = 0
    /// Whether each page showed the last item of the page before.
    package var overlaps = true
    /// Whether the places of its rows are the order of the list.
    package var isOrdered = true
    /// Whether its first page, and its last one with items, had items that were not stored; as far as this run read them.
    package var headGained = false
    package var tailGained = false
    /// Whether the list moved while it was read.
    package var hasDrifted = false
    /// Why it is not complete although it has ended.
    package var reason: IncompleteReason?
    /// The number of the last page whose rows have their place in the crawl's generation.
    package var lifted = 0
    /// Pages in a row that brought nothing which the crawl had not met.
    package var repeatedPages = 0
    /// The place of the last item of its last page that had any.
    package var lastPlace: Place?
    /// Where that item stood before the crawl wrote it; nil for one that was new.
    package var lastPlaceBefore: Place?
    /// How far the watermark's values reach that its items have, as JSON.
    package var furthest: String?
    /// The most elements of any of its pages: those of a full one.
    package var mostElements = 0
    /// The keys of its last page, to notice the same page twice in a row.
    package var lastKeys = "[]"
    /// The partition that it is reading; nil between two, and for a feed that is not partitioned.
    package var part: CrawlPartition?
    /// The elements of the partitions that it has read, as the upstream said.
    package var finishedTotal = 0
    /// Whether a partition that cannot be halved had more than the upstream serves.
    package var isCapped = false
    /// True while its pages are as the crawl before stored them, but for new items above them.
    package var onlyGrows = true
    /// True once it met stored items.
    package var hasMet = false
    /// How many elements of a partition the upstream serves, once that was seen.
    package var cap: Int?
    /// Whether a page proves too little of the end of its partition.
    package var isDoubtful = false

    package init(id: Int64) {
        self.id = id
    }
}

/// What a crawl has left behind it, page by page. It grows with the list, so it is added to and never copied.
package struct CrawlTrail: Sendable {
    /// Every page cursor that one of its pages led to.
    package private(set) var cursors: Set<String> = []
    /// Where the rows that it met stood before.
    private(set) var metPlaces: [MetPlaces] = []
    /// The rows that it added; nil unless all of the crawl's pages are known.
    private var added: Int64?
    /// The elements of its pages that are not items; nil where that is not known of each.
    package private(set) var others: Int?

    /// - Parameter isWhole: Whether the crawl begins with it.
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

    /// Keeps where rows stood, when the crawl goes a page back.
    package mutating func keepPlaces(of other: CrawlTrail) { metPlaces = other.metPlaces }

    /// How many rows the crawl met; nil where that is not known.
    ///
    /// - Parameter generation: The crawl's own: what has a place in it was met before, or is new.
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

/// What a session knows of its feed and of the crawl in progress; changed only when a transaction has succeeded.
package struct FeedState: Sendable {
    /// The feed's newest generation.
    package var generation: Int64
    /// The crawl that the next page belongs to; nil before the first page.
    package var crawl: CrawlState?
    /// What is stored of the list.
    package var progress = CrawlProgress()
    /// The most positions that any page of the feed has.
    package var longestPage: Int64
    package var figures = RunMetrics()
    /// The begin that is not closed yet.
    package var open: PageDirection?
    /// Whether a page of this run changed anything.
    package var hasChanged = false
    /// Whether the mirror is complete, and whether that is proved.
    package var isComplete = false
    package var isVerified = false

    package init(
        generation: Int64, crawl: CrawlState? = nil, progress: CrawlProgress = CrawlProgress(), longestPage: Int64,
        figures: RunMetrics = RunMetrics(), open: PageDirection? = nil, hasChanged: Bool = false,
        isComplete: Bool = false, isVerified: Bool = false
    ) {
        self.generation = generation
        self.crawl = crawl
        self.progress = progress
        self.longestPage = longestPage
        self.figures = figures
        self.open = open
        self.hasChanged = hasChanged
        self.isComplete = isComplete
        self.isVerified = isVerified
    }
}

/// What the next command can go on from.
package struct ResumePoint: Sendable, Hashable {
    /// Whether a first page is stored.
    package var isLoaded: Bool
    /// Where `more` goes on; nil at the end, or before the first page.
    package var open: SyncedRange?
    /// What is stored of the list.
    package var progress = CrawlProgress()
    /// When a crawl of every page was complete last, in milliseconds since 1970.
    package var fullAt: Int64?
    /// What the requests of a crawl under way carry for the watermark.
    package var crawlWatermark: String?
    /// The name of the partition that the last crawl began with.
    package var firstPartition: String?
    /// How many items of a partition the upstream served, as far as it was seen.
    package var cap: Int?
    /// How far items reach that a sync by watermark has met, as JSON.
    package var watermark: String?

    package init(
        isLoaded: Bool, open: SyncedRange? = nil, progress: CrawlProgress = CrawlProgress(), fullAt: Int64? = nil,
        crawlWatermark: String? = nil, firstPartition: String? = nil, cap: Int? = nil, watermark: String? = nil
    ) {
        self.isLoaded = isLoaded
        self.open = open
        self.progress = progress
        self.fullAt = fullAt
        self.crawlWatermark = crawlWatermark
        self.firstPartition = firstPartition
        self.cap = cap
        self.watermark = watermark
    }

    /// Whether the upstream has no further page.
    var isAtEnd: Bool { isLoaded && open == nil }
}
