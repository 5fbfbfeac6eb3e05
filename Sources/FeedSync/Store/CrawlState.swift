/// A crawl as far as it has come: what `_crawl` holds, and what its next page is measured against.
struct CrawlState: Sendable {
    var id: Int64
    var mode = CrawlMode.reload
    /// The first crawl of the crawl of every page that it belongs to; nil for one that stands by itself.
    var round: Int64?
    /// Of the rows it wrote; nil while all its pages were unchanged.
    var generation: Int64?
    var pages = 0
    /// Elements of the items arrays of all its pages.
    var elements = 0
    /// Where the next new item goes.
    var position: Int64 = 0
    var skipped = 0
    var total: Int?
    /// Whether every page said a total.
    var hasTotals = true
    /// Whether that was another one on some page.
    var hasTotalMoved = false
    /// Items that came again on a later page.
    var repeats = 0
    /// Whether each page showed the last item of the page before.
    var overlaps = true
    /// Whether the places of its rows are the order of the list.
    var isOrdered = true
    /// Its pages that were asked for again and were the same.
    var checked = 0
    /// Whether its first page, and its last one with items, had items that were not stored; as far as this run read them.
    var headGained = false
    var tailGained = false
    /// Whether the list moved while it was read.
    var hasDrifted = false
    /// Why it is not complete although it has ended.
    var reason: IncompleteReason?
    /// The number of the last page whose rows have their place in the crawl's generation.
    var lifted = 0
    /// Pages in a row that brought nothing which the crawl had not met.
    var repeatedPages = 0
    /// The place of the last item of its last page that had any.
    var lastPlace: Place?
    /// Where that item stood before the crawl wrote it; nil for one that was new.
    var lastPlaceBefore: Place?
    /// How far the watermark's values reach that its items have, as JSON.
    var furthest: String?
    /// The most elements of any of its pages: those of a full one.
    var mostElements = 0
    /// The keys of its last page, to notice the same page twice in a row.
    var lastKeys = "[]"
    /// The partition that it is reading; nil between two, and for a feed that is not partitioned.
    var part: CrawlPartition?
    /// The elements of the partitions that it has read, as the upstream said.
    var finishedTotal = 0
    /// Whether a partition that cannot be halved had more than the upstream serves.
    var isCapped = false
    /// How many elements of a partition the upstream serves, once that was seen.
    var cap: Int?
    /// Whether a page proves too little of the end of its partition.
    var isDoubtful = false

    init(id: Int64) {
        self.id = id
    }
}

/// What a crawl has left behind it, page by page. It grows with the list, so it is added to and never copied.
struct CrawlTrail: Sendable {
    /// Every page cursor that one of its pages led to.
    private(set) var cursors: Set<String> = []
    /// Where the rows that it met stood before.
    private(set) var metPlaces: [MetPlaces] = []
    /// The rows that it added; nil unless all of the crawl's pages are known.
    private var added: Int64?

    /// - Parameter isWhole: Whether the crawl begins with it.
    init(isWhole: Bool = false) {
        added = isWhole ? 0 : nil
    }

    mutating func add(_ cursor: String?, _ met: [MetPlaces] = [], added: Int = 0) {
        if let cursor { cursors.insert(cursor) }
        metPlaces += met
        self.added = self.added.map { $0 + Int64(added) }
    }

    /// Keeps where rows stood, when the crawl goes a page back.
    mutating func keepPlaces(of other: CrawlTrail) { metPlaces = other.metPlaces }

    /// How many rows the crawl met; nil where that is not known.
    ///
    /// - Parameter generation: The crawl's own: what has a place in it was met before, or is new.
    func metCount(besides generation: Int64?) -> Int64? {
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
struct FeedState: Sendable {
    /// The feed's newest generation.
    var generation: Int64
    /// The crawl that the next page belongs to; nil before the first page.
    var crawl: CrawlState?
    /// What is stored of the list.
    var progress = CrawlProgress()
    /// The most positions that any page of the feed has.
    var longestPage: Int64
    var figures = RunMetrics()
    /// The begin that is not closed yet.
    var open: PageDirection?
    /// Whether a page of this run changed anything.
    var hasChanged = false
    /// Whether the mirror is complete, and whether that is proved.
    var isComplete = false
    var isVerified = false
}

/// What the next command can go on from.
struct ResumePoint: Sendable, Hashable {
    /// Whether a first page is stored.
    var isLoaded: Bool
    /// Where `more` goes on; nil at the end, or before the first page.
    var open: SyncedRange?
    /// What is stored of the list.
    var progress = CrawlProgress()
    /// When a crawl of every page was complete last, in milliseconds since 1970.
    var fullAt: Int64?
    /// What the requests of a crawl under way carry for the watermark.
    var crawlWatermark: String?
    /// The name of the partition that the last crawl began with.
    var firstPartition: String?
    /// How many items of a partition the upstream served, as far as it was seen.
    var cap: Int?
    /// How far items reach that a sync by watermark has met, as JSON.
    var watermark: String?

    /// Whether the upstream has no further page.
    var isAtEnd: Bool { isLoaded && open == nil }
}
