import Pagination
import SeededGenerator

@testable import Crawling

/// A list in pages that moves between any two requests: items are added at its head, removed anywhere, or moved to its
/// top.
struct SimulatedList {
    /// The kind of proof that its pages permit, as in the table of `Proof`.
    enum Style: String, CaseIterable, Sendable { case total, overlap, cursor, validators }

    let style: Style
    private(set) var generator: SeededGenerator
    /// The newest first; a higher number came, or moved to the top, later.
    private(set) var items: [(id: Int, at: Int, value: Int)] = []
    /// The items that stood in it all the time.
    private(set) var standing: Set<Int> = []
    let perPage: Int
    private let unrest: Int
    /// True if an item that moves to the top has another content then.
    let movesChangeItems: Bool
    private var serial = 0
    /// True if an item moved to the top unchanged.
    private(set) var hasMovedToTop = false

    init(_ style: Style, movesChangeItems: Bool, seed: UInt64) {
        self.style = style
        self.movesChangeItems = movesChangeItems
        generator = SeededGenerator(seed)
        perPage = Int.random(in: 2...4, using: &generator)
        unrest = Int.random(in: 1...8, using: &generator)
        for _ in 0..<Int.random(in: 0...20, using: &generator) { insert() }
        standing = Set(items.map(\.id))
    }

    private mutating func insert() {
        serial += 1
        items.insert((serial, serial, 0), at: 0)
    }

    private mutating func move() {
        guard Int.random(in: 0..<unrest, using: &generator) == 0 else { return }
        for _ in 0..<Int.random(in: 1...2, using: &generator) {
            let place = items.indices.randomElement(using: &generator)
            switch (Int.random(in: 0..<3, using: &generator), place) {
            case (0, let place?): standing.remove(items.remove(at: place).id)
            case (1, let place?):
                serial += 1
                var item = items.remove(at: place)
                item.at = serial
                item.value += movesChangeItems ? 1 : 0
                hasMovedToTop = hasMovedToTop || !movesChangeItems
                items.insert(item, at: 0)
            default: insert()
            }
        }
    }

    struct Page {
        let asked: Int?
        let keys: [Int]
        let values: [Int: Int]
        let total: Int?
        let next: Int?
    }

    /// Serves a page: by number, by offset with the item before, or behind the moment of an item.
    mutating func page(_ asked: Int?) -> Page {
        move()
        let start =
            switch style {
            case .total, .validators: ((asked ?? 1) - 1) * perPage
            case .overlap: max((asked ?? 0) - 1, 0)
            case .cursor: items.firstIndex { $0.at < asked ?? .max } ?? items.count
            }
        let size = style == .overlap && asked != nil ? perPage + 1 : perPage
        let served = items.dropFirst(start).prefix(size)
        let isLast = start + served.count >= items.count
        let next =
            switch style {
            case .total, .validators: (asked ?? 1) + 1
            case .overlap: (asked ?? 0) + perPage
            case .cursor: served.last?.at ?? 0
            }
        return Page(
            asked: asked, keys: served.map(\.id),
            values: Dictionary(uniqueKeysWithValues: served.map { ($0.id, $0.value) }),
            total: style == .total ? items.count : nil, next: isLast ? nil : next)
    }
}

/// A first sync of a list by the rules; the store's data is kept in memory.
struct SimulatedCrawl {
    private(set) var list: SimulatedList
    /// The place at which each item is stored.
    private(set) var places: [Int: Place] = [:]
    /// The contents that are stored.
    private var values: [Int: Int] = [:]
    private var rules: CrawlRules
    /// The pages of the crawl, of the head again, and those requested again.
    private var pages: [SimulatedList.Page] = []
    private var headPages: [SimulatedList.Page] = []
    private var checks: [SimulatedList.Page] = []
    private var facts = CrawlFacts()
    /// The crawl in progress: the first one, or one of the head again.
    private var generation: Int64 = 1
    private var positions: [Int64: Int64] = [:]
    /// The statement of each crawl's last page.
    private var totals: [Int64: Int] = [:]
    /// True if the head showed items that the first crawl had met elsewhere than at its top.
    private var isDoubtful = false
    init(_ style: SimulatedList.Style, movesChangeItems: Bool, seed: UInt64) {
        list = SimulatedList(style, movesChangeItems: movesChangeItems, seed: seed)
        let feed = CrawlRules.Feed(
            mode: .all, isShifting: style != .cursor, overlaps: style == .overlap)
        rules = CrawlRules(.sync, feed)
        facts.hasTotals = style == .total
        facts.overlaps = style == .overlap
    }

    /// The items that stood all the time and were not met.
    var missed: Set<Int> { list.standing.subtracting(places.keys) }

    /// True if items moved to the top unchanged: a head that was pushed down and came back looks like one that stayed.
    var hasHiddenMoves: Bool { list.hasMovedToTop }

    /// Crawls; nil if it does not end.
    mutating func run() -> CrawlClosing? {
        var step = rules.opened(ResumePoint())
        for _ in 0..<1000 {
            if case .end(_, let closing) = step {
                return closing == .complete(isVerified: true) && isDoubtful ? .complete(isVerified: false) : closing
            }
            step = take(step)
        }
        return nil
    }

