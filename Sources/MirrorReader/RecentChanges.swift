internal import SQLite

/// A place among changes that are read backwards.
package struct ChangeMoment: Sendable, Hashable {
    /// The time of the last change that was read, as the store writes times.
    package let at: String
    /// The number of changes of that time that were read.
    package let count: Int

    package init(at: String, count: Int) {
        (self.at, self.count) = (at, count)
    }
}

/// Some changes of feeds, the newest first.
package struct RecentChanges: Sendable {
    /// The counts of a feed's changes in a day.
    package struct Counts: Sendable, Hashable {
        package fileprivate(set) var inserted = 0
        package fileprivate(set) var updated = 0
        package fileprivate(set) var returned = 0
        package fileprivate(set) var removed = 0
    }

    /// A day, as in 2026-11-21, and a feed.
    package struct DayOfFeed: Sendable, Hashable {
        package let day: String
        package let feed: String

        package init(day: String, feed: String) {
            (self.day, self.feed) = (day, feed)
        }
    }

    package fileprivate(set) var changes: [ItemChange] = []
    /// The place after them; nil if there are no older ones.
    package fileprivate(set) var next: ChangeMoment?
    /// The counts of whole days, also of changes that are not among these.
    package fileprivate(set) var counts: [DayOfFeed: Counts] = [:]

    package init() {}
}

/// Reads changes backwards: the events say which feeds changed when, and only the tables of these are read.
///
/// - Isolation: the store's.
struct BackwardReader {
    private let queries: [ChangeQuery]
    private let kinds: Set<ItemChange.Kind>
    private let limit: Int
    private let connection: Connection
    private var result = RecentChanges()

    /// https://sqlite.org/limits.html#max_compound_select
    private static let mostSources = 200
    /// No time has so many changes that a page of them begins further down.
    private static let mostCount = 1_000_000

    init(_ queries: [ChangeQuery], _ kinds: Set<ItemChange.Kind>, limit: Int, on connection: Connection) {
        (self.queries, self.kinds, self.connection) = (queries, kinds, connection)
        self.limit = min(max(limit, 1), Self.mostSources - 1)
    }

    mutating func read(before moment: ChangeMoment?) throws -> RecentChanges {
        var moment = moment
        repeat {
            result.counts = [:]
            let count = min(max(moment?.count ?? 0, 0), Self.mostCount)
            let stretch = try stretch(until: moment?.at, wanted: limit + count + 1)
            let found = try changes(of: stretch, until: moment?.at, passing: count)
            result.changes = found.changes
            // Rows that were deleted since leave a stretch without changes.
            moment =
                found.isCut
                ? found.end
                : stretch.begin.map { begin in
                    ChangeMoment(at: begin, count: found.end.flatMap { $0.at == begin ? $0.count : nil } ?? 0)
                }
        } while result.changes.isEmpty && moment != nil
        result.next = moment
        try tellReturnedApart()
        return result
    }

    private mutating func tellReturnedApart() throws {
        guard let first = result.counts.keys.map(\.day).min() else { return }
        for feed in Set(result.counts.keys.map(\.feed)) {
            for (day, count) in try connection.returnedByDay(of: feed, since: first) {
                let key = RecentChanges.DayOfFeed(day: day, feed: feed)
                guard var counts = result.counts[key] else { continue }
                counts.returned = count
                counts.updated = max(0, counts.updated &- count)
                result.counts[key] = counts
            }
        }
    }

    /// The time in which the wanted number of changes came.
    private struct Stretch {
        /// Its beginning; nil if no earlier changes are known.
        var begin: String?
        var feeds: Set<String> = []
    }

    private mutating func stretch(until end: String?, wanted: Int) throws -> Stretch {
        let names = Set(queries.map(\.feed))
        var stretch = Stretch()
        var count = 0
        let isOfFeed = queries.count == 1 ? "\(ListTables.isOf(try SQL.string(queries[0].feed))) AND" : ""
        let statement = try connection.prepare(
            """
            SELECT at, feed, inserted, updated, removed FROM event
            WHERE \(isOfFeed) (inserted > 0 OR updated > 0 OR removed > 0)
                AND substr(at, 1, 10) <= \(try SQL.string(String((end ?? Self.endOfTime).prefix(10))))
            ORDER BY id DESC
            """)
        while try statement.step() {
            let at = statement.text(at: 0) ?? ""
            let name = statement.text(at: 1) ?? ""
            let feed = FeedPart.feed(ofPart: name) ?? name
            guard names.contains(feed) else { continue }
            let counts = (statement.count(at: 2), statement.count(at: 3), statement.count(at: 4))
            let isOver = stretch.begin.map { at.prefix(10) < $0.prefix(10) } ?? false
            if isOver { break }
            add(counts, to: RecentChanges.DayOfFeed(day: String(at.prefix(10)), feed: feed))
            // Other feeds' changes of the same time belong to it, too.
            guard stretch.begin.map({ $0 == at }) ?? true, end.map({ at <= $0 }) ?? true else { continue }
            let wantedHere = wantedCount(counts)
            guard wantedHere > 0 else { continue }
            stretch.feeds.insert(feed)
            count = min(count + wantedHere, wanted)
            if count >= wanted || stretch.feeds.count >= Self.mostSources { stretch.begin = at }
        }
        return stretch
    }

