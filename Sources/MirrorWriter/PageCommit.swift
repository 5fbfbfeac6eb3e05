internal import HTTP

/// A page that is to be stored.
package struct PageCommit: Sendable {
    package enum Content: Sendable {
        /// A decoded body, with or without items.
        case decoded(DecodedPage)
        /// A response that means an empty page.
        case empty
        /// The stored page is still valid.
        case notModified(StoredPage)

        /// The number of elements that are not items; nil if unknown.
        var otherElements: Int? {
            switch self {
            case .decoded(let page): page.elementCount - page.keyCount
            case .empty: 0
            case .notModified: nil
            }
        }

        /// The bytes of the body; 0 without one.
        var byteCount: Int { if case .decoded(let page) = self { page.byteCount } else { 0 } }

        /// The keys of its items, as a JSON array.
        var keys: String {
            switch self {
            case .decoded(let page): page.keys
            case .empty: "[]"
            case .notModified(let stored): stored.keys
            }
        }

        /// The number of elements in the items array.
        var elementCount: Int {
            switch self {
            case .decoded(let page): page.elementCount
            case .empty: 0
            case .notModified(let stored): stored.elements
            }
        }
    }

    package let direction: PageDirection
    /// The purpose of the crawl.
    package var mode = CrawlMode.reload
    /// The page's number if it is requested again after the end of the crawl; nil for the crawl's next page.
    package var checked: Int?
    /// True if the crawl had read the page before and went back to it.
    package var isAgain = false
    /// True if the page may only meet pages that this run read.
    package var meetsOwnPages = false
    /// True if the crawl reads a list from its newest item down to older ones.
    package var asksNewest = false
    /// True if the crawl ends with the page because all items behind it are older than the watermark.
    package var isOlder = false
    /// True if the list may have moved unnoticed since the previous page was read.
    package var isLoose = false
    /// The number of elements that it shares with the previous page: 1 if that was requested and is so.
    package var overlap = 0
    /// True if it begins with an item of the previous page, as requested.
    package var showsPageBefore = false
    /// True if its items are exactly those of the previous page.
    package private(set) var repeatsPageBefore = false
    /// The page cursor of its request; nil for the first page.
    package var asked: PageCursor?
    /// The partition of the page; nil for a feed without partitions.
    package var part: PagePartition?
    /// The watermark in the request.
    package var watermark: String?
    /// The furthest watermark value of its items, as JSON.
    package var furthest: String?
    /// The time that the run waited for it.
    package var waited = Duration.zero
    package var content: Content
    /// The method and the URL, with secrets masked.
    package let request: String
    package let credential: Int64
    package private(set) var validators: Validators
    /// The next page of the crawl.
    package private(set) var end: NextPage
    /// The next page according to the upstream. The crawl may end before it.
    package private(set) var upstreamNext: PageCursor?
    package let httpStatus: Int
    /// The cost of the run's requests since the last commit.
    package var cost = FetchCost()
    package let serverDate: Int64?
    /// The elements that are not items, with a description of the first.
    package var skipped: SkippedItems
    /// The feed's shape, if the page changed it.
    package var shape: ResolvedFeed?
    /// True if a footer begins at once, in the same transaction.
    package let beginsNext: Bool
    /// The query parameters that select the page, for a message.
    package var cursorParameters: [String] = []
    /// The upstream's advice about the next poll.
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
    /// True if the stored page is still valid.
    var isNotModified: Bool { if case .notModified = content { true } else { false } }

    /// True if the page is requested again after the end of the crawl.
    var isCheck: Bool { checked != nil }

    /// The page as the last one of its list.
    func asEnd() -> PageCommit {
        var page = self
        page.end = .end(total: end.total, notice: end.notice)
        page.upstreamNext = nil
        return page
    }

    /// The page as an empty last page, because its items are those of the previous page.
    func asRepeat() -> PageCommit {
        var page = asEnd()
        page.content = .empty
        // The validators belong to items that are not stored with this page.
        page.validators = Validators(etag: nil, lastModified: nil)
        page.overlap = 0
        page.showsPageBefore = false
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
    /// The error for a page with the items of the previous page: the upstream did not continue.
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
