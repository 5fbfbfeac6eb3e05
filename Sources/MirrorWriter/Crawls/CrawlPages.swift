internal import SQLite

/// The pages that a feed's crawls met, in the order of the list, as `_crawl_page` and `_page` have them.
///
/// Pages of the list have numbers from 1. A page that is requested again has a number below 0: the crawl met the keys
/// of both.
///
/// - Isolation: the store's.
package struct CrawlPages {
    let feed: String
    let connection: Connection

    private static let withRecord = "_crawl_page w JOIN _page p ON p.id = w.page"

    // MARK: - One page

    /// The page cursor of a page's request; nil for the first page of a list.
    func cursor(of page: PageOfCrawl) throws -> PageCursor? {
        try connection.scalar(
            "SELECT asked FROM _crawl_page WHERE crawl = ? AND number = ?", Value(page.crawl), Value(page.number))?
            .text.map(PageCursor.init)
    }

    /// The page cursor to which a page led when the crawl met it; nil if it was the last one.
    func next(after page: PageOfCrawl) throws -> PageCursor? {
        try record(of: page, "p.cursor") { $0.text(at: 0).map(PageCursor.init) }
    }

    /// The HTTP status of a page; 0 if unknown.
    func status(of page: PageOfCrawl) throws -> Int { try record(of: page, "p.http_status") { $0.count(at: 0) } ?? 0 }

    /// The number of positions that a page's rows take.
    func placed(of page: PageOfCrawl) throws -> Int { try record(of: page, "p.placed") { $0.count(at: 0) } ?? 0 }

    /// True if some pages of crawls have items that other pages of theirs have placed.
    ///
    /// - Parameter overlap: True if each page is requested with the last item of the one before.
    func haveRepeats(_ crawls: [Int64], overlap: Bool) throws -> Bool {
        for crawl in crawls {
            let found = try connection.int64(
                """
                SELECT 1 FROM \(Self.withRecord) WHERE w.crawl = ? AND w.number > 0 AND p.placed < p.elements
                    AND p.placed < json_array_length(p.keys) - (? AND w.number > 1) LIMIT 1
                """, Value(crawl), Value(overlap))
            if found != nil { return true }
        }
        return false
    }

    /// The keys of each page of crawls, in order. A page that is part of two crawls comes once.
    ///
    /// - Returns: The pages of the list, or of each of its partitions.
    func keys(of crawls: [Int64], isPartitioned: Bool) throws -> [[[String]]] {
        var known: Set<Int64> = []
        var pages: [(partition: String?, keys: [String])] = []
        for crawl in crawls {
            try connection.rows(
                "SELECT p.id, p.keys, w.asked FROM \(Self.withRecord) WHERE w.crawl = ? AND w.number > 0 ORDER BY w.number",
                [Value(crawl)]
            ) { row in
                guard known.insert(row.int64(at: 0)).inserted else { return }
                let asked = isPartitioned ? row.text(at: 2).map(PageCursor.init) : nil
                pages.append((PartitionScheme.partitionName(in: asked), PageKeys.texts(row.text(at: 1) ?? "[]")))
            }
        }
        return Dictionary(grouping: pages, by: \.partition).values.map { $0.map(\.keys) }
    }

    /// The keys of a page; none for page 0.
    func keys(of page: PageOfCrawl) throws -> Set<String> {
        Set(PageKeys.texts(try record(of: page, "p.keys") { $0.text(at: 0) } ?? "[]"))
    }

    /// The request of a page; nil if the crawl has no such page.
    func requestKey(of page: PageOfCrawl) throws -> RequestKey? {
        try record(of: page, "p.request, p.credential") { row in
            row.text(at: 0).map { RequestKey(request: $0, credential: row.int64(at: 1)) }
        }
    }

    /// The value of some columns of a page's record; nil if the crawl has no such page.
    private func record<Element>(
        of page: PageOfCrawl, _ columns: String, _ read: (Statement) -> Element?
    ) throws -> Element? {
        try connection.first(
            "SELECT \(columns) FROM \(Self.withRecord) WHERE w.crawl = ? AND w.number = ?",
            [Value(page.crawl), Value(page.number)], read)
    }

    /// True if a stored page is the one that a crawl recorded at a place.
    package func isRecord(_ stored: StoredPage?, of page: PageOfCrawl) throws -> Bool {
        let id = try connection.int64(
            "SELECT page FROM _crawl_page WHERE crawl = ? AND number = ?", Value(page.crawl), Value(page.number))
        return id == stored?.id
    }

    // MARK: - The pages of crawls

    /// The pages of crawls, in their order.
    func pages(of crawls: [Int64]) throws -> [PageOfCrawl] {
        try pages(of: crawls, "SELECT number FROM _crawl_page WHERE crawl = ? AND number > 0 ORDER BY number")
    }

    /// The pages of crawls that have items, in their order, and those before the last of them that are empty for the
    /// first time.
    func pagesBeforeEnd(of crawls: [Int64]) throws -> (pages: [PageOfCrawl], empty: Set<PageOfCrawl>) {
        let empty = Set(try pages(of: crawls, having: "p.keys = '[]' AND p.crawl = w.crawl"))
        var pages = try pages(of: crawls, having: "(p.keys <> '[]' OR p.crawl = w.crawl)")
        while let last = pages.last, empty.contains(last) { pages.removeLast() }
        return (pages, empty.intersection(pages))
    }

    /// The pages of crawls whose items have no row: they say that they are gone, or came before.
    func pagesWithoutRows(of crawls: [Int64]) throws -> [PageOfCrawl] {
        try pages(of: crawls, having: "p.keys <> '[]' AND p.placed = 0")
    }

    private func pages(of crawls: [Int64], having condition: String) throws -> [PageOfCrawl] {
        try pages(
            of: crawls,
            """
            SELECT w.number FROM \(Self.withRecord) WHERE w.crawl = ? AND w.number > 0 AND \(condition)
            ORDER BY w.number
            """)
    }

    private func pages(of crawls: [Int64], _ query: String) throws -> [PageOfCrawl] {
        try crawls.flatMap { crawl in
            try connection.all(query, [Value(crawl)]) { PageOfCrawl(crawl: crawl, number: $0.count(at: 0)) }
        }
    }

    /// The place of a page in a list that these crawls make up, from 1.
    func ordinal(of page: PageOfCrawl, in crawls: [Int64]) throws -> Int {
        try crawls.prefix { $0 != page.crawl }.reduce(page.number) { before, crawl in
            before
                + (try connection.count(
                    "SELECT count(*) FROM _crawl_page WHERE crawl = ? AND number > 0", Value(crawl)))
        }
    }

    /// The number of the last page of a crawl that has items; 0 if none has.
    func lastWithItems(of crawl: Int64) throws -> Int {
        try connection.count(
            "SELECT max(w.number) FROM \(Self.withRecord) WHERE w.crawl = ? AND p.elements > 0", Value(crawl))
    }

    /// The number of elements on a crawl's pages.
    func elementCount(of crawl: Int64) throws -> Int {
        try connection.count(
            "SELECT coalesce(sum(p.elements), 0) FROM \(Self.withRecord) WHERE w.crawl = ? AND w.number > 0",
            Value(crawl))
    }

    /// The number of elements on crawls' pages that are not items. Each element of most pages has a row; the keys of
    /// others are counted.
    func otherElements(of crawls: [Int64]) throws -> Int {
        try connection.count(
            """
            SELECT sum(p.elements - json_array_length(p.keys)) FROM \(Self.withRecord)
            WHERE w.crawl IN (SELECT value FROM json_each(?)) AND w.number > 0 AND p.placed < p.elements
            """, .text("\(crawls)"))
    }

    /// True if one of crawls' pages has this total.
    func have(total: Int, _ crawls: [Int64]) throws -> Bool {
        try connection.scalar(
            """
            SELECT 1 FROM \(Self.withRecord)
            WHERE w.crawl IN (SELECT value FROM json_each(?)) AND w.number > 0 AND p.total = ? LIMIT 1
            """, .text("\(crawls)"), Value(total)) != nil
    }

    /// The number of different requests of crawls' pages. Crawls that join repeat requests where they meet.
    func requestCount(of crawls: [Int64]) throws -> Int {
        try connection.count(
            """
            SELECT count(DISTINCT p.request) FROM \(Self.withRecord)
            WHERE w.number > 0 AND w.crawl IN (SELECT value FROM json_each(?))
            """, .text("\(crawls)"))
    }

    /// The cursors of the requests of crawls' pages, in no order.
    func cursors(of crawls: [Int64]) throws -> [PageCursor] {
        try connection.all(
            "SELECT asked FROM _crawl_page WHERE asked IS NOT NULL AND crawl IN (SELECT value FROM json_each(?))",
            [.text("\(crawls)")]
        ) { row in row.text(at: 0).map(PageCursor.init) }
    }

    /// The cursors of a crawl's pages and of the one after them, with the number of elements before each.
    func tokens(of crawl: Int64, end: PageCursor? = nil) throws -> [TokenPlaces.Token] {
        var tokens: [TokenPlaces.Token] = []
        var before = 0
        var page = 0
        try connection.rows(
            "SELECT w.asked, p.elements FROM \(Self.withRecord) WHERE w.crawl = ? AND w.number > 0 ORDER BY w.number",
            [Value(crawl)]
        ) { row in
            page += 1
            if let text = row.text(at: 0) { tokens.append(TokenPlaces.Token(text: text, before: before, page: page)) }
            before += row.count(at: 1)
        }
        if let end { tokens.append(TokenPlaces.Token(text: end.text, before: before, page: page + 1)) }
        return tokens
    }

    /// The place where an item was met first: the page, from 1, and its index in the list, from 0.
    struct MetKey {
        let page: Int
        let place: Int
    }

    /// The keys that crawls met, pages that were requested again last.
    func metKeys(of crawls: [Int64]) throws -> [String: MetKey] {
        var keys: [String: MetKey] = [:]
        var page = 0
        for crawl in crawls {
            try connection.rows(
                "SELECT p.keys FROM \(Self.withRecord) WHERE w.crawl = ? ORDER BY w.number < 0, abs(w.number)",
                [Value(crawl)]
            ) { row in
                page += 1
                for key in PageKeys.texts(row.text(at: 0) ?? "[]") where keys[key] == nil {
                    keys[key] = MetKey(page: page, place: keys.count)
                }
            }
        }
        return keys
    }

    /// The number of crawls' pages with items if their keys ascend; nil if they do not.
    func ascendingPageCount(of crawls: [Int64]) throws -> Int? {
        var order = KeyOrder()
        var pages = 0
        for crawl in crawls where order.isAscending {
            try connection.rows(
                """
                SELECT p.keys FROM \(Self.withRecord) WHERE w.crawl = ? AND w.number > 0 AND p.elements > 0
                ORDER BY w.number
                """, [Value(crawl)]
            ) { row in
                order.add(row.text(at: 0) ?? "[]")
                pages += 1
            }
        }
        return order.isAscending ? pages : nil
    }

    /// The earlier places of the rows that crawls met, in feed order.
    ///
    /// - Parameter own: The generations of the rows that they wrote.
    func earlierPlaces(of crawls: [Int64], besides own: Set<Int64>) throws -> [MetPlaces] {
        var places: [MetPlaces] = []
        for crawl in crawls {
            try connection.rows("SELECT number, met FROM _crawl_page WHERE crawl = ? ORDER BY number", [Value(crawl)]) {
                row in
                places += MetPlaces.read(row.text(at: 1), page: row.count(at: 0), crawl: crawl)
            }
        }
        return places.filter { !own.contains($0.first.generation) }.sorted { $0.first.precedes($1.first) }
    }

    /// The number of a page's record, and the earlier places of its rows as `MetPlaces` writes them.
    func recordAndMet(of page: PageOfCrawl) throws -> (record: Int64?, met: String?) {
        var found: (record: Int64?, met: String?) = (nil, nil)
        try connection.rows(
            "SELECT page, met FROM _crawl_page WHERE crawl = ? AND number = ?", [Value(page.crawl), Value(page.number)]
        ) { row in found = (row.int64(at: 0), row.text(at: 1)) }
        return found
    }

    /// The earlier places of a page's rows, as the newest crawl of a round met them on the page of this number; nil if
    /// none did, or if that page has another record.
    func met(on number: Int, record id: Int64, round: Int64) throws -> String? {
        try connection.scalar(
            """
            SELECT w.met FROM _crawl c JOIN _crawl_page w ON w.crawl = c.id
            WHERE c.feed = ? AND c.round = ? AND w.number = ? AND w.page = ? AND w.met IS NOT NULL
            ORDER BY c.id DESC LIMIT 1
            """, .text(feed), Value(round), Value(number), Value(id))?.text
    }

    /// The pages of crawls that have the row at a place.
    func pages(having place: Place, of crawls: [Int64]) throws -> [PageOfCrawl] {
        // A page that was requested again is beside the others: the rows after its own in the list are unknown.
        try connection.all(
            """
            SELECT w.crawl, w.number FROM \(Self.withRecord)
            WHERE w.crawl IN (SELECT value FROM json_each(?3)) AND w.number > 0 AND p.generation = ?1
                AND p.position <= ?2 AND p.position + p.placed > ?2
            """, [Value(place.generation), Value(place.position), .text("\(crawls)")]
        ) { row in PageOfCrawl(crawl: row.int64(at: 0), number: row.count(at: 1)) }
    }

    /// The pages after one that now hold its earlier items, after the given number of items was added above it; nil if
    /// those pages hold fewer items.
    ///
    /// - Parameter crawls: The crawls that make up the list.
    func pages(behind page: PageOfCrawl, holding items: Int, in crawls: [Int64]) throws -> [PageOfCrawl]? {
        var pages: [PageOfCrawl] = []
        var left = items
        for crawl in crawls.drop(while: { $0 != page.crawl }) where left > 0 {
            try connection.rows(
                "SELECT w.number, p.elements FROM \(Self.withRecord) WHERE w.crawl = ? AND w.number > ? ORDER BY w.number",
                [Value(crawl), Value(crawl == page.crawl ? page.number : 0)]
            ) { row in
                guard left > 0 else { return }
                left -= row.count(at: 1)
                pages.append(PageOfCrawl(crawl: crawl, number: row.count(at: 0)))
            }
        }
        return left > 0 ? nil : pages
    }

    /// The elements and the total of a page's partition before the page, as last stored.
    ///
    /// - Parameter partition: The partition's name.
    func soFar(in partition: String, before page: PageOfCrawl) throws -> (elements: Int, total: Int?) {
        // The pages of a partition are consecutive.
        let isOther = "NOT (asked = ?3 OR substr(asked, 1, ?4) = ?5)"
        var soFar: (elements: Int, total: Int?) = (0, nil)
        try connection.rows(
            """
            SELECT sum(n.elements), max(n.total) FROM \(Self.withRecord) JOIN _page n ON n.id = (
                SELECT max(l.id) FROM _page l
                WHERE l.feed = p.feed AND l.request = p.request AND l.credential = p.credential)
            WHERE w.crawl = ?1 AND w.number > 0 AND w.number < ?2 AND w.number > coalesce((
                SELECT number FROM _crawl_page WHERE crawl = ?1 AND number < ?2 AND \(isOther) ORDER BY number DESC LIMIT 1), 0)
            """,
            [
                Value(page.crawl), Value(page.number), Value(partition), Value(partition.count + 1),
                Value(partition + ","),
            ]
        ) { row in soFar = (row.count(at: 0), row.countIfAny(at: 1)) }
        return soFar
    }

    /// Rows of consecutive pages that were found unchanged, and the place to which they have to move.
    struct UnmovedRows {
        var from: Place
        var count: Int64
        var to: Place
    }

    /// The rows of a crawl's pages that have no places in a generation yet, with the records of the pages.
    ///
    /// - Parameter number: The last page whose rows have such places.
    func unmovedRows(
        of crawl: Int64, behind number: Int, generation: Int64
    ) throws -> (rows: [UnmovedRows], pages: [(id: Int64, to: Place)]) {
        var runs: [UnmovedRows] = []
        var pages: [(id: Int64, to: Place)] = []
        try connection.rows(
            """
            SELECT p.id, p.generation, p.position, p.placed, w.position FROM \(Self.withRecord)
            WHERE w.crawl = ? AND w.number > max(?, 0) AND p.generation <> ? AND p.placed > 0 ORDER BY w.number
            """, [Value(crawl), Value(number), Value(generation)]
        ) { row in
            let run = UnmovedRows(
                from: row.place(at: 1), count: Int64(row.count(at: 3)),
                to: Place(generation: generation, position: row.number(at: 4)))
            pages.append((row.int64(at: 0), run.to))
            if let last = runs.last, last.from.generation == run.from.generation,
                last.from.position + last.count == run.from.position, last.to.position + last.count == run.to.position
            {
                runs[runs.count - 1].count += run.count
            } else {
                runs.append(run)
            }
        }
        return (runs, pages)
    }

    // MARK: - Changes

    /// Records that a crawl met a page.
    ///
    /// - Parameters:
    ///   - number: nil for a page that was requested again.
    ///   - id: The number of its record.
    ///   - position: The position of its first row.
    func add(
        _ number: Int?, of crawl: Int64, id: Int64, position: Int64, asked: PageCursor?, met: String?
    ) throws {
        let number =
            try number.map(Int64.init) ?? connection.int64(
                "SELECT min(number, 0) - 1 FROM _crawl_page WHERE crawl = ? ORDER BY number LIMIT 1", Value(crawl))
            ?? -1
        try connection.run(
            "INSERT INTO _crawl_page (crawl, number, page, position, asked, met) VALUES (?, ?, ?, ?, ?, ?)",
            Value(crawl), Value(number), Value(id), Value(position), Value(asked?.text), Value(met))
    }

    /// Records the first page of a crawl that only met rows in place beside the pages of the crawl that it met. An item
    /// that moved up to this page is on no other page once its old page is read again.
    func keepFirst(of crawl: Int64, beside met: Int64) throws {
        try connection.run(
            """
            INSERT INTO _crawl_page (crawl, number, page, position)
            SELECT ?2, (SELECT coalesce(min(min(number), 0), 0) - 1 FROM _crawl_page WHERE crawl = ?2), w.page, w.position
            FROM \(Self.withRecord) WHERE w.crawl = ?1 AND w.number = 1 AND NOT EXISTS (
                SELECT 1 FROM _crawl_page k JOIN _page o ON o.id = k.page WHERE k.crawl = ?2 AND o.keys = p.keys)
            """, Value(crawl), Value(met))
    }

    /// Drops the pages of a crawl from one on.
    func drop(from page: PageOfCrawl) throws {
        try connection.run(
            "DELETE FROM _crawl_page WHERE crawl = ? AND number >= ?", Value(page.crawl), Value(page.number))
    }

    /// Drops the pages of a crawl before a number; all of them without one.
    func drop(of crawl: Int64, before number: Int?) throws {
        try connection.run(
            "DELETE FROM _crawl_page WHERE crawl = ? AND number < ?", Value(crawl), Value(number ?? .max))
    }

    /// Drops the pages of all crawls but these, and those of a full crawl.
    func dropAll(besides crawls: [Int64], round: Int64) throws {
        try connection.run(
            """
            DELETE FROM _crawl_page WHERE crawl IN (SELECT id FROM _crawl WHERE feed = ?1 AND round IS NOT ?2
                AND id NOT IN (SELECT value FROM json_each(?3)))
            """, .text(feed), Value(round), .text("\(crawls)"))
    }

    /// Moves the pages of a crawl behind the rows of another.
    func move(_ crawl: Int64, by positions: Int64) throws {
        try connection.run(
            "UPDATE _crawl_page SET position = position + ? WHERE crawl = ?", Value(positions), Value(crawl))
    }
}