    private mutating func add(_ counts: (Int, Int, Int), to key: RecentChanges.DayOfFeed) {
        var sum = result.counts[key] ?? RecentChanges.Counts()
        sum.inserted &+= counts.0
        sum.updated &+= counts.1
        sum.removed &+= counts.2
        result.counts[key] = sum
    }

    private func wantedCount(_ counts: (Int, Int, Int)) -> Int {
        let most = Self.mostCount
        return (kinds.contains(.new) ? min(max(counts.0, 0), most) : 0)
            + (kinds.isDisjoint(with: [.changed, .returned]) ? 0 : min(max(counts.1, 0), most))
            + (kinds.contains(.removed) ? min(max(counts.2, 0), most) : 0)
    }

    /// Changes of a stretch that are read together.
    private struct Found {
        private(set) var changes: [ItemChange] = []
        /// The place after those that were passed over or taken.
        private(set) var end: ChangeMoment?
        /// True if others of the stretch were left.
        var isCut = false
        private var byteCount = 0

        /// True if it takes no further change, because changes of large items are many bytes.
        func isFull(_ limit: Int) -> Bool {
            changes.count >= limit || byteCount >= ItemQuery.mostBytesOfAnswer
        }

        mutating func pass(_ at: String) {
            end = ChangeMoment(at: at, count: end.flatMap { $0.at == at ? $0.count + 1 : nil } ?? 1)
        }

        mutating func take(_ change: ItemChange) {
            pass(change.at)
            changes.append(change)
            byteCount += change.byteCount
        }
    }

    /// - Parameter passed: The number of changes to pass over, which earlier pages had.
    private func changes(of stretch: Stretch, until end: String?, passing passed: Int) throws -> Found {
        var found = Found()
        let count = limit + passed + 1
        let sources = try queries.filter { stretch.feeds.contains($0.feed) }.compactMap {
            try ChangeSource($0, on: connection)
        }
        guard !sources.isEmpty else { return found }
        let words = (
            begin: try SQL.string(stretch.begin ?? ""), end: try SQL.string(end ?? Self.endOfTime),
            kinds: try kinds.map { try SQL.string($0.rawValue) }.sorted().joined(separator: ", ")
        )
        var terms: [String] = []
        for (index, source) in sources.enumerated() {
            terms.append(
                """
                SELECT * FROM (SELECT at, 0, id, \(index), run, kind, key, before, NULL, 0, 0 FROM _change
                    WHERE feed = \(try SQL.string(source.query.feed)) AND kind IN (\(words.kinds))
                        AND at >= \(words.begin) AND at <= \(words.end) ORDER BY id DESC LIMIT \(count))
                """)
            guard kinds.contains(.new) else { continue }
            // Two pages that were stored at one time have one row here.
            terms.append(
                """
                SELECT * FROM (SELECT t._first_seen_at, 1, e.id, \(index), e.run, 'new', NULL, NULL, t._rowid_, t._position,
                        t._generation
                    FROM \(source.table) t JOIN (SELECT at, max(id) AS id, max(run) AS run FROM event
                        WHERE \(source.isOfFeed) AND inserted > 0 AND at >= \(words.begin) AND at <= \(words.end) GROUP BY at
                    ) e ON e.at = t._first_seen_at
                    ORDER BY t._first_seen_at DESC, t._generation DESC, t._position LIMIT \(count))
                """)
        }
        let statement = try connection.prepare(
            "SELECT * FROM (\(terms.joined(separator: "\nUNION ALL\n"))) ORDER BY 1 DESC, 4, 2, 3 DESC, 11 DESC, 10 LIMIT \(count)"
        )
        var left = passed
        while try statement.step() {
            guard left == 0 else {
                found.pass(statement.text(at: 0) ?? "")
                left -= 1
                continue
            }
            guard !found.isFull(limit) else {
                found.isCut = true
                break
            }
            if let change = try sources[Int(clamping: statement.int64(at: 3))].change(statement) { found.take(change) }
        }
        return found
    }

    private static let endOfTime = "9999-12-31T23:59:59.999Z"
}

extension ItemChange {
    /// The number of bytes of its values, or about as many.
    fileprivate var byteCount: Int {
        func count(_ values: some Sequence<String>) -> Int { values.reduce(0) { $0 + $1.utf8.count } }
        // The values after a change are those of the item, mostly.
        let now = max(count(after.lazy.map(\.json)), count(item.values))
        return count(before.lazy.map(\.json)) + now + (title?.utf8.count ?? 0)
    }
}
