/// What a page does to the stored rows: which item is new, which row has other content, moves, stays as it is, or goes.
///
/// While every item so far is stored as it came, where it should be, nothing is to be written; where only content is new
/// and the crawl goes to the end anyway, it is written in its place. The first item that is not where it should be makes
/// the page a moved one: its crawl gets a generation, and its items get places in it.
///
/// Pure: the store tells it each item's row, in the order of the page, and does what it says.
package struct PageRules: Sendable {
    /// A row that an item has already.
    package struct Row: Sendable, Hashable {
        package let id: Int64
        package let place: Place
        package let section: String?
        package let isRemoved: Bool
        /// Whether the item says what the row holds.
        package let isSame: Bool

        package init(id: Int64, place: Place, section: String?, isRemoved: Bool, isSame: Bool) {
            self.id = id
            self.place = place
            self.section = section
            self.isRemoved = isRemoved
            self.isSame = isSame
        }
    }

    /// What is to be done with an item's row.
    package enum Change: Sendable, Hashable {
        /// It is as it should be.
        case none
        /// The item's content is written over it.
        case update(Place, section: String?)
        /// It gets another place or section, or comes back.
        case move(Place, section: String?)
        /// The page becomes a moved one: `becomeMoved`, and then `rewrite` with the row as it is by then.
        case makeRoom
    }

    /// What the items became.
    package private(set) var items = ItemCounts()
    /// What that does to the sections.
    package var sections = SectionTally()
    /// The places of rows that were rewritten or moved: pages that had them lapse.
    package private(set) var touched = PlaceRanges()
    /// Whether an item keeps the place that another page of the crawl gave it.
    package private(set) var sharesRows = false
    /// How many more live rows there are.
    package private(set) var added = 0
    /// Whether anything is not where it was.
    package private(set) var isMoved = false
    /// The place of the page's first item.
    package private(set) var first: Place?
    /// How many places the page takes.
    package private(set) var placed: Int64 = 0
    /// The crawl, as the page leaves it.
    package private(set) var crawl: CrawlState
    /// Whether the page's first item stood right behind the last one of the page before, when both were stored.
    package private(set) var adjoins = false
    /// Where the rows that the page met stood before.
    package private(set) var metPlaces: [MetPlaces] = []
    /// The feed's newest generation.
    package private(set) var newest: Int64
    /// The crawl's own generation, or the newest one while it has none.
    package private(set) var generation: Int64
    /// Items that the crawl had met before.
    package private(set) var repeats = 0
    /// Whether an item that is new to the crawl follows one that stood elsewhere in it than at its end.
    package private(set) var isOutOfOrder = false
    /// Whether the item before was new: items mostly go on as the one before.
    package private(set) var expectsNew = false

    private var lastRepeat: Int64?
    private var hasNewBehindMet = false
    private var kept: [Row] = []
    private var hasItems = false
    private let begin: Int64
    private let nextGeneration: Int64
    private let updatesInPlace: Bool
    private let direction: PageDirection
    private let lastBefore: Place?

    /// - Parameters:
    ///   - generation: The feed's newest.
    ///   - next: The one that follows; nil for the one behind it. The parts of a feed share a table, and no two of them a
    ///     generation.
    ///   - updatesInPlace: Whether new content in its old place leaves the crawl one that only reads. Not where a crawl stops at
    ///     what is known: the place would say that nothing before it is new.
    package init(
        generation: Int64, next: Int64? = nil, crawl: CrawlState, direction: PageDirection, updatesInPlace: Bool
    ) {
        newest = generation
        nextGeneration = next ?? generation + 1
        self.generation = crawl.generation ?? generation
        self.crawl = crawl
        self.direction = direction
        self.updatesInPlace = updatesInPlace
        lastBefore = crawl.lastPlaceBefore
        begin = crawl.position
    }

    /// Where the rows stood that follow new items at the page's head, if they stood one behind the other and did not
    /// change: the list gained items above them. nil where anything else happened to the page.
    package var gainedAbove: MetPlaces? {
        guard items.updated == 0, repeats == 0, !hasNewBehindMet, metPlaces.count == 1 else { return nil }
        return metPlaces[0]
    }

    /// Whether all is stored as it came, where it came.
    package var isUnchanged: Bool { !isMoved && items.updated == 0 && items.removed == 0 }

    /// True if the page brought nothing but new items above all that the crawl met, and what it met stood one behind the other.
    ///
    /// - Parameter hasMet: True if the crawl met stored items on pages before.
    package func onlyGrows(behindMet hasMet: Bool) -> Bool {
        guard items.updated == 0, items.removed == 0, repeats == 0, added == items.inserted else { return false }
        guard let met = metPlaces.first, metPlaces.count == 1 else {
            return metPlaces.isEmpty && !(hasMet && added > 0)
        }
        return hasMet ? added == 0 && adjoins : !hasNewBehindMet && met.count > 0
    }

    /// The place that a new row gets.
    package var nextPlace: Place { Place(generation: generation, position: crawl.position) }

    // MARK: - Items

    /// The item has a row.
    ///
    /// - Parameter section: The section that the item says; nil where the feed has none.
    package mutating func meet(_ row: Row, section: String??) -> Change {
        note(row.place)
        expectsNew = false
        if !isMoved {
            let mayStay = !row.isRemoved && (section ?? row.section) == row.section
            guard mayStay, row.isSame || updatesInPlace, keep(row) else { return .makeRoom }
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

    /// The item has no row.
    ///
    /// - Returns: Whether the page becomes a moved one before the item is inserted.
    package mutating func meetNothing() -> Bool {
        note(nil)
        return !isMoved
    }

    /// A row was tried for the item, which was expected to be new: it had none.
    package mutating func insertedAsExpected(_ section: String?) {
        inserted(section)
        note(nil)
    }

    /// The item has a row now, at `nextPlace`; or it has one already.
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

    /// The item says that it is gone.
    ///
    /// - Parameter row: nil where it was never stored.
    /// - Returns: Whether its row is to be marked so.
    package mutating func isGone(_ row: Row?) -> Bool {
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

    /// An item of a moved page has a row.
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
            items.unchanged += 1
            guard place != row.place || row.isRemoved || section != row.section else { return .none }
        } else {
            items.updated += 1
        }
        touched.insert(row.place)
        return row.isSame ? .move(place, section: section) : .update(place, section: section)
    }

    /// All items were told.
    package mutating func end() {
        guard !isMoved else { return }
        crawl.lastPlace = kept.last?.place ?? crawl.lastPlace
        crawl.position += placed
    }

    // MARK: - Pages as a whole

    /// A stored page that the upstream calls unchanged.
    ///
    /// - Returns: Whether others come before its rows now, so that they move: `becomeMoved`, and then to `nextPlace`.
    package mutating func meetPage(at place: Place, placed count: Int64) -> Bool {
        items.unchanged += Int(count)
        guard count > 0 else { return false }
        note(place, count: count)
        crawl.lastPlaceBefore = Place(generation: place.generation, position: place.position + count - 1)
        let isHead = place == Place(generation: generation, position: 0)
        return !(direction == .header ? isHead : crawl.lastPlace.map { $0.precedes(place) } ?? isHead)
    }

    /// The rows of a stored page stand at `place` now.
    package mutating func place(pageFrom before: Place, at place: Place, placed count: Int64) {
        if place != before { touched.insert(before, count: count) }
        first = place
        placed = count
        crawl.position += count
        crawl.lastPlace = Place(generation: place.generation, position: place.position + count - 1)
    }

    /// Makes the crawl one that writes: what it has seen so far, and what comes, gets places in its own generation.
    ///
    /// The pages before come first: their rows are to be lifted into it. Then come the rows of `placeKept`.
    package mutating func becomeMoved() {
        isMoved = true
        guard crawl.generation == nil else { return }
        newest = nextGeneration
        generation = newest
        crawl.generation = newest
    }

    /// The rows that the page has kept in their places so far, with those that they get.
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

    /// Whether a stored row stands where this page should have it: at the head, or behind the page before, and next to
    /// the item before. An item that comes twice in the page has its place already.
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

    /// Takes note of an item that the crawl had not placed yet.
    private mutating func noteElsewhere() {
        if let lastRepeat, lastRepeat != begin - 1 { isOutOfOrder = true }
    }

    /// Takes note of an item that the crawl has met before.
    private mutating func noteRepeat(at position: Int64) {
        repeats += 1
        // Those that were pushed down come first, in their order.
        if placed > 0 || lastRepeat.map({ $0 >= position }) ?? false { isOutOfOrder = true }
        lastRepeat = position
    }
}
