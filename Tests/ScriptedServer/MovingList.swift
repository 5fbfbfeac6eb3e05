internal import SeededGenerator

/// A list that changes while it is read, with one of the paginations of upstreams, and with occasional failures.
///
/// Its properties (its pages' size, entity tags, totals, the form of its times, the number of simultaneous requests)
/// and its history are derived from the seed.
package struct MovingList: Sendable {
    /// The pagination.
    package enum Style: String, CaseIterable, Sendable {
        case page, offset, link, nextURL, cursor, keyset
        /// A cursor that hides an offset.
        case token
    }

    /// The promise to keep.
    package enum Mode: String, CaseIterable, Sendable { case new, since, all }

    /// An element of the list.
    package struct Item: Sendable {
        /// The item's identity.
        package let id: Int
        /// Its content.
        package internal(set) var value: Int
        /// The time of its last change, in milliseconds since 1970.
        package internal(set) var at: Int
        /// The number of its last change in the list's history.
        package internal(set) var serial: Int
        /// The value that says which partition it is in.
        var part = 0
        /// True if `null`, or an object without a key, takes its place.
        package internal(set) var isNull = false
    }

    /// The pagination.
    package let style: Style
    /// The promise to keep.
    package let mode: Mode
    /// True if requests move it, and fail.
    package var isMoving = false
    /// The delay of a response that is too late; nil for none.
    package var stall: (@Sendable () -> Void)?
    /// True if it may demand pauses.
    package var mayLimit = true
    /// From which item on every page fails; nil where none does.
    package var failsFrom: Int?

    /// The requests and answers, and its reader's notes.
    package private(set) var history: [String] = []

    var generator: SeededGenerator
    var items: [Item] = []
    var now = 1_700_000_000_000
    private(set) var serial = 0
    private var lastID = 0
    /// The removed items that may return unchanged.
    private var gone: [Item] = []

    let perPage: Int
    let hasTotals: Bool
    let hasNulls: Bool
    let sendsETag: Bool
    let compresses: Bool
    let mark: Mark
    let includesBorder: Bool
    /// The partitions; nil for a list that serves all items.
    let parts: Parts?
    /// The number of simultaneous requests.
    let prefetch: Int
    /// True if requests state a number of items, and if larger pages than usual are served.
    let hasLimit: Bool
    let givesMore: Bool
    /// True if an item that changes moves to its head.
    let isByChange: Bool

    /// True if its items get members that none had before, and its definition leaves the columns open.
    package let grows: Bool
    /// The values of items of which each has a member of its own: `m2` where the value is 2.
    package static let valuesWithMember = 1...4

    /// True if elements without a key take the place of `null`.
    package let hasBroken: Bool

    /// The list of a seed.
    ///
    /// - Parameters:
    ///   - inPartitions: True if it serves but the first items of a request, which has to ask for a partition.
    ///   - grows: True if its items have members that none had before.
    package init(_ style: Style, _ mode: Mode, inPartitions: Bool = false, grows: Bool = false, seed: UInt64) {
        self.grows = grows
        self.style = style
        self.mode = mode
        var generator = SeededGenerator(seed)
        perPage = Int.random(in: 1...7, using: &generator)
        hasTotals = Bool.random(using: &generator)
        // A page that is found by the last element's id needs one.
        hasNulls = !style.goesByID && Int.random(in: 0..<4, using: &generator) == 0
        sendsETag = Int.random(in: 0..<4, using: &generator) > 0
        compresses = Int.random(in: 0..<4, using: &generator) == 0
        // A number has no moment behind which it must not go: a list that goes by another one than it hides changes.
        let marks = Mark.allCases.filter { $0 != .serial || !style.goesByID }
        mark = marks.randomElement(using: &generator) ?? .seconds
        includesBorder = Bool.random(using: &generator)
        parts = inPartitions ? Parts(perPage: perPage, hasTotals: hasTotals, using: &generator) : nil
        hasBroken = hasNulls && Bool.random(using: &generator)
        prefetch = [1, 1, 2, 4].randomElement(using: &generator) ?? 1
        hasLimit = style == .offset && Bool.random(using: &generator)
        givesMore = Int.random(in: 0..<4, using: &generator) > 0
        isByChange = mode == .all && !style.goesByID && Bool.random(using: &generator)
        self.generator = generator
        for _ in 0..<Int.random(in: 0...perPage * 5, using: &self.generator) { insert() }
    }

    /// True if a crawl may have met items that cannot be stored for good: only a crawl of all would see their end.
    package var mayLeaveOut: Bool { hasBroken && mode == .new }

    /// True if `null` at its head counts in its total: a reader of the head cannot distinguish it from a missing item,
    /// only a crawl of all can.
    package var mayMiscount: Bool { hasNulls && hasTotals && mode == .new }

    /// True if a reader can prove that it missed nothing: there are totals, or validators, or a position from which
    /// pages continue.
    package var isProvable: Bool {
        // Pages of one element do not overlap: they would cost twice the requests.
        sendsETag || style.goesByID || hasLimit && givesMore && perPage > 1 || saysTotal || parts != nil
    }

    /// True if the total reveals each change, provided that there are never two at once.
    private var saysTotal: Bool { hasTotals && (style == .page || style == .offset) && parts == nil }

    /// True if it serves its items in partitions only.
    package var isInPartitions: Bool { parts != nil }

    /// The present number of pages.
    package var pageCount: Int { max((items.count + perPage - 1) / perPage, 1) }

    /// The items as the pages have them, as `id|value`.
    package var listed: [String] { ordered.filter { !$0.isNull }.map { "\($0.id)|\($0.value)" } }

    /// The ids of the items with a value.
    package func ids(withValue value: Int) -> Set<String> {
        Set(items.filter { !$0.isNull && $0.value == value }.map { "\($0.id)" })
    }

    /// The number of the last change so far.
    package var lastSerial: Int { serial }

    /// The items unchanged since the change of that number, as `id|value`.
    package func quiet(since serial: Int) -> Set<String> {
        Set(items.filter { !$0.isNull && $0.serial <= serial }.map { "\($0.id)|\($0.value)" })
    }

    /// Adds a line to the history.
    package mutating func note(_ line: String) { history.append(line) }

    /// A random number for tests.
    package mutating func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    /// Changes a few items, or none.
    package mutating func move() {
        for _ in 0..<Int.random(in: 0...(saysTotal ? 1 : 2), using: &generator) {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: insert()
            case 1: if let place = anyPlace { gone.append(items.remove(at: place)) }
            case 2: if let place = anyPlace { change(items.remove(at: place)) }
            // Only `all` promises an order.
            case 3 where mode == .all && !style.goesByID && !isByChange && !saysTotal:
                if let place = anyPlace { displace(items.remove(at: place)) }
            case 3 where isByChange && Int.random(in: 0..<4, using: &generator) == 0:
                for _ in 0..<perPage * 2 { if let place = anyPlace { change(items.remove(at: place)) } }
            // Items that a reader of the head cannot find stay away.
            case 5 where !gone.isEmpty && (mode != .new || !style.goesByID):
                giveBack(gone.remove(at: Int.random(in: gone.indices, using: &generator)))
            // Many at one moment: more than a page of equal times.
            case 4 where Int.random(in: 0..<8, using: &generator) == 0:
                let moment = now
                for _ in 0...perPage {
                    insert()
                    now = moment
                }
            default: break
            }
        }
    }

    private var anyPlace: Int? {
        mutating get { items.indices.randomElement(using: &generator) }
    }

    private mutating func insert() {
        lastID += 1
        now += step()
        serial += 1
        let isNull = hasNulls && Int.random(in: 0..<6, using: &generator) == 0
        var item = Item(id: lastID, value: 0, at: now, serial: serial, isNull: isNull)
        item.part = part(of: item)
        put(item)
    }

    private mutating func change(_ item: Item) {
        var item = item
        now += step()
        serial += 1
        // New items are all that a reader of the head of a list by id can find.
        if mode != .new || !style.goesByID { item.value += 1 }
        item.at = now
        item.serial = serial
        if parts != nil, mode == .new || random(0...2) == 0 { item.part = part(of: item) }
        put(item)
    }

    /// An item that was gone returns as it was.
    private mutating func giveBack(_ item: Item) {
        var item = item
        serial += 1
        item.serial = serial
        if mode != .all {
            now += step()
            item.at = now
        }
        item.part = part(of: item)
        put(item)
    }

    private mutating func displace(_ item: Item) {
        var item = item
        serial += 1
        item.serial = serial
        item.part = part(of: item)
        put(item)
    }

    /// `all` promises any order, `new` the additions at the head; a list by time is in the order of time.
    private mutating func put(_ item: Item) {
        switch mode {
        case .new: items.insert(item, at: 0)
        case .since: items.append(item)
        case .all: items.insert(item, at: isByChange ? 0 : Int.random(in: 0...items.count, using: &generator))
        }
    }

    private mutating func step() -> Int { Int.random(in: 0...4, using: &generator) * 500 }

    /// Newer partitions come first.
    var ordered: [Item] {
        if style.goesByID { return items.sorted { $0.id > $1.id } }
        guard parts != nil else { return items }
        return items.enumerated().sorted { ($1.element.part, $0.offset) < ($0.element.part, $1.offset) }.map(\.element)
    }
}

extension MovingList.Style {
    /// True if the position at which a page begins is an item's id.
    var goesByID: Bool { self == .cursor || self == .keyset }
}
