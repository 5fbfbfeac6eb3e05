/// The pages that a run has read, and since when each has had the same items.
///
/// An item that stood between two pages may pass from one to the other while they are requested one after the other:
/// neither shows it, although it is there. So one of the two has to be the same before and after the other was read.
package struct PageReads: Sendable {
    /// The reads of a page. Times are counts of pages.
    private struct Reads {
        /// The hash of the keys of its items.
        var keys: Int
        /// The time of the first of the reads in a row that showed these keys; 0 if an earlier run read them, too.
        var since: Int
        var last: Int
    }

    private var pages: [Int: Reads] = [:]
    private var time = 0

    package init() {}

    /// Records that a page was read.
    ///
    /// - Parameters:
    ///   - page: The identity of its request.
    ///   - keys: The keys of its items; nil if they are the stored ones.
    ///   - stored: The keys that an earlier read had stored; nil if there was none.
    ///   - isInSequence: False if the page may have been requested before the page that was recorded last.
    /// - Returns: True if the run had read the page before with other items.
    @discardableResult
    package mutating func note(
        _ page: some Hashable, keys: String?, stored: String?, isInSequence: Bool = true
    ) -> Bool {
        if isInSequence || time == 0 { time += 1 }
        let keys = (keys ?? stored ?? "[]").hashValue
        let before = pages[page.hashValue]
        var reads =
            before
            ?? Reads(keys: stored?.hashValue ?? keys, since: stored == nil ? time : 0, last: time)
        let hasChanged = reads.keys != keys
        if hasChanged { (reads.keys, reads.since) = (keys, time) }
        reads.last = time
        pages[page.hashValue] = reads
        return hasChanged && before != nil
    }

    /// True if the reads show that no item passed from one of two pages to the other.
    package func areSteady(_ one: some Hashable, _ other: some Hashable) -> Bool {
        guard let one = pages[one.hashValue], let other = pages[other.hashValue] else { return false }
        let surrounds = { (outer: Reads, inner: Reads) in outer.since < inner.last && inner.last < outer.last }
        return surrounds(one, other) || surrounds(other, one)
    }
}
