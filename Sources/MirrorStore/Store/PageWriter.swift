internal import SQLite

/// Writes the items of one page, as far as they differ from what is stored.
///
/// While every item so far is stored as it came, where it should be, nothing is written; where only content is new and
/// the crawl goes to the end anyway, it is written in its place. The first item that is not where it should be makes the page
/// a moved one: its crawl gets a generation, and its items get places in it.
///
/// - Isolation: the store's, inside the page's transaction.
struct PageWriter {
    /// What the items became.
    private(set) var items = ItemCounts()
    /// What that does to the sections.
    private(set) var sections = SectionTally()
    /// The places of rows that were rewritten or moved: pages that had them lapse.
    private(set) var touched = PlaceRanges()
    /// Whether an item keeps the place that another page of the crawl gave it.
    private(set) var sharesRows = false
    /// How many more live rows there are.
    private(set) var added = 0
    /// Whether anything is not where it was.
    private(set) var isMoved = false
    /// The place of the page's first item.
    private(set) var first: Place?
    /// How many places the page takes.
    private(set) var placed: Int64 = 0
    private(set) var crawl: CrawlState
    /// Whether the page's first item stood right behind the last one of the page before, when both were stored.
    private(set) var adjoins = false
    /// Where the rows that the page met stood before.
    private(set) var metPlaces: [MetPlaces] = []
    /// The feed's newest generation.
    private(set) var newest: Int64
    /// The crawl's own generation, or the newest one while it has none.
    private var generation: Int64
    /// Items that the crawl had met before.
    private(set) var repeats = 0
    /// Whether an item that is new to the crawl follows one that stood elsewhere in it than at its end.
    private(set) var isOutOfOrder = false
    private var lastRepeat: Int64?
    private var hasNewBehindMet = false
    private let begin: Int64

    /// Where the rows stood that follow new items at the page's head, if they stood one behind the other and did not
    /// change: the list gained items above them. nil where anything else happened to the page.
    var gainedAbove: MetPlaces? {
        guard items.updated == 0, repeats == 0, !hasNewBehindMet, metPlaces.count == 1 else { return nil }
        return metPlaces[0]
    }

    /// Whether all is stored as it came, where it came.
    var isUnchanged: Bool { !isMoved && items.updated == 0 && items.removed == 0 }

    private let table: FeedTable
    private let updatesInPlace: Bool
    private let direction: PageDirection
    private let now: Value
    private let lift: (_ crawl: CrawlState, _ generation: Int64, _ sections: inout SectionTally) throws -> Void
    private var kept: [FeedTable.StoredRow] = []
    /// Items mostly go on as the one before: a new one is tried as new first, which saves a look-up.
    private var expectsNew = false
    private var hasItems = false
    private var insertion: FeedTable.Insertion
    private let lastBefore: Place?

    /// - Parameters:
    ///   - updatesInPlace: Whether new content in its old place leaves the crawl one that only reads. Not where a crawl stops at
    ///     what is known: the place would say that nothing before it is new.
    ///   - lift: gives the rows of the crawl's unmoved pages their place in the generation.
    init(
        _ table: FeedTable, generation: Int64, crawl: CrawlState, direction: PageDirection, now: String,
        updatesInPlace: Bool,
        lift: @escaping (_ crawl: CrawlState, _ generation: Int64, _ sections: inout SectionTally) throws -> Void
    ) {
        self.table = table
        newest = generation
        self.generation = crawl.generation ?? generation
        self.crawl = crawl
        self.direction = direction
        self.updatesInPlace = updatesInPlace
        self.now = .text(now)
        insertion = FeedTable.Insertion(generation: generation, section: nil, now: .text(now))
        self.lift = lift
        lastBefore = crawl.lastPlaceBefore
        begin = crawl.position
    }

    /// - Parameter overlap: How many elements at the page's head are those of the page before, which were written with it.
    mutating func write(_ page: DecodedPage, behind overlap: Int = 0) throws {
        try table.admit(page)
        if let order = page.orderWithoutRepeats {
            for index in order where index >= overlap { try write(page.element(at: index)) }
        } else {
            for index in min(overlap, page.elementCount)..<page.elementCount {
                let item = page.element(at: index)
                if item.fault == nil { try write(item) }
            }
        }
        try table.endRead()
        guard !isMoved else { return }
        crawl.lastPlace = kept.last?.place ?? crawl.lastPlace
        crawl.position += placed
    }

    /// Goes past a stored page that the upstream calls unchanged, and moves its rows only if others come before them now.
    mutating func keep(
        _ page: StoredPage,
        move: (_ from: Place, _ count: Int64, _ to: Place, _ sections: inout SectionTally) throws -> Void
    ) throws {
        items.unchanged += Int(page.placed)
        guard page.placed > 0 else { return }
        note(page.place, count: page.placed)
        crawl.lastPlaceBefore = Place(
            generation: page.place.generation, position: page.place.position + page.placed - 1)
        let isHead = page.place == Place(generation: generation, position: 0)
        let isInPlace = direction == .header ? isHead : crawl.lastPlace.map { $0.precedes(page.place) } ?? isHead
        var place = page.place
        if !isInPlace {
            try becomeMoved()
            place = Place(generation: generation, position: crawl.position)
            try move(page.place, page.placed, place, &sections)
            touched.insert(page.place, count: page.placed)
        }
        first = place
        placed = page.placed
        crawl.position += page.placed
        crawl.lastPlace = Place(generation: place.generation, position: place.position + page.placed - 1)
    }

