internal import HTTP

/// A page on its way into the store.
struct PageCommit: Sendable {
    enum Content: Sendable {
        /// A body with items, or none.
        case decoded(DecodedPage)
        /// A response that stands for an empty page.
        case empty
        /// The stored page is still true.
        case notModified(StoredPage)
    }

    let direction: PageDirection
    /// What the crawl is for.
    var mode = CrawlMode.reload
    /// The number of the page, where it is asked for again behind the end of the crawl; nil for the crawl's next page.
    var checked: Int?
    /// Whether the crawl read the page before and went back to it.
    var isAgain = false
    /// Whether the list may have moved since the page before was read, and nothing tells.
    var isLoose = false
    /// How many elements of the page before it shows: 1 where it was asked to, and does.
    var overlap = 0
    /// Whether it begins with an item of the page before, as it was asked to.
    var showsPageBefore = false
    /// The page cursor that it was asked for with; nil for the first page.
    var asked: PageCursor?
    /// The partition that the page belongs to; nil for a feed that is not partitioned.
    var part: PagePartition?
    /// What the request carried for the watermark.
    var watermark: String?
    /// How far its items reach by the watermark's value, as JSON.
    var furthest: String?
    /// How long the run waited for it.
    var waited = Duration.zero
    let content: Content
    /// Method and URL, secrets masked.
    let request: String
    let credential: Int64
    let validators: Validators
    /// Where the crawl goes on.
    let end: NextPage
    /// Where the upstream says that the pages go on; the crawl may end before.
    let upstreamNext: PageCursor?
    let httpStatus: Int
    let requestCount: Int
    let byteCount: Int
    let quota: [QuotaReading]
    let serverDate: Int64?
    /// Why a crawl that ends here is not complete all the same.
    let incompleteReason: IncompleteReason?
    /// The elements that are no items; the first of them in words.
    let skipped: SkippedItems
    /// The feed's shape, where the page brought something new of it.
    let shape: ResolvedFeed?
    /// Whether a footer begins at once, in the same transaction.
    let beginsNext: Bool
    /// The query parameters that say which page, for a message.
    var cursorParameters: [String] = []
    /// When the upstream wants to be asked again.
    var advice = PollingAdvice()
}

/// Elements that were not stored.
struct SkippedItems: Sendable, Hashable {
    var count = 0
    var first: String?
}

/// A page as the store has it.
struct StoredPage: Sendable, Hashable {
    let id: Int64
    let validators: Validators
    let place: Place
    let placed: Int64
    let elements: Int
    let skipped: Int
    let keys: String
    let cursor: PageCursor?
    let total: Int?
}

/// What a commit did.
struct PageOutcome: Sendable {
    let items: ItemCounts
    let isUnchanged: Bool
    /// Whether the list goes on behind it, or ends, as it did when it was stored.
    let isInPlace: Bool
    /// Whether nothing is left to read.
    let isEnd: Bool
    /// The page's number in the crawl.
    let number: Int
    let crawl: Int64
    /// Whether some of its items were stored before.
    let hasOverlap: Bool
    /// Where the crawl goes on.
    let onward: CrawlProgress.Onward
    /// The pages of the range that it goes on with.
    let pagesOfRange: Int
    /// Whether a footer has begun.
    let beginsNext: Bool
    let events: [StatusEvent]
}

extension PageCommit {
    /// Whether the stored page is still true.
    var isNotModified: Bool { if case .notModified = content { true } else { false } }

    /// Whether it is asked for again behind the end of the crawl.
    var isCheck: Bool { checked != nil }

    /// The URL in `request`, without the method and the body.
    var url: String {
        let parts = request.split(separator: " ", maxSplits: 2)
        return parts.count > 1 ? String(parts[1]) : request
    }
}

extension FeedError {
    /// The page has the items of the one before: whatever led to it, the upstream did not go on.
    static func samePageTwice(_ page: PageCommit) -> FeedError {
        let names = page.cursorParameters.map { "`\($0)`" }.joined(separator: " and ")
        guard !names.isEmpty else {
            return FeedError(
                .unfollowable, "the same page came twice in a row: the upstream does not continue with the next one",
                advice: "check `pagination` in the feed's definition", url: page.url)
        }
        return FeedError(
            .unfollowable,
            "the same page came twice in a row: the upstream seems to ignore the query parameter \(names)",
            advice: "correct `param` in the feed's `pagination`, or set `pagination: none` if there is only one page",
            url: page.url)
    }
}
