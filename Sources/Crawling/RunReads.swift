/// The pages of a list that a run has read. Pages that an earlier run read prove nothing about the crawl.
package struct RunReads: Sendable {
    /// The first page that the run read of each crawl. All later pages of the crawl are the run's, too.
    private var first: [Int64: Int] = [:]
    /// The pages of earlier runs that the run requested again.
    package private(set) var again: Set<PageOfCrawl> = []
    /// The pages at the end of the list that the run read, set once it has read the last one.
    package private(set) var tail: Set<PageOfCrawl> = []
    /// The pages that a full crawl read in the run.
    private var reads = PageReads()
    /// The keys of items that left a page after the run had read them there, or that an earlier run met there and on
    /// another page: the place of such an item may be that of the other page.
    package private(set) var movedKeys: Set<String> = []
    /// The answer to the request for the page to which the list led on before; nil if it was not requested.
    package var behindEnd: Completeness.BehindEnd?
    /// True if only a count ends the list, and the page behind it could not be read.
    package var hasUncheckedEnd = false
    /// The keys on the first page of the list as the run read it, as a JSON array; nil if it did not.
    package var headKeys: String?
    /// True if the last page of the list was stored before, with no more elements than now.
    package var endsAsLong = false

    package init() {}

    /// True if the run read the page or requested it again.
    package func has(_ page: PageOfCrawl) -> Bool {
        again.contains(page) || first[page.crawl].map { page.number >= $0 } ?? false
    }

    /// Records the next page of a crawl.
    package mutating func read(_ page: PageOfCrawl) {
        first[page.crawl] = min(first[page.crawl] ?? page.number, page.number)
    }

    /// Records a page of an earlier run that was requested again and shows the present items.
    package mutating func readAgain(_ page: PageOfCrawl) { again.insert(page) }

    /// Records that the last page of the list was read.
    ///
    /// - Parameter list: The pages of the list, in its order.
    package mutating func reachEnd(of list: [PageOfCrawl]) { tail = Set(list.reversed().prefix(while: has)) }

    /// Records the items of a page, and those that left it since the run read it before.
    ///
    /// - Parameters:
    ///   - request: The identity of the page's request.
    ///   - keys: The keys on the page, as a JSON array; nil if they are the stored ones.
    ///   - stored: The keys on the page as stored before; nil if it was not.
    ///   - hadRepeats: True if an item of these was on another page of the crawl, too.
    ///   - isInSequence: False if the page may have been requested before the page that was recorded last.
    package mutating func note(
        _ request: some Hashable, keys: String?, stored: String?, hadRepeats: Bool = false, isInSequence: Bool = true
    ) {
        let isAnother = reads.note(request, keys: keys, stored: stored, isInSequence: isInSequence)
        guard isAnother || hadRepeats, let keys, let stored else { return }
        movedKeys.formUnion(Set(PageKeys.texts(stored)).subtracting(PageKeys.texts(keys)))
    }

    /// True if the reads show that no item passed from one of two pages to the other.
    ///
    /// - Parameter requests: The identities of the pages' requests.
    package func areSteady(_ one: some Hashable, _ other: some Hashable) -> Bool { reads.areSteady(one, other) }
}
