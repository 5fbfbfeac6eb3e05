import Crawling
import Testing

/// A stored list and a page of it, without a store: the results for each item's row.
@Suite("The effect of a page on the rows")
struct PageRulesTests {
    /// An item of a page: its key and its content.
    private struct Item {
        var key: Int
        var isSame = true
        var section: String?
        var isGone = false
    }

    /// A store in memory, which follows the rules.
    private struct Table {
        var rows: [Int: (place: Place, section: String?, isRemoved: Bool)] = [:]
        var written: [String] = []

        func row(_ item: Item) -> PageRules.Row? {
            rows[item.key].map {
                PageRules.Row(
                    id: Int64(item.key), place: $0.place, section: $0.section, isRemoved: $0.isRemoved,
                    isSame: item.isSame)
            }
        }

        mutating func put(_ key: Int64, at place: Place, _ section: String?, _ verb: String) {
            rows[Int(key)] = (place, section, false)
            written.append("\(verb) \(key) to \(place.generation).\(place.position)")
        }

        mutating func becomeMoved(_ rules: inout PageRules) {
            guard !rules.isMoved else { return }
            rules.becomeMoved()
            for (row, place) in rules.placeKept() { put(row.id, at: place, row.section, "move") }
        }

        mutating func write(_ item: Item, _ rules: inout PageRules) {
            if item.isGone {
                guard rules.meetGone(row(item)) else { return }
                rows[item.key]?.isRemoved = true
                written.append("remove \(item.key)")
                return
            }
            guard let row = row(item) else {
                if rules.meetNothing() { becomeMoved(&rules) }
                put(Int64(item.key), at: rules.nextPlace, item.section, "insert")
                rules.tried(isInserted: true, item.section)
                return
            }
            var change = rules.meet(row, section: .some(item.section))
            if change == .becomeMoved {
                becomeMoved(&rules)
                change = rules.rewrite(self.row(item) ?? row, section: .some(item.section))
            }
            switch change {
            case .none, .becomeMoved: break
            case .update(let place, let section): put(Int64(item.key), at: place, section, "update")
            case .move(let place, let section): put(Int64(item.key), at: place, section, "move")
            }
        }
    }

    /// A stored list of generation 1 with these keys, in order.
    private static func list(_ keys: Int...) -> Table {
        var table = Table()
        for (position, key) in keys.enumerated() {
            table.rows[key] = (Place(generation: 1, position: Int64(position)), nil, false)
        }
        return table
    }

    /// Reads a first page.
    private static func read(
        _ items: [Item], _ table: inout Table, updatesInPlace: Bool = false, crawl: CrawlState = CrawlState(id: 2),
        direction: PageDirection = .header
    ) -> PageRules {
        var rules = PageRules(generation: 1, crawl: crawl, direction: direction, updatesInPlace: updatesInPlace)
        for item in items { table.write(item, &rules) }
        rules.end()
        return rules
    }

    @Test("A page that is stored as it came writes nothing")
    func same() {
        var table = Self.list(4, 3, 2, 1)
        let rules = Self.read([Item(key: 4), Item(key: 3)], &table)
        #expect(table.written.isEmpty)
        #expect(rules.isUnchanged)
        #expect(rules.items.unchanged == 2)
        #expect(rules.crawl.generation == nil)
        #expect(rules.crawl.lastPlace == Place(generation: 1, position: 1))
    }

    @Test("A new item at the head makes the crawl one that writes: the rows behind it get places in its generation")
    func newHead() {
        var table = Self.list(3, 2, 1)
        let rules = Self.read([Item(key: 4), Item(key: 3), Item(key: 2)], &table)
        #expect(table.written == ["insert 4 to 2.0", "move 3 to 2.1", "move 2 to 2.2"])
        #expect(rules.items.inserted == 1)
        #expect(rules.items.unchanged == 2)
        #expect(rules.added == 1)
        #expect(rules.newest == 2)
        // Nothing can lie between the new ones and what was stored.
        #expect(rules.gainedAbove()?.first == Place(generation: 1, position: 0))
    }

