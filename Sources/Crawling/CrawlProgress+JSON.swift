/// The JSON of `_feed.ranges`.
extension CrawlProgress {
    /// The progress as JSON; nil if it is empty.
    package var json: String? {
        guard self != CrawlProgress() else { return nil }
        var object = JSONObjectText()
        if !synced.isEmpty { object.add("synced", json: synced.json) }
        if let round {
            object.add("round", Int(round.id))
            object.add("mode", round.mode.rawValue)
            object.add("ranges", json: round.ranges.json)
            if round.mayHaveMissedItems { object.add("doubtful", true) }
        }
        if let suspectEnd {
            object.add("suspect_end", suspectEnd.met)
            if let first = suspectEnd.firstMissing {
                object.add("suspect_first", json: JSONText.array([first.generation, first.position]))
            }
            if let doubt = suspectEnd.doubt { object.add("suspect_doubt", doubt.rawValue) }
        }
        if !lostCursors.isEmpty {
            let cursors = lostCursors.map { JSONText.string($0.text) }
            object.add("lost_cursors", json: "[\(cursors.joined(separator: ","))]")
        }
        if let checkedEnd { object.add("checked_end", checkedEnd.text) }
        if hasUncheckedEnd { object.add("unchecked_end", true) }
        if wasNotFound { object.add("not_found", true) }
        if let driftKeys { object.add("drift_keys", driftKeys) }
        if otherElements > 0 { object.add("other_elements", otherElements) }
        if let fullPages { object.add("full_pages", fullPages) }
        if totalIsOfPage { object.add("total_of_page", true) }
        if let reached { object.add("reached", reached) }
        if let unprovedRun { object.add("unproved_run", Int(unprovedRun)) }
        if isFullVerified { object.add("full_verified", true) }
        if !counts.isEmpty { object.add("counts", json: counts.json) }
        if let firstPartition { object.add("first_partition", firstPartition) }
        if let walk {
            object.add("walk", Int(walk.next))
            if walk.isFull { object.add("walk_full", true) }
            if let reason = walk.missed { object.add("walk_missed", reason.rawValue) }
        }
        return object.text
    }

    /// Reads the output of `json`. Unreadable members are left out.
    package init(json: String?) {
        self.init()
        guard let json, case .object(let members)? = try? JSONValue(parsing: json) else { return }
        synced = SyncedRanges(members["synced"])
        if let id = members["round"]?.id, let mode = members["mode"]?.text.flatMap(CrawlMode.init) {
            round = Round(
                id: id, mode: mode, ranges: SyncedRanges(members["ranges"]),
                mayHaveMissedItems: members["doubtful"] == .bool(true))
        }
        suspectEnd = members["suspect_end"]?.integer.map { EarlyEnd(met: max(Int(clamping: $0), 0)) }
        if let place = members["suspect_first"]?.integers, place.count == 2 {
            suspectEnd?.firstMissing = Place(generation: place[0], position: place[1])
        }
        suspectEnd?.doubt = members["suspect_doubt"]?.text.flatMap(Completeness.BehindEnd.Doubt.init)
        if case .array(let cursors)? = members["lost_cursors"] {
            lostCursors = cursors.compactMap { $0.text.map(PageCursor.init) }
        }
        checkedEnd = members["checked_end"]?.text.map(PageCursor.init)
        hasUncheckedEnd = members["unchecked_end"] == .bool(true)
        wasNotFound = members["not_found"] == .bool(true)
        driftKeys = members["drift_keys"]?.text
        otherElements = members["other_elements"]?.integer.map { max(Int(clamping: $0), 0) } ?? 0
        fullPages = members["full_pages"]?.integer.map { Int($0) }
        totalIsOfPage = members["total_of_page"] == .bool(true)
        reached = members["reached"]?.text
        unprovedRun = members["unproved_run"]?.id
        isFullVerified = members["full_verified"] == .bool(true)
        counts = ListCounts(members["counts"])
        firstPartition = members["first_partition"]?.text
        if let next = members["walk"]?.integer, Timestamp.text(ofSecond: next) != nil {
            walk = WindowWalk(
                next: next, isFull: members["walk_full"] == .bool(true),
                missed: members["walk_missed"]?.text.flatMap(IncompleteReason.init))
        }
    }
}

extension SyncedRanges {
    fileprivate var json: String { "[\(ranges.map(\.json).joined(separator: ","))]" }

    fileprivate init(_ value: JSONValue?) {
        guard case .array(let elements)? = value else {
            self.init()
            return
        }
        self.init(ranges: elements.compactMap(SyncedRange.init))
    }
}

extension SyncedRange {
    fileprivate var json: String {
        var object = JSONObjectText()
        object.add("crawls", json: JSONText.array(crawls))
        object.add("generations", json: JSONText.array(generations.sorted()))
        if let first { object.add("first", json: JSONText.array([first.generation, first.position])) }
        switch end {
        case .open(let cursor): object.add("next", cursor.text)
        case .last(let reason): if let reason { object.add("reason", reason.rawValue) }
        }
        if isVerified { object.add("verified", true) }
        if !loosePages.isEmpty { object.add("loose", json: "[\(loosePages.map { "\($0)" }.joined(separator: ","))]") }
        if failures > 0 { object.add("failures", failures) }
        if growsAtEnd { object.add("grows_at_end", true) }
        if isLost { object.add("lost", true) }
        return object.text
    }

    fileprivate init?(_ value: JSONValue) {
        guard case .object(let members) = value else { return nil }
        let crawls = members["crawls"]?.ids ?? []
        guard !crawls.isEmpty else { return nil }
        let end: End =
            members["next"]?.text.map { .open(PageCursor($0)) }
            ?? .last(members["reason"]?.text.flatMap(IncompleteReason.init))
        self.init(crawls: crawls, generations: Set(members["generations"]?.integers ?? []), first: nil, end: end)
        if let place = members["first"]?.integers, place.count == 2 {
            first = Place(generation: place[0], position: place[1])
        }
        isVerified = members["verified"] == .bool(true)
        loosePages = members["loose"]?.integers.map { Int(clamping: $0) } ?? []
        growsAtEnd = members["grows_at_end"] == .bool(true)
        isLost = members["lost"] == .bool(true)
        failures = members["failures"]?.integer.map { Int(clamping: $0) } ?? 0
    }
}

extension JSONValue {
    /// The number, if it is a whole number of 53 bits.
    var integer: Int64? {
        guard case .number(let digits) = self, let number = Int64(digits), number.magnitude < 1 << 53 else {
            return nil
        }
        return number
    }

    /// The id of a crawl. A worker's ids have the number of its block in their upper bits; no arithmetic is done with
    /// them.
    fileprivate var id: Int64? { if case .number(let digits) = self { Int64(digits) } else { nil } }

    fileprivate var ids: [Int64] { (elements ?? []).compactMap(\.id) }

    fileprivate var integers: [Int64] { (elements ?? []).compactMap(\.integer) }
}
