/// The effect of a page on the stored rows: which items are new, and which rows change, move, stay or are removed.
///
/// While every item is stored unchanged in its place, nothing is written. If only content has changed, and the crawl
/// goes to the end anyway, the content is written in place. The first item in another place makes the page a moved one:
/// its crawl gets a generation, and its items get places in it.
///
/// Pure: the store passes each item's row, in the order of the page, and performs the changes.
package struct PageRules: Sendable {
    /// The row of an item that is already stored.
    package struct Row: Sendable, Hashable {
        package let id: Int64
        package let place: Place
        package let section: String?
        package let isRemoved: Bool
        /// True if the row holds the item's values.
        package let isSame: Bool

        package init(id: Int64, place: Place, section: String?, isRemoved: Bool, isSame: Bool) {
            self.id = id
            self.place = place
            self.section = section
            self.isRemoved = isRemoved
            self.isSame = isSame
        }
    }

    /// The change to make to an item's row.
    package enum Change: Sendable, Hashable {
        /// The row needs no change.
        case none
        /// The item's content is written over the row.
        case update(Place, section: String?)
        /// The row gets another place or section, or is no longer removed.
        case move(Place, section: String?)
        /// The page becomes a moved one: call `becomeMoved`, then `rewrite` with the row as it is by then.
        case becomeMoved
    }

    /// The counts of new, changed, unchanged and removed items.
    package private(set) var items = ItemCounts()
    /// The changes to the sections.
    package var sections = SectionTally()
    /// The earlier places of rows that were rewritten or moved. Pages with these places lose their validators.
    package private(set) var touched = PlaceRanges()
    /// True if an item keeps the place that another page of the crawl gave it.
    package private(set) var sharesRows = false
    /// The number of live rows added.
    package private(set) var added = 0
    /// True if a row has moved.
    package private(set) var isMoved = false
    /// The place of the page's first item.
    package private(set) var first: Place?
    /// The number of places that the page takes.
    package private(set) var placed: Int64 = 0
    /// The crawl, as the page leaves it.
    package private(set) var crawl: CrawlState
    /// True if the page's first item directly followed the last one of the previous page when both were stored.
    private(set) var adjoins = false
    /// The earlier places of the rows that the page met.
    package private(set) var metPlaces: [MetPlaces] = []
    /// The feed's newest generation.
    package private(set) var newest: Int64
    /// The crawl's own generation, or the newest one while it has none.
    package private(set) var generation: Int64
    /// The number of items that the crawl had met before.
    package private(set) var repeats = 0
    /// True if an item that is new to the crawl follows one that was elsewhere in it than at its end.
    package private(set) var isOutOfOrder = false
    /// True if the previous item was new: most items are like the previous one.
    package private(set) var expectsNew = false

    private var lastRepeat: Int64?
    private var hasNewBehindMet = false
    private var kept: [Row] = []
    private var hasItems = false
    private let begin: Int64
    private let nextGeneration: Int64
    private let updatesInPlace: Bool
    private let revised: MetPlaces?
    private let direction: PageDirection
    private let lastBefore: Place?

    /// - Parameters:
    ///   - generation: The feed's newest generation.
    ///   - next: The next generation; nil for the following number. The parts of a feed share a table, and each needs
    ///     its own generations.
    ///   - updatesInPlace: True if new content in its old place leaves the crawl one that only reads. False if the
    ///     crawl stops at known rows: the place would then say that nothing before it is new.
    ///   - revised: The places of the page's rows if it was requested again and has the items that it had: those that
    ///     are still there do not move.
    package init(
        generation: Int64, next: Int64? = nil, crawl: CrawlState, direction: PageDirection, updatesInPlace: Bool,
        revised: MetPlaces? = nil
    ) {
        newest = generation
        nextGeneration = next ?? generation + 1
        self.generation = crawl.generation ?? generation
        self.crawl = crawl
        self.direction = direction
        self.updatesInPlace = updatesInPlace
        self.revised = revised
        lastBefore = crawl.lastPlaceBefore
        begin = crawl.position
    }

    /// The earlier places of the rows that follow new items at the page's head, if they were consecutive and did not
    /// change: the list gained items above them. nil if anything else happened to the page.
    ///
    /// - Parameter mayChange: True if it does not matter that the content of rows changed.
    package func gainedAbove(mayChange: Bool = false) -> MetPlaces? {
        guard items.updated == 0 || mayChange, repeats == 0, !hasNewBehindMet, metPlaces.count == 1 else { return nil }
        return metPlaces[0]
    }

    /// True if all items are stored unchanged and in place.
    package var isUnchanged: Bool { !isMoved && items.updated == 0 && items.removed == 0 }

    /// True if the page brought only new items, above all items that the crawl met, and those were consecutive.
    ///
    /// - Parameter hasMet: True if the crawl met stored items on earlier pages.
    package func onlyGrows(behindMet hasMet: Bool) -> Bool {
        guard items.updated == 0, items.removed == 0, repeats == 0, added == items.inserted else { return false }
        guard let met = metPlaces.first, metPlaces.count == 1 else {
            return metPlaces.isEmpty && !(hasMet && added > 0)
        }
        return hasMet ? added == 0 && adjoins : !hasNewBehindMet && met.count > 0
    }

    /// The place of the next new row.
    package var nextPlace: Place { Place(generation: generation, position: crawl.position) }

    // MARK: - Items

    /// Takes an item that has a row, and returns the change.
    ///
    /// - Parameter section: The section in the item; nil if the feed has none.
    package mutating func meet(_ row: Row, section: String??) -> Change {
        note(row.place)
        expectsNew = false
        if !isMoved {
            let mayStay = !row.isRemoved && (section ?? row.section) == row.section
            let isInPlace = revised?.contains(row.place) == true
            guard mayStay, isInPlace || (row.isSame || updatesInPlace) && keep(row) else { return .becomeMoved }
            guard !row.isSame else {
                items.unchanged += 1
                return .none
            }
            touched.insert(row.place)
            items.updated += 1
            return .update(row.place, section: row.section)
        }
        return rewrite(row, section: section)
    }

    /// Takes an item that has no row.
    ///
    /// - Returns: True if the page becomes a moved one before the item is inserted.
    package mutating func meetNothing() -> Bool {
        note(nil)
        return !isMoved
    }

    /// Records that an item that was expected to be new was inserted.
    package mutating func insertedAsExpected(_ section: String?) {
        inserted(section)
        note(nil)
    }

    /// Records the result of inserting an item at `nextPlace`: false if it already had a row.
    package mutating func tried(isInserted: Bool, _ section: String?) {
        expectsNew = isInserted
        if isInserted { inserted(section) }
    }

    private mutating func inserted(_ section: String?) {
        sections.add(section, at: takePlace())
        items.inserted += 1
        added += 1
        if !metPlaces.isEmpty { hasNewBehindMet = true }
        noteElsewhere()
    }

    /// Takes an item that reports its own removal.
    ///
    /// - Parameter row: nil if it was never stored.
    /// - Returns: True if its row has to be marked as removed.
    package mutating func meetGone(_ row: Row?) -> Bool {
        guard let row, !row.isRemoved else {
            items.unchanged += 1
            return false
        }
        sections.leave(row.section, at: row.place, forAnother: true)
        touched.insert(row.place)
        items.removed += 1
        added -= 1
        return true
    }

    /// Takes an item of a moved page that has a row, and returns the change.
    package mutating func rewrite(_ row: Row, section: String??) -> Change {
        let section = section ?? row.section
        let isPlaced = row.place.generation == crawl.generation
        if isPlaced, first.map({ row.place.position < $0.position }) ?? true { sharesRows = true }
        if !isPlaced { noteElsewhere() } else if row.place.position < begin { noteRepeat(at: row.place.position) }
        let place = isPlaced ? row.place : takePlace()
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
            // A row that comes back has changed.
            if row.isRemoved { items.updated += 1 } else { items.unchanged += 1 }
            guard place != row.place || row.isRemoved || section != row.section else { return .none }
        } else {
            items.updated += 1
        }
        touched.insert(row.place)
        return row.isSame ? .move(place, section: section) : .update(place, section: section)
    }

    /// Ends the page after its last item.
    package mutating func end() {
        guard !isMoved else { return }
        crawl.lastPlace = kept.last?.place ?? crawl.lastPlace
        crawl.position += placed
    }

    // MARK: - Pages as a whole

    /// Takes a stored page that is unchanged upstream.
    ///
    /// - Returns: True if other items now come before its rows, so that they move: call `becomeMoved`, then move them
    ///   to `nextPlace`.
    package mutating func meetPage(at place: Place, placed count: Int64) -> Bool {
        items.unchanged += Int(count)
        guard count > 0 else { return false }
        note(place, count: count)
        crawl.lastPlaceBefore = Place(generation: place.generation, position: place.position + count - 1)
        let isHead = place == Place(generation: generation, position: 0)
        return !(direction == .header ? isHead : crawl.lastPlace.map { $0.precedes(place) } ?? isHead)
    }

    /// Records that the rows of a stored page are now at `place`.
    package mutating func place(pageFrom before: Place, at place: Place, placed count: Int64) {
        if place != before { touched.insert(before, count: count) }
        first = place
        placed = count
        crawl.position += count
        crawl.lastPlace = Place(generation: place.generation, position: place.position + count - 1)
    }

    /// Turns the crawl into one that writes: rows met so far, and all later ones, get places in its own generation.
    ///
    /// The rows of the earlier pages come first and have to be lifted into it. Then come the rows of `placeKept`.
    package mutating func becomeMoved() {
        isMoved = true
        guard crawl.generation == nil else { return }
        newest = nextGeneration
        generation = newest
        crawl.generation = newest
    }

    /// The rows that the page has kept in place so far, with their new places.
    package mutating func placeKept() -> [(row: Row, place: Place)] {
        crawl.lastPlace = crawl.position > 0 ? Place(generation: generation, position: crawl.position - 1) : nil
        first = nil
        placed = 0
        return kept.map { row in
            let place = takePlace()
            sections.leave(row.section, at: row.place, forAnother: false)
            sections.note(row.section, at: place)
            touched.insert(row.place)
            return (row, place)
        }
    }

    // MARK: - Places

    /// Records the earlier place of an item, or of the first of `count` items; nil for a new item.
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

    /// True if a stored row is at the place that this page needs: at the head or after the previous page, and next to
    /// the previous item. An item that comes twice on the page already has its place.
    private mutating func keep(_ row: Row) -> Bool {
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

    private mutating func takePlace() -> Place {
        let place = nextPlace
        crawl.position += 1
        crawl.lastPlace = place
        first = first ?? place
        placed += 1
        return place
    }

    /// Records an item that the crawl had not placed yet.
    private mutating func noteElsewhere() {
        if let lastRepeat, lastRepeat != begin - 1 { isOutOfOrder = true }
    }

    /// Records an item that the crawl has met before.
    private mutating func noteRepeat(at position: Int64) {
        repeats += 1
        // Items that were pushed down come first, in their order.
        if placed > 0 || lastRepeat.map({ $0 >= position }) ?? false { isOutOfOrder = true }
        lastRepeat = position
    }
}