    @Test("A second item that moved takes the first one with it")
    func movedBehindKept() {
        var table = Self.list(3, 2, 1)
        let rules = Self.read([Item(key: 3), Item(key: 1), Item(key: 2)], &table)
        #expect(table.written == ["move 3 to 2.0", "move 1 to 2.1", "move 2 to 2.2"])
        #expect(!rules.isUnchanged)
        #expect(rules.items.unchanged == 3)
    }

    @Test(
        "New content in its old place moves nothing, where the crawl goes to the end anyway", arguments: [true, false])
    func update(inPlace: Bool) {
        var table = Self.list(3, 2, 1)
        let rules = Self.read(
            [Item(key: 3), Item(key: 2, isSame: false)], &table, updatesInPlace: inPlace)
        #expect(table.written == (inPlace ? ["update 2 to 1.1"] : ["move 3 to 2.0", "update 2 to 2.1"]))
        #expect(rules.items.updated == 1)
        #expect(rules.crawl.generation == (inPlace ? nil : 2))
    }

    @Test("An item that says that it is gone marks its row; one that was never stored leaves none")
    func gone() {
        var table = Self.list(3, 2, 1)
        let rules = Self.read([Item(key: 3), Item(key: 2, isGone: true), Item(key: 9, isGone: true)], &table)
        #expect(table.written == ["remove 2"])
        #expect(rules.items.removed == 1)
        #expect(rules.added == -1)
    }

    @Test("A removed row whose item comes again returns, and counts as changed")
    func returned() {
        var table = Self.list(3, 2, 1)
        table.rows[2]?.isRemoved = true
        let rules = Self.read([Item(key: 3), Item(key: 2)], &table)
        #expect(table.written == ["move 3 to 2.0", "move 2 to 2.1"])
        #expect(rules.added == 1)
        #expect(rules.items.updated == 1 && rules.items.unchanged == 1)
        #expect(table.rows[2]?.isRemoved == false)
    }

    @Test("An item that changes its section leaves one and joins the other")
    func sections() {
        var table = Self.list(2, 1)
        let rules = Self.read([Item(key: 2, section: "new"), Item(key: 1)], &table)
        #expect(rules.sections.changes["new"]?.count == 1)
        #expect(rules.sections.changes[nil]?.count == -1)
    }

    @Test("A further page that shows an item of the page before keeps its place and counts it as a repeat")
    func repeated() {
        var table = Self.list()
        let first = Self.read([Item(key: 4), Item(key: 3)], &table)
        let second = Self.read([Item(key: 3), Item(key: 2)], &table, crawl: first.crawl, direction: .footer)
        #expect(table.rows[3]?.place == Place(generation: 2, position: 1))
        #expect(table.rows[2]?.place == Place(generation: 2, position: 2))
        #expect(second.repeats == 1)
        #expect(!second.isOutOfOrder)
    }

    @Test("An unchanged page stays where it is at the head, and moves behind rows that came before it")
    func wholePage() {
        let place = Place(generation: 1, position: 0)
        var head = PageRules(generation: 1, crawl: CrawlState(id: 2), direction: .header, updatesInPlace: false)
        let headMoves = head.meetPage(at: place, placed: 2)
        #expect(!headMoves)
        head.place(pageFrom: place, at: place, placed: 2)
        #expect(head.isUnchanged)
        #expect(head.crawl.lastPlace == Place(generation: 1, position: 1))

        var crawl = CrawlState(id: 2)
        crawl.generation = 2
        crawl.position = 5
        crawl.lastPlace = Place(generation: 2, position: 4)
        var behind = PageRules(generation: 2, crawl: crawl, direction: .footer, updatesInPlace: false)
        let behindMoves = behind.meetPage(at: place, placed: 2)
        #expect(!behindMoves)
        var other = CrawlState(id: 2)
        other.lastPlace = Place(generation: 1, position: 4)
        var before = PageRules(generation: 1, crawl: other, direction: .footer, updatesInPlace: false)
        let beforeMoves = before.meetPage(at: place, placed: 2)
        #expect(beforeMoves)
    }
}
