internal import HTTP

/// A fetched and decoded page, with the next page that it leads to.
struct LoadedPage: Sendable {
    let page: PreparedPage
    let fetched: FetchedPage
    let content: PageContent
    /// The next page of the crawl.
    var end: NextPage
    /// The next page according to the upstream. The crawl may end before it.
    private(set) var upstreamNext: PageCursor?
    private(set) var validators: Validators
    /// The page cursor behind a counted end, if the page there has no other items; nil if it was not requested.
    var checkedEnd: PageCursor?
    /// True if only a count calls this page the last one, and the page behind it could not be read.
    private(set) var hasUncheckedEnd = false
    /// The pages after the next one, as far as they can be predicted.
    var further: [PageCursor] = []

    /// Leads on to a page.
    mutating func lead(to next: PageCursor) {
        end = .more(next, total: end.total, notice: end.notice)
        upstreamNext = next
    }

    /// Leaves a counted end for the next sync to check. A 304 would not show that, so the page has no validators.
    mutating func leaveEndUnchecked() {
        hasUncheckedEnd = true
        validators = Validators(etag: nil, lastModified: nil)
    }

    /// True if the upstream refuses a page that begins with the last element of the previous page.
    var isOverlapRefused: Bool {
        guard page.overlap > 0, case .beyondEnd = fetched.kind else { return false }
        return true
    }

    /// The beginning of a page that was requested to begin with the last element of the previous page.
    enum Overlap: Sendable, Hashable {
        /// The page begins with that element.
        case exact
        /// The page begins with another element of the previous page: items were pushed down.
        case shifted
        /// The page begins with no element of the previous page: items moved up, past the crawl.
        case broken
        /// The page begins with an element that has or may have no key, so it cannot be compared.
        case unknown
    }

    /// The overlap with a page that has these keys; nil if the page was not requested to overlap.
    func overlap(behind keys: String?) -> Overlap? {
        guard page.overlap > 0, let keys else { return nil }
        let known = PageKeys.texts(content.keys)
        let before = PageKeys.texts(keys)
        if let first = known.first, before.contains(first) { return first == before.last ? .exact : .shifted }
        return mayBeginWithoutKey(known.count) ? .unknown : .broken
    }

    /// True if the page begins with the last item of a page that has these keys.
    func beginsWithLast(of keys: String?) -> Bool {
        guard let keys, let first = PageKeys.texts(content.keys).first else { return false }
        return first == PageKeys.texts(keys).last
    }

    /// True if the first element may have no key. The last element of the previous page may have none either.
    private func mayBeginWithoutKey(_ keyCount: Int) -> Bool {
        switch content.items {
        case .decoded(let page): page.beginsWithoutKey
        case .empty: false
        case .notModified(let stored): stored.elements > keyCount
        }
    }

    /// The notice of a first page that the upstream has moved for good, with the line that follows it, and the new
    /// address; nil otherwise.
    func movedNotice(of feed: FeedDefinition) -> (address: String, text: String)? {
        let response = fetched.response
        guard page.cursor == nil, response.isMovedForGood else { return nil }
        let (old, new) = (Self.parts(page.shown(page.request.url)), Self.parts(page.shown(response.url)))
        let words = "`url` has moved for good, to \(new.place)"
        // The owner decides about references in the URL, and about a query that the upstream changed.
        guard feed.url.isLiteral, feed.part == nil, old.query == new.query else {
            return (String(new.place), words)
        }
        let own = Self.parts(feed.url.description).query
        return (String(new.place), "\(words): feedsync edit \(feed.name) 'url=\(new.place)\(own)'")
    }

    private static func parts(_ url: String) -> (place: Substring, query: Substring) {
        let end = url.firstIndex(of: "?") ?? url.endIndex
        return (url[..<end], url[end...])
    }
}
