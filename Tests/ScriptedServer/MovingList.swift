internal import SeededGenerator

/// A list that changes under whoever reads it, in one of the ways in which upstreams have pages; and that fails now and then.
///
/// What it is like (its pages' size, entity tags, totals, the form of its times, how many requests it takes at once) and
/// what happens to it follow from the seed.
public struct MovingList: Sendable {
    /// How its pages follow each other.
    public enum Style: String, CaseIterable, Sendable {
        case page, offset, link, nextURL, cursor, keyset
        /// A cursor that hides an offset.
        case token
    }

    /// What is to be kept true of it.
    public enum Mode: String, CaseIterable, Sendable { case new, since, all }

    /// An element of the list.
    public struct Item: Sendable {
        /// What tells it apart.
        public let id: Int
        /// Its content.
        public internal(set) var value: Int
        /// When it changed last, in milliseconds since 1970.
        public internal(set) var at: Int
        /// The number of its last change in the list's history.
        public internal(set) var serial: Int
        /// The value that says which partition it is in.
        var part = 0
        /// Whether `null` stands for it, or something without a key.
        public internal(set) var isNull = false
    }

    /// How its pages follow each other.
    public let style: Style
    /// What is to be kept true of it.
    public let mode: Mode
    /// Whether requests move it, and fail.
    public var isMoving = false
    /// What a response waits for that comes too late; nil where none does.
    public var stall: (@Sendable () -> Void)?
    /// Whether it may want a pause of whoever asks.
    public var mayLimit = true
    /// From which item on every page fails; nil where none does.
    public var failsFrom: Int?

    /// What was asked of it and answered, and what its reader noted.
    public private(set) var history: [String] = []

    var generator: SeededGenerator
    var items: [Item] = []
    var now = 1_700_000_000_000
    private(set) var serial = 0
    private var lastID = 0
    /// What left it and may return, as it was.
    private var gone: [Item] = []

    let perPage: Int
    let hasTotals: Bool
    let hasNulls: Bool
    let sendsETag: Bool
    let compresses: Bool
    let mark: Mark
    let includesBorder: Bool
    /// How it serves its items in partitions; nil for one that serves them all.
    let parts: Parts?
    /// How many requests it takes at once.
    let prefetch: Int
    /// Whether requests say how many items they want, and whether it gives more than a page of them.
    let hasLimit: Bool
    let givesMore: Bool
    /// Whether an item that changes moves to its head.
    let isByChange: Bool

    /// Whether its items have members that none had before, and its definition leaves the columns open.
    public let grows: Bool
    /// The values of items of which each has a member of its own: `m2` where the value is 2.
    public static let valuesWithMember = 1...4

    /// Whether elements without a key stand where others have `null`.
    public let hasBroken: Bool

    /// The list of a seed.
    ///
    /// - Parameters:
    ///   - inPartitions: Whether it serves but the first items of a request, which has to ask for a partition.
    ///   - grows: Whether its items have members that none had before.
    public init(_ style: Style, _ mode: Mode, inPartitions: Bool = false, grows: Bool = false, seed: UInt64) {
        self.grows = grows
        self.style = style
        self.mode = mode
        var generator = SeededGenerator(seed)
        perPage = Int.random(in: 1...7, using: &generator)
        hasTotals = Bool.random(using: &generator)
        // What is found by the last element's id needs one.
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

    /// Whether a crawl may have met what could not be stored, and that sticks: only a crawl of all would tell of its end.
    public var mayLeaveOut: Bool { hasBroken && mode == .new }

    /// Whether `null` that comes to its head counts in its total: a reader of the head cannot tell it from an item that is
    /// missing, and only a crawl of all does.
    public var mayMiscount: Bool { hasNulls && hasTotals && mode == .new }

    /// Whether a reader can prove that it missed nothing: there are totals, or validators, or a place that pages go on from.
    public var isProvable: Bool {
        // Pages of one element do not overlap: they would cost twice the requests.
        sendsETag || style.goesByID || hasLimit && givesMore && perPage > 1 || saysTotal || parts != nil
    }

    /// Whether a total tells of each change, if there are never two at once.
    private var saysTotal: Bool { hasTotals && (style == .page || style == .offset) && parts == nil }

    /// Whether it serves its items in partitions only.
    public var isInPartitions: Bool { parts != nil }

    /// How many pages it has now.
    public var pageCount: Int { max((items.count + perPage - 1) / perPage, 1) }

    /// The items as the pages have them, as `id|value`.
    public var listed: [String] { ordered.filter { !$0.isNull }.map { "\($0.id)|\($0.value)" } }

    /// The ids of the items with a value.
    public func ids(withValue value: Int) -> Set<String> {
        Set(items.filter { !$0.isNull && $0.value == value }.map { "\($0.id)" })
    }

    /// The number of the last change so far.
    public var lastSerial: Int { serial }

    /// Those that nothing has happened to since the change of that number, as `id|value`.
    public func quiet(since serial: Int) -> Set<String> {
        Set(items.filter { !$0.isNull && $0.serial <= serial }.map { "\($0.id)|\($0.value)" })
    }

    /// Adds a line to the history.
    public mutating func note(_ line: String) { history.append(line) }

    /// A random number for whoever tests.
    public mutating func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    /// Changes a few items, or none.
    public mutating func move() {
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
            // What a reader of the head cannot find stays away.
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
        // What is new at the head of a list by id is all that a reader of its head can find.
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

    /// `all` promises any order, `new` what comes to the head; a list by time is in the order of time.
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
    /// Whether the place where a page begins is an item's id.
    var goesByID: Bool { self == .cursor || self == .keyset }
}
