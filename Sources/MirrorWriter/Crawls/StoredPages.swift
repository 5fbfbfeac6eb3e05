internal import SQLite

/// The pages of a feed as they are stored, with their validators.
///
/// - Isolation: the store's.
package final class StoredPages {
    private let feed: String
    private let connection: Connection
    /// A cache of stored pages, including misses. Cleared when a page is written.
    private var lookedUp: [RequestKey: StoredPage?] = [:]
    /// True once the run has looked for stored pages.
    private var hasLooked = false
    /// The hashes of the requests whose pages the run stored; nil if the feed had pages before.
    private var requestsOfFirstRun: Set<Int>?
    /// True once the run has stored a page in place of an older one.
    private var hasReplaced = false

    init(of feed: String, on connection: Connection) {
        self.feed = feed
        self.connection = connection
    }

    /// Forgets what was looked up, because pages were written or undone.
    func forget() { lookedUp = [:] }

    /// The newest stored page for a request; nil if there is none.
    package func newest(_ key: RequestKey) throws -> StoredPage? {
        if let known = lookedUp[key] { return known }
        guard try mayBeStored(key) else { return nil }
        let page = try connection.first(
            """
            SELECT id, etag, last_modified, generation, position, placed, elements, keys, cursor, total, skipped,
                same_key, fetched_at
            FROM _page WHERE feed = ? AND request = ? AND credential = ? ORDER BY id DESC LIMIT 1
            """, [.text(feed), .text(key.request), Value(key.credential)]
        ) { row in
            StoredPage(
                id: row.int64(at: 0), validators: Validators(etag: row.text(at: 1), lastModified: row.text(at: 2)),
                place: row.place(at: 3), placed: Int64(row.count(at: 5)),
                elements: row.count(at: 6), skipped: row.count(at: 10), sameKey: row.count(at: 11),
                keys: row.text(at: 7) ?? "[]",
                cursor: row.text(at: 8).map(PageCursor.init),
                total: row.countIfAny(at: 9), fetchedAt: row.text(at: 12))
        }
        lookedUp[key] = .some(page)
        return page
    }

    /// The page cursors that led to the page of a row and to the one after it, as far as they are known; none if each
    /// sync requests another list, as one of the last week is.
    func cursors(to place: Place) throws -> [PageCursor] {
        try ["position + placed <= ?3", "position < ?3"].compactMap { isBefore in
            try connection.scalar(
                """
                SELECT cursor FROM _page WHERE feed = ?1 AND generation = ?2 AND \(isBefore)
                    AND (SELECT count(DISTINCT request) FROM _page WHERE feed = ?1 AND is_first = 1) = 1
                    AND NOT (\(Self.isReplaced))
                ORDER BY position DESC, id DESC LIMIT 1
                """, .text(feed), Value(place.generation), Value(place.position))?.text.map(PageCursor.init)
        }
    }

    /// True if a crawl has already met rows of a page, on another page or on this one.
    func areMet(_ page: StoredPage, by crawl: Int64) throws -> Bool {
        try connection.int64(
            """
            SELECT 1 FROM _crawl_page w JOIN _page p ON p.id = w.page
            WHERE w.crawl = ?1 AND p.generation = ?2 AND p.position < ?4 AND p.position + p.placed > ?3 LIMIT 1
            """, Value(crawl), Value(page.place.generation), Value(page.place.position),
            Value(page.place.position + page.placed)) != nil
    }

    /// False if the feed had no pages when the run first looked, and the run has stored none for the request.
    private func mayBeStored(_ key: RequestKey) throws -> Bool {
        if !hasLooked {
            hasLooked = true
            let page = try connection.scalar("SELECT 1 FROM _page WHERE feed = ? LIMIT 1", .text(feed))
            requestsOfFirstRun = page == nil ? [] : nil
        }
        return requestsOfFirstRun?.contains(key.hashValue) ?? true
    }

    /// The id of the page's record: the stored one if only its validators are new. `isNew` is false then.
    func record(
        _ commit: PageCommit, storedID: Int64?, place: Place, placed: Int64, sharesRows: Bool, crawl: Int64,
        now: String
    ) throws -> (id: Int64, isNew: Bool) {
        let page = commit.page
        // Another page wrote a row of this one, so no validator covers all its rows.
        let validators = sharesRows ? Validators(etag: nil, lastModified: nil) : commit.validators
        let known = try newest(commit.key)
        lookedUp[commit.key] = nil
        requestsOfFirstRun?.insert(commit.key.hashValue)
        let isKnown =
            known.map {
                $0.id == storedID
                    || $0.keys == page.keys && $0.place == place && $0.placed == placed
                        && $0.cursor == page.upstreamNext && $0.total == page.end.total
                        && $0.elements == page.elementCount && $0.skipped == page.skipped
                        && $0.sameKey == page.sameKey
            } ?? false
        if let known, isKnown {
            let isOld = !page.isNotModified && known.isOld(at: Timestamp.milliseconds(of: now) ?? 0)
            if known.validators != validators || isOld {
                try connection.run(
                    "UPDATE _page SET etag = ?1, last_modified = ?2, fetched_at = iif(?3, ?4, fetched_at) WHERE id = ?5",
                    Value(validators.etag), Value(validators.lastModified), Value(isOld), .text(now), Value(known.id))
            }
            return (known.id, false)
        }
        if known != nil { hasReplaced = true }
        try connection.run(
            """
            INSERT INTO _page (feed, crawl, request, credential, generation, position, placed, elements, keys, is_first,
                skipped, same_key, cursor, http_status, total, etag, last_modified, fetched_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .text(feed), Value(crawl), .text(commit.key.request), Value(commit.key.credential),
            Value(place.generation), Value(place.position), Value(placed), Value(page.elementCount), .text(page.keys),
            Value(page.direction == .header), Value(page.skipped), Value(page.sameKey), Value(page.upstreamNext?.text),
            Value(page.httpStatus), Value(page.end.total), Value(validators.etag), Value(validators.lastModified),
            .text(now))
        return (connection.lastInsertRowID, true)
    }

    /// The condition for a page in whose place a newer one is stored, and that no crawl needs. `?1` is the feed.
    private static let isReplaced = """
        EXISTS (
            SELECT 1 FROM _page newer WHERE newer.feed = ?1 AND newer.request = _page.request
                AND newer.credential = _page.credential AND newer.id > _page.id)
        AND id NOT IN (SELECT w.page FROM _crawl_page w JOIN _crawl c ON c.id = w.crawl WHERE c.feed = ?1)
        """

    /// Drops the pages in whose place newer ones are stored and that no crawl needs, if the run stored such a page.
    /// Called at the end of a run: to find the pages that crawls need takes as long as the list is, so that it would
    /// make a run of many pages slow to do so for each of them.
    func dropReplaced() throws {
        guard hasReplaced else { return }
        try connection.run("DELETE FROM _page WHERE feed = ?1 AND \(Self.isReplaced)", .text(feed))
    }

    /// Goes on with the run of a writer whose crawl has ended.
    func goOn(after other: StoredPages) { hasReplaced = hasReplaced || other.hasReplaced }

    /// Updates a page's validators. A page without any may share rows with others, or its rows were written since.
    package func refresh(_ page: StoredPage, _ validators: Validators) throws {
        lookedUp = [:]
        try connection.run(
            """
            UPDATE _page SET etag = ?, last_modified = ?
            WHERE id = ? AND (etag IS NOT NULL OR last_modified IS NOT NULL)
            """, Value(validators.etag), Value(validators.lastModified), Value(page.id))
    }

    /// Clears the validators of all pages: of a page that has not changed, a 304 does not repeat what it says beside its
    /// items.
    ///
    /// - Parameter owner: The feed whose lists all lose theirs; nil for this list alone.
    func forgetValidators(ofAllListsOf owner: String? = nil) throws {
        lookedUp = [:]
        try connection.run(
            """
            UPDATE _page SET etag = NULL, last_modified = NULL
            WHERE \(owner == nil ? "feed = ?1" : ListTables.isOf("?1")) AND (etag IS NOT NULL OR last_modified IS NOT NULL)
            """, .text(owner ?? feed))
    }

    /// Clears the validators of the pages that lead to a page cursor.
    func forgetValidators(before cursor: PageCursor) throws {
        lookedUp = [:]
        try connection.run(
            """
            UPDATE _page SET etag = NULL, last_modified = NULL
            WHERE feed = ? AND cursor = ? AND (etag IS NOT NULL OR last_modified IS NOT NULL)
            """, .text(feed), .text(cursor.text))
    }

    /// Moves the record of a page whose rows have moved.
    func place(_ page: Int64, at place: Place) throws {
        lookedUp = [:]
        try connection.run(
            "UPDATE _page SET generation = ?, position = ? WHERE id = ?", Value(place.generation),
            Value(place.position), Value(page))
    }

    /// Clears the validators of pages that have a row at one of these places, because another page wrote the row.
    func lapse(_ places: PlaceRanges, longest: Int64) throws {
        if !places.ranges.isEmpty { lookedUp = [:] }
        for range in places.ranges {
            try connection.run(
                """
                UPDATE _page SET etag = NULL, last_modified = NULL
                WHERE feed = ? AND generation = ? AND position > ? AND position < ? AND position + placed > ?
                    AND (etag IS NOT NULL OR last_modified IS NOT NULL)
                """, .text(feed), Value(range.generation), Value(range.positions.lowerBound - longest),
                Value(range.positions.upperBound), Value(range.positions.lowerBound))
        }
    }
}

/// A page as stored.
package struct StoredPage: Sendable, Hashable {
    package let id: Int64
    package let validators: Validators
    package let place: Place
    package let placed: Int64
    package let elements: Int
    package let skipped: Int
    package let sameKey: Int
    package let keys: String
    package let cursor: PageCursor?
    package let total: Int?
    /// The time at which its body last came, or up to a day earlier; nil if the store has none.
    package let fetchedAt: String?

    /// True if its body came more than a day ago.
    ///
    /// - Parameter now: In milliseconds since 1970.
    package func isOld(at now: Int64) -> Bool {
        guard let before = Timestamp.milliseconds(of: fetchedAt) else { return true }
        let (age, isBeyond) = now.subtractingReportingOverflow(before)
        // A clock that was set back must not keep a page for longer.
        return isBeyond || age.magnitude > 86_400_000
    }

    /// True if an item of the page has the place that another page of its crawl gave it: it came twice.
    package var hasRepeats: Bool { placed < Int64(elements - skipped - sameKey) }
}

/// The key of a stored page.
package struct RequestKey: Sendable, Hashable {
    /// The method, the URL and the body, with secrets masked.
    let request: String
    /// The fingerprint of its credentials.
    let credential: Int64

    package init(request: String, credential: Int64) {
        self.request = request
        self.credential = credential
    }

    /// The URL in `request`, without the method and the body.
    var url: String {
        // By bytes: characters take twenty times as long, and each page asks.
        let parts = request.utf8.split(separator: UInt8(ascii: " "), maxSplits: 2)
        return parts.count > 1 ? String(Substring(parts[1])) : request
    }
}

extension Store {
    /// The validators for requesting a page; nil for an unconditional request.
    package func conditions(
        for key: RequestKey, at cursor: PageCursor?, of definition: FeedDefinition
    ) throws(FeedSyncError) -> Validators? {
        try storing {
            guard let page = try StoredPages(of: definition.name, on: connection).newest(key),
                !page.validators.isEmpty,
                !definition.needsBody(of: cursor, before: page.cursor, elementCount: page.elements)
            else { return nil }
            return page.validators
        }
    }

    /// The name of the newest crawl's first partition; nil for a feed without partitions or without a crawl.
    package func firstPartition(of feed: String) throws(FeedSyncError) -> String? {
        try storing { try CrawlState.firstPartition(of: feed, on: connection) }
    }
}