    private mutating func take(_ step: CrawlRules.Step) -> CrawlRules.Step {
        switch step {
        case .fetch(_, let cursor): return read(list.page(cursor.flatMap { Int($0.text) }))
        case .goOn(1, let number?):
            let asked = pages[number - 1].asked
            pages.removeSubrange((number - 1)...)
            return read(list.page(asked))
        case .goOn(_, let number?):
            let asked = headPages[number - 1].asked
            headPages.removeSubrange((number - 1)...)
            return read(list.page(asked))
        case .goOn, .readThrough, .end: return .end(.failed)
        case .readHeadAgain:
            let page = list.page(nil)
            if isAsStored(page) { return rules.headIsSame() }
            checks += headPages
            headPages = []
            generation += 1
            return read(page)
        case .examine:
            facts.pageCount = pages.count
            facts.pages = pages.indices.map { PageOfCrawl(crawl: 1, number: $0 + 1) }
            facts.met = places.count
            facts.total = pages.last?.total
            return rules.examined(facts)
        case .findMissing: return rules.found(missingBeside: nil)
        case .lookBehindEnd: return rules.looked(keepsRows: false)
        case .check(let place): return check(place)
        }
    }

    /// True if a page has the keys with which it was stored last, and the stored contents.
    private func isAsStored(_ page: SimulatedList.Page) -> Bool {
        (pages + headPages + checks).last { $0.asked == page.asked }?.keys == page.keys
            && page.values.allSatisfy { values[$0.key] == $0.value }
    }

    private mutating func read(_ page: SimulatedList.Page) -> CrawlRules.Step {
        let isHead = rules.isReadingHeadAgain
        let before = isHead ? headPages.last : pages.last
        var border = CrawlRules.Border(
            number: (isHead ? headPages.count : pages.count) + 1, total: page.total, totalBefore: totals[generation],
            crawl: generation)
        var isExact = true
        if list.style == .overlap, let before {
            border.overlaps = page.keys.first.map(before.keys.contains) ?? false
            isExact = page.keys.first == before.keys.last
        }
        if let step = rules.came(border) { return step }
        if let total = totals[generation], total != page.total { facts.hasTotalMoved = true }
        totals[generation] = page.total
        if !isExact { facts.overlaps = false }
        let hasOverlap = page.keys.contains { places[$0] != nil }
        let isMeeting = isHead && meetsStored(page)
        if hasOverlap, !isHead, !isExact { facts.hasRepeats = true }
        store(page)
        if isHead { headPages.append(page) } else { pages.append(page) }
        let onward: CrawlProgress.Onward =
            if isMeeting {
                .whole(.whole(1, generations: [1]), nil)
            } else if let next = page.next {
                .page(PageCursor("\(next)"))
            } else {
                .end(nil)
            }
        return rules.committed(
            CrawlRules.Committed(
                crawl: generation, number: border.number, isUnchanged: false, hasOverlap: hasOverlap, onward: onward))
    }

    /// True if new items are above known rows that were adjacent in an earlier crawl.
    private mutating func meetsStored(_ page: SimulatedList.Page) -> Bool {
        guard page.values.allSatisfy({ values[$0.key] ?? $0.value == $0.value }) else { return false }
        let old = page.keys.drop { places[$0] == nil }.map { places[$0] }
        guard let first = old.first ?? nil, first.generation != generation else { return false }
        let isInOrder = old.enumerated().allSatisfy { index, place in
            place == Place(generation: first.generation, position: first.position + Int64(index))
        }
        let older = places.values.filter { $0.generation != generation }
        isDoubtful = isDoubtful || isInOrder && older.contains { $0.precedes(first) }
        return isInOrder
    }

    private mutating func store(_ page: SimulatedList.Page) {
        values.merge(page.values) { $1 }
        for key in page.keys where places[key]?.generation != generation {
            places[key] = Place(generation: generation, position: positions[generation, default: 0])
            positions[generation, default: 0] += 1
        }
    }

    private mutating func check(_ place: PageOfCrawl) -> CrawlRules.Step {
        let page = list.page(pages[place.number - 1].asked)
        guard !isAsStored(page) else { return rules.checked(place, .same) }
        let met = pages.flatMap(\.keys).reduce(into: [Int]()) { if !$0.contains($1) { $0.append($1) } }
        let before = pages[place.number - 1].keys.first.flatMap(met.firstIndex)
        let isHeld = page.values.allSatisfy { values[$0.key] ?? $0.value == $0.value }
        if isHeld, let shift = PageComparison.shift(page.keys.map(met.firstIndex), from: before) {
            return rules.checked(place, .shifted(by: shift, isLast: page.next == nil))
        }
        let ordinal = (pages + checks).firstIndex { page.keys.last.map($0.keys.contains) ?? false }
        let result = PageComparison(
            lastMetAt: ordinal.map { $0 + 1 }, at: place.number, isLast: page.next == nil, isEmpty: page.keys.isEmpty,
            isStored: false)
        store(page)
        checks.append(page)
        return rules.checked(place, result)
    }
}
