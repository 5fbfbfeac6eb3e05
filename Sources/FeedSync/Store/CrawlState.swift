/// A crawl as far as it has come: what `_crawl` holds, and what its next page is measured against.
struct CrawlState: Sendable {
    var id: Int64
    /// Of the rows it wrote; nil while all its pages were unchanged.
    var generation: Int64?
    var pages = 0
    /// Elements of the items arrays of all its pages.
    var elements = 0
    /// Where the next new item goes.
    var position: Int64 = 0
    var skipped = 0
    var total: Int?
    /// Whether the list moved while it was read.
    var hasDrifted = false
    /// Why it is not complete although it has ended.
    var reason: IncompleteReason?
    var isComplete = false
    /// Whether items may have passed it unseen, and nobody asked again.
    var isUnchecked = false
    /// The number of the last page whose rows have their place in the crawl's generation.
    var lifted = 0
    /// Pages running that brought nothing which the crawl had not met.
    var repeatedPages = 0
    /// The place of the last item of its last page that had any.
    var lastPlace: Place?
    /// Where that item stood before the crawl wrote it; nil for one that was new.
    var lastPlaceBefore: Place?
    /// How far the watermark's values reach that its items have, as JSON.
    var furthest: String?
    /// The most elements of any of its pages: those of a full one.
    var mostElements = 0
    /// The keys of its last page, to notice the same page twice running.
    var lastKeys = "[]"
    /// The part that it is in the midst of; nil between two, and for a feed that is not split.
    var part: CrawlPartition?
    /// The elements of the parts that it is through with, as the upstream said.
    var finishedTotal = 0
    /// Whether a part that cannot be halved had more than the upstream serves.
    var isCapped = false
    /// How many elements of a part the upstream serves, once that was seen.
    var cap: Int?
    /// Whether a page proves too little of the end of its part.
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
    /// The most positions that any page of the feed has.
    var longestPage: Int64
    var figures = RunMetrics()
    /// The begin that is not closed yet.
    var open: PageDirection?
    /// Whether a page of this run changed anything.
    var hasChanged = false
}

/// What the next command can go on from.
struct ResumePoint: Sendable, Hashable {
    /// Whether a first page is stored.
    var isLoaded: Bool
    /// What to request next; nil at the end, or before the first page.
    var cursor: PageCursor?
    /// Whether the rows of the last crawl are a synced range.
    var leavesSyncedRange = false
    /// The mode of the last crawl if it was a sync's that was cut off, and can be gone on with.
    var resumableMode: String?
    /// The pages of the last crawl.
    var pages = 0
    /// What the requests of that crawl carried for the watermark.
    var crawlWatermark: String?
    /// The name of the part that the last crawl began with.
    var firstPartition: String?
    /// How many items of a part the upstream served, as far as it was seen.
    var cap: Int?
    /// How far items reach that a sync by watermark has met, as JSON.
    var watermark: String?

    /// Whether the upstream has no further page.
    var isAtEnd: Bool { isLoaded && cursor == nil }
}

/// Why a run's crawl is not complete.
public enum IncompleteReason: String, Sendable, Hashable, CaseIterable {
    /// It ended before the last page.
    case cutOff = "cut_off"
    /// A page failed.
    case failed
    /// The upstream serves no further page, and has more.
    case cap
    /// The definition wants no more pages.
    case maxPages = "max_pages"
    /// Items could not be stored.
    case skipped = "left_out"
    /// The upstream said itself that it did not give all.
    case upstreamIncomplete = "upstream_incomplete"
    /// The list moved under the crawl.
    case drift

    /// Whether the crawl met all the same whatever another one like it could meet.
    var leavesSyncedRange: Bool { [.cap, .maxPages, .skipped].contains(self) }
}

/// Rows from which on everything is stored that can be.
struct SyncedRange: Sendable, Hashable {
    /// Why that is not all there is; nil if it is.
    var reason: IncompleteReason?
}
