internal import HTTP

/// A page on its way into the store.
package struct PageCommit: Sendable {
    package enum Content: Sendable {
        /// A body with items, or none.
        case decoded(DecodedPage)
        /// A response that stands for an empty page.
        case empty
        /// The stored page is still true.
        case notModified(StoredPage)

        /// The elements that are not items; nil where that is not known.
        var otherElements: Int? {
            switch self {
            case .decoded(let page): page.elementCount - page.keyCount
            case .empty: 0
            case .notModified: nil
            }
        }

        /// The elements of its items array.
        var elementCount: Int {
            switch self {
            case .decoded(let page): page.elementCount
            case .empty: 0
            case .notModified(let stored): stored.elements
            }
        }
    }

    package let direction: PageDirection
    /// What the crawl is for.
    package var mode = CrawlMode.reload
    /// The number of the page, where it is asked for again behind the end of the crawl; nil for the crawl's next page.
    package var checked: Int?
    /// Whether the crawl read the page before and went back to it.
    package var isAgain = false
    /// Whether it may only meet pages that this run read.
    package var meetsOwnPages = false
    /// Whether the list may have moved since the page before was read, and nothing tells.
    package var isLoose = false
    /// How many elements of the page before it shows: 1 where it was asked to, and does.
    package var overlap = 0
    /// Whether it begins with an item of the page before, as it was asked to.
    package var showsPageBefore = false
    /// Whether its items are those of the page before, and no others.
    package private(set) var repeatsPageBefore = false
    /// The page cursor that it was asked for with; nil for the first page.
    package var asked: PageCursor?
    /// The partition that the page belongs to; nil for a feed that is not partitioned.
    package var part: PagePartition?
    /// What the request carried for the watermark.
    package var watermark: String?
    /// How far its items reach by the watermark's value, as JSON.
    package var furthest: String?
    /// How long the run waited for it.
    package var waited = Duration.zero
    package var content: Content
    /// Method and URL, secrets masked.
    package let request: String
    package let credential: Int64
    package private(set) var validators: Validators
    /// Where the crawl goes on.
    package private(set) var end: NextPage
    /// Where the upstream says that the pages go on; the crawl may end before.
    package private(set) var upstreamNext: PageCursor?
    package let httpStatus: Int
    /// What the run's requests cost since the last commit.
    package var cost = FetchCost()
    package let serverDate: Int64?
    /// The elements that are no items; the first of them in words.
    package var skipped: SkippedItems
    /// The feed's shape, where the page brought something new of it.
    package var shape: ResolvedFeed?
    /// Whether a footer begins at once, in the same transaction.
    package let beginsNext: Bool
    /// The query parameters that say which page, for a message.
    package var cursorParameters: [String] = []
    /// When the upstream wants to be asked again.
    package var advice = PollingAdvice()

    package init(
        direction: PageDirection, mode: CrawlMode = .reload, checked: Int? = nil, isAgain: Bool = false,
        isLoose: Bool = false, overlap: Int = 0, showsPageBefore: Bool = false, asked: PageCursor? = nil,
        part: PagePartition? = nil, watermark: String? = nil, furthest: String? = nil, content: Content,
        request: String, credential: Int64, validators: Validators, end: NextPage, upstreamNext: PageCursor?,
        httpStatus: Int, serverDate: Int64?,
        skipped: SkippedItems, shape: ResolvedFeed?, beginsNext: Bool,
        cursorParameters: [String] = [], advice: PollingAdvice = PollingAdvice()
    ) {
        self.direction = direction
        self.mode = mode
        self.checked = checked
        self.isAgain = isAgain
        self.isLoose = isLoose
        self.overlap = overlap
        self.showsPageBefore = showsPageBefore
        self.asked = asked
        self.part = part
        self.watermark = watermark
        self.furthest = furthest
        self.content = content
        self.request = request
        self.credential = credential
        self.validators = validators
        self.end = end
        self.upstreamNext = upstreamNext
        self.httpStatus = httpStatus
        self.serverDate = serverDate
        self.skipped = skipped
        self.shape = shape
        self.beginsNext = beginsNext
        self.cursorParameters = cursorParameters
        self.advice = advice
    }
}

/// Elements that were not stored.
package struct SkippedItems: Sendable, Hashable {
    /// Elements that are no items, or have no key.
    package var count = 0
    package var first: String?
    /// Items whose place another item of the same key took; the first of them in words.
    package var sameKey = 0
    package var firstSameKey: String?

    package init(count: Int = 0, first: String? = nil, sameKey: Int = 0, firstSameKey: String? = nil) {
        self.count = count
        self.first = first
        self.sameKey = sameKey
        self.firstSameKey = firstSameKey
    }

    /// Adds those of another page.
    package mutating func add(_ other: SkippedItems) {
        first = first ?? other.first
        count += other.count
        firstSameKey = firstSameKey ?? other.firstSameKey
        sameKey += other.sameKey
    }
}

/// A page as the store has it.
package struct StoredPage: Sendable, Hashable {
    package let id: Int64
    package let validators: Validators
    let place: Place
    let placed: Int64
    package let elements: Int
    package let skipped: Int
    package let sameKey: Int
    package let keys: String
    package let cursor: PageCursor?
    package let total: Int?
}

/// The result of a commit.
package struct PageOutcome: Sendable {
    let items: ItemCounts
    /// The facts for the rules of the crawl.
    package let committed: CrawlRules.Committed
    /// True if nothing is left to read.
    package let isEnd: Bool
    /// True if a footer has begun.
    package let beginsNext: Bool
    package let events: [StatusEvent]
}

extension PageCommit {
    /// Whether the stored page is still true.
    var isNotModified: Bool { if case .notModified = content { true } else { false } }

    /// Whether it is asked for again behind the end of the crawl.
    var isCheck: Bool { checked != nil }

    /// The page as the last one of its list.
    func asEnd() -> PageCommit {
        var page = self
        page.end = .end(total: end.total, notice: end.notice)
        page.upstreamNext = nil
        return page
    }

    /// The page as an empty last one: its items are those of the page before.
    func asRepeat() -> PageCommit {
        var page = asEnd()
        page.content = .empty
        // They speak of items that are not stored with this page.
        page.validators = Validators(etag: nil, lastModified: nil)
        page.overlap = 0
        page.repeatsPageBefore = true
        return page
    }

    /// The URL in `request`, without the method and the body.
    var url: String {
        let parts = request.split(separator: " ", maxSplits: 2)
        return parts.count > 1 ? String(parts[1]) : request
    }
}

extension FeedSyncError {
    /// The page has the items of the one before: whatever led to it, the upstream did not go on.
    static func samePageTwice(_ page: PageCommit) -> FeedSyncError {
        let names = page.cursorParameters.map { "`\($0)`" }.joined(separator: " and ")
        guard !names.isEmpty else {
            return FeedSyncError(
                .unfollowable, "the same page came twice in a row: the upstream does not continue with the next one",
                advice: "check `pagination` in the feed's definition", url: page.url)
        }
        return FeedSyncError(
            .unfollowable,
            "the same page came twice in a row: the upstream seems to ignore the query parameter \(names)",
            advice: "correct `param` in the feed's `pagination`, or set `pagination: none` if there is only one page",
            url: page.url)
    }
}