    /// Makes the crawl one that writes: what it has seen so far, and what comes, gets places in its own generation.
    mutating func becomeMoved() throws {
        guard !isMoved else { return }
        isMoved = true
        if crawl.generation == nil {
            newest += 1
            generation = newest
            crawl.generation = newest
        }
        try lift(crawl, generation, &sections)
        crawl.lastPlace = crawl.position > 0 ? Place(generation: generation, position: crawl.position - 1) : nil
        first = nil
        placed = 0
        for row in kept {
            let place = nextPlace()
            try table.move(row, to: place, section: row.section, now: now)
            sections.leave(row.section, at: row.place, forAnother: false)
            sections.note(row.section, at: place)
            touched.insert(row.place)
        }
    }

    /// Takes note of where an item, or the first of `count`, stood before this page; nil for a new one.
    private mutating func note(_ before: Place?, count: Int64 = 1) {
        if let before {
            let met = MetPlaces(before, count: count, page: crawl.pages + 1)
            if metPlaces.isEmpty || !metPlaces[metPlaces.count - 1].extend(by: met) { metPlaces.append(met) }
        }
        if !hasItems, let before {
            adjoins = lastBefore.map { Place(generation: $0.generation, position: $0.position + 1) == before } ?? false
        }
        hasItems = true
        crawl.lastPlaceBefore = before
    }

    /// Marks the row of an item that says that it is gone; one that was never stored leaves no row.
    private mutating func remove(_ item: PageItem) throws {
        guard let row = try table.row(for: item), !row.isRemoved else {
            items.unchanged += 1
            return
        }
        try table.remove(row, as: item, now: now)
        sections.leave(row.section, at: row.place, forAnother: true)
        touched.insert(row.place)
        items.removed += 1
        added -= 1
    }

    private mutating func write(_ item: PageItem) throws {
        if item.isGone { return try remove(item) }
        if isMoved, expectsNew, try insert(item) {
            note(nil)
            return
        }
        guard var row = try table.row(for: item) else {
            note(nil)
            try becomeMoved()
            expectsNew = try insert(item)
            return
        }
        note(row.place)
        expectsNew = false
        if !isMoved {
            let mayStay = !row.isRemoved && (item.section ?? row.section) == row.section
            if mayStay, row.isSame || updatesInPlace, keep(row) {
                try row.isSame ? (items.unchanged += 1) : update(row, with: item)
                return
            }
            try becomeMoved()
            // The row itself may have been moved by that.
            row = try table.row(for: item) ?? row
        }
        try rewrite(row, with: item)
    }

    /// Whether a stored row stands where this page should have it: at the head, or behind the page before, and next to
    /// the item before. An item that comes twice in the page has its place already.
    private mutating func keep(_ row: FeedTable.StoredRow) -> Bool {
        if let last = kept.last?.place, let first {
            let isAgain = (first.position...last.position).contains(row.place.position)
            if last.generation == row.place.generation, isAgain { return true }
            guard row.place == Place(generation: last.generation, position: last.position + 1) else { return false }
        } else if direction == .header {
            guard row.place == Place(generation: generation, position: 0) else { return false }
        } else if let last = crawl.lastPlace {
            guard last.precedes(row.place) else { return false }
        }
        first = first ?? row.place
        placed += 1
        kept.append(row)
        return true
    }

    private mutating func nextPlace() -> Place {
        let place = Place(generation: generation, position: crawl.position)
        crawl.position += 1
        crawl.lastPlace = place
        first = first ?? place
        placed += 1
        return place
    }

    /// Takes note of an item that is new to the crawl.
    private mutating func noteNew() {
        if !metPlaces.isEmpty { hasNewBehindMet = true }
        if let lastRepeat, lastRepeat != begin - 1 { isOutOfOrder = true }
    }

    /// Takes note of an item that stood elsewhere before the crawl.
    private mutating func noteMoved() {
        if let lastRepeat, lastRepeat != begin - 1 { isOutOfOrder = true }
    }

    /// Takes note of an item that the crawl has met before.
    private mutating func noteRepeat(at position: Int64) {
        repeats += 1
        // Those that were pushed down come first, in their order.
        if placed > 0 || lastRepeat.map({ $0 >= position }) ?? false { isOutOfOrder = true }
        lastRepeat = position
    }

    private mutating func insert(_ item: PageItem) throws -> Bool {
        insertion.section = item.section ?? nil
        insertion.generation = generation
        guard try table.insert(item, at: crawl.position, insertion) else { return false }
        let place = nextPlace()
        let section = insertion.section
        sections.add(section, at: place)
        items.inserted += 1
        added += 1
        noteNew()
        return true
    }

    /// Writes new content over a row that stays in its place.
    private mutating func update(_ row: FeedTable.StoredRow, with item: PageItem) throws {
        try table.update(row, to: item, section: row.section, at: row.place, now: now)
        touched.insert(row.place)
        items.updated += 1
    }

    private mutating func rewrite(_ row: FeedTable.StoredRow, with item: PageItem) throws {
        let section = item.section ?? row.section
        let isPlaced = row.place.generation == crawl.generation
        if isPlaced, first.map({ row.place.position < $0.position }) ?? true { sharesRows = true }
        if isPlaced, row.place.position < begin { noteRepeat(at: row.place.position) } else if !isPlaced { noteMoved() }
        let place = isPlaced ? row.place : nextPlace()
        if row.isRemoved {
            added += 1
            sections.add(section, at: place)
        } else if section != row.section {
            sections.leave(row.section, at: row.place, forAnother: true)
            sections.add(section, at: place)
        } else if place != row.place {
            sections.leave(row.section, at: row.place, forAnother: false)
            sections.note(section, at: place)
        }
        if row.isSame {
            items.unchanged += 1
            guard place != row.place || row.isRemoved || section != row.section else { return }
            try table.move(row, to: place, section: section, now: now)
        } else {
            items.updated += 1
            try table.update(row, to: item, section: section, at: place, now: now)
        }
        touched.insert(row.place)
    }
}
