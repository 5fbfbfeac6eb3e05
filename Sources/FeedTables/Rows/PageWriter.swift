internal import SQLite

/// Writes the items of one page that differ from the stored ones, as `PageRules` decides.
///
/// - Isolation: the store's, inside the page's transaction.
package struct PageWriter {
    package private(set) var rules: PageRules
    private let table: FeedTable
    private let now: Value
    private let lift: (_ crawl: CrawlState, _ generation: Int64, _ sections: inout SectionTally) throws -> Void
    private var insertion: FeedTable.Insertion

    /// - Parameter lift: Gives the rows of the crawl's unmoved pages their places in the generation.
    package init(
        _ table: FeedTable, _ rules: PageRules, now: String,
        lift: @escaping (_ crawl: CrawlState, _ generation: Int64, _ sections: inout SectionTally) throws -> Void
    ) {
        self.table = table
        self.rules = rules
        self.now = .text(now)
        self.lift = lift
        insertion = FeedTable.Insertion(generation: rules.generation, section: nil, now: .text(now))
    }

    /// - Parameter overlap: The number of elements at the page's head that were written with the previous page.
    package mutating func write(_ page: DecodedPage, behind overlap: Int = 0) throws {
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
        rules.end()
    }

    /// Passes the rows of a stored page that is unchanged upstream. Moves them only if others now come before them.
    ///
    /// - Parameter placed: The number of their places, from `place` on.
    package mutating func keep(
        rowsAt place: Place, placed: Int64,
        move: (_ from: Place, _ count: Int64, _ to: Place, _ sections: inout SectionTally) throws -> Void
    ) throws {
        var newPlace = place
        if rules.meetPage(at: place, placed: placed) {
            try becomeMoved()
            newPlace = rules.nextPlace
            try move(place, placed, newPlace, &rules.sections)
        }
        if placed > 0 { rules.place(pageFrom: place, at: newPlace, placed: placed) }
    }

    /// Turns the crawl into one that writes: rows met so far, and all later ones, get places in its own generation.
    package mutating func becomeMoved() throws {
        guard !rules.isMoved else { return }
        rules.becomeMoved()
        try lift(rules.crawl, rules.generation, &rules.sections)
        for (row, place) in rules.placeKept() { try table.move(row, to: place, section: row.section, now: now) }
    }

    private mutating func write(_ item: PageItem) throws {
        if item.isGone {
            let row = try table.row(for: item)
            if rules.meetGone(row), let row { try table.remove(row, as: item, now: now) }
            return
        }
        // An item that is expected to be new is inserted first, which saves a look-up.
        if rules.isMoved, rules.expectsNew, try insert(item) {
            rules.insertedAsExpected(insertion.section)
            return
        }
        guard var row = try table.row(for: item) else {
            if rules.meetNothing() { try becomeMoved() }
            rules.tried(isInserted: try insert(item), insertion.section)
            return
        }
        var change = rules.meet(row, section: item.section)
        if change == .becomeMoved {
            try becomeMoved()
            // This may have moved the row itself.
            row = try table.row(for: item) ?? row
            change = rules.rewrite(row, section: item.section)
        }
        if table.hasOtherTexts, row.isSame { try table.restoreTexts(of: row, to: item) }
        switch change {
        case .none, .becomeMoved: break
        case .update(let place, let section):
            try table.update(row, to: item, section: section, at: place, now: now)
        case .move(let place, let section): try table.move(row, to: place, section: section, now: now)
        }
    }

    /// - Returns: True if the item had no row.
    private mutating func insert(_ item: PageItem) throws -> Bool {
        insertion.section = item.section ?? nil
        insertion.generation = rules.generation
        return try table.insert(item, at: rules.crawl.position, insertion)
    }
}
