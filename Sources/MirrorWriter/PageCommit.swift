/// A page that is to be stored.
package struct PageCommit: Sendable {
    /// The page's place in the list, and what it shows of the list.
    package var page: CrawlPage
    package var content: PageContent { didSet { describeContent() } }
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
    /// The upstream's advice about the next poll.
    package var advice = PollingAdvice()

    package init(
        _ page: CrawlPage, content: PageContent, key: RequestKey, validators: Validators,
        serverDate: Int64? = nil, beginsNext: Bool
    ) {
        self.page = page
        self.content = content
        self.key = key
        self.validators = validators
        self.serverDate = serverDate
        self.beginsNext = beginsNext
        describeContent()
    }

    /// Tells the page about its content.
    private mutating func describeContent() {
        (page.keys, page.elementCount) = (content.keys, content.elementCount)
        (page.otherElements, page.isNotModified) = (content.otherElements, content.isNotModified)
        (page.skipped, page.sameKey) = (content.skipped.count, content.skipped.sameKey)
    }

    /// The page as the last one if it does not lead on.
    ///
    /// - Throws: `FeedSyncError` of kind `unfollowable` if the upstream ignores the page cursor.
    func ending(
        behind crawl: CrawlState, _ trail: CrawlTrail, headKeys: String?, of feed: FeedDefinition
    ) throws(FeedSyncError) -> PageCommit {
        var commit = self
        switch Circle(page, behind: crawl, trail, headKeys: headKeys) {
        case nil: break
        case .leadsBack?: commit.page = page.asEnd()
        case .repeats?:
            commit.page = page.asRepeat()
            commit.content.items = .empty
            // The validators belong to items that are not stored with this page.
            commit.validators = Validators(etag: nil, lastModified: nil)
        case .ignoresCursor?: throw .samePageTwice(url: url, feed.pagination.cursorParameters)
        }
        return commit
    }

    /// The URL, with secrets masked.
    var url: String { key.url }
}

extension FeedSyncError {
    /// The error for a page with the items of the previous page: the upstream did not continue.
    ///
    /// - Parameter parameters: The query parameters that select a page.
    fileprivate static func samePageTwice(url: String, _ parameters: [String]) -> FeedSyncError {
        let names = parameters.inBackticks()
        guard !names.isEmpty else {
            return FeedSyncError(
                .unfollowable, "the same page came twice in a row: the upstream does not continue with the next one",
                advice: "check `pagination` in the feed's definition", url: url)
        }
        return FeedSyncError(
            .unfollowable,
            "the same page came twice in a row: the upstream seems to ignore the query parameter \(names)",
            advice: "correct `param` in the feed's `pagination`, or set `pagination: none` if there is only one page",
            url: url)
    }
}
