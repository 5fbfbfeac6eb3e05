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

    /// The page's place in the list, and what it shows of the list.
    package var page: CrawlPage
    package var content: Content { didSet { describeContent() } }
    /// The elements that are not items, with a description of the first.
    package var skipped: SkippedItems { didSet { describeContent() } }
    /// The feed's shape, if the page changed it.
    package var shape: ResolvedFeed?
    /// The key under which the page is stored.
    package let key: RequestKey
    package private(set) var validators: Validators
    package let serverDate: Int64?
    /// The cost of the run's requests since the last commit.
    package var cost = FetchCost()
    /// The time that the run waited for it.
    package var waited = Duration.zero
    /// The watermark in the request.
    package var watermark: String?
    /// True if a footer begins at once, in the same transaction.
    package let beginsNext: Bool
    /// The query parameters that select the page, for a message.
    package var cursorParameters: [String] = []
    /// The upstream's advice about the next poll.
    package var advice = PollingAdvice()

    package init(
        _ page: CrawlPage, content: Content, key: RequestKey, validators: Validators,
        serverDate: Int64? = nil, skipped: SkippedItems, shape: ResolvedFeed?, beginsNext: Bool
    ) {
        self.page = page
        self.content = content
        self.key = key
        self.validators = validators
        self.serverDate = serverDate
        self.skipped = skipped
        self.shape = shape
        self.beginsNext = beginsNext
        describeContent()
    }

    /// Tells the page about its content.
    private mutating func describeContent() {
        (page.keys, page.elementCount) = (content.keys, content.elementCount)
        page.otherElements = content.otherElements
        if case .notModified = content { page.isNotModified = true } else { page.isNotModified = false }
        (page.skipped, page.sameKey) = (skipped.count, skipped.sameKey)
    }

    /// The page as the last one if it does not lead on.
    ///
    /// - Throws: `FeedSyncError` of kind `unfollowable` if the upstream ignores the page cursor.
    func ending(behind crawl: CrawlState, _ trail: CrawlTrail) throws(FeedSyncError) -> PageCommit {
        var commit = self
        switch Circle(page, behind: crawl, trail) {
        case nil: break
        case .leadsBack?: commit.page = page.asEnd()
        case .repeats?:
            commit.page = page.asRepeat()
            commit.content = .empty
            // The validators belong to items that are not stored with this page.
            commit.validators = Validators(etag: nil, lastModified: nil)
        case .ignoresCursor?: throw .samePageTwice(self)
        }
        return commit
    }

    /// The URL, with secrets masked.
    var url: String { key.url }
}

extension FeedSyncError {
    /// The error for a page with the items of the previous page: the upstream did not continue.
    fileprivate static func samePageTwice(_ page: PageCommit) -> FeedSyncError {
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
