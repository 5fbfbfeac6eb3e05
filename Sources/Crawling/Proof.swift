/// A page of one of the crawls that make up a list, by its number from 1.
package struct PageOfCrawl: Sendable, Hashable {
    package let crawl: Int64
    package let number: Int

    package init(crawl: Int64, number: Int) {
        self.crawl = crawl
        self.number = number
    }
}

/// What a crawl that reached the end of the list has seen on the way.
package struct CrawlFacts: Sendable, Hashable {
    /// The different items that it met, those that could not be stored among them.
    package var met = 0
    /// The items that the upstream says there are; nil where it does not say.
    package var total: Int?
    /// Whether every page said how many there are.
    package var hasTotals = false
    /// Whether that figure was another one on some page.
    package var hasTotalMoved = false
    /// Whether an item came again further down than new items above it explain. It moved, and the item that took its
    /// place may have been missed; the total stays the same.
    package var hasMovedDown = false
    /// Whether items came again on a later page.
    package var hasRepeats = false
    /// Whether each token has the number of items before its page in it.
    package var cursorsCount = false
    /// Whether each page showed the last item of the page before.
    package var overlaps = false
    /// Whether nothing of the list was stored before the crawl, or some page of it is not as it was.
    package var isFirst = false
    /// How many pages the list has, as far as this crawl read it.
    package var pageCount = 0
    /// Those that were not asked for again, in the order of the list. The last one is among them: only it shows that
    /// nothing went from above it and came again between two of the others.
    package var pages: [PageOfCrawl] = []
    /// Whether the upstream sends validators, so that most of them can be asked for conditionally.
    package var haveValidators = false
    /// Whether each page was asked for when the one before had come. Else a total that falls on one page may stand on
    /// another one that came first.
    package var isInSequence = true
    /// Whether it is not known how the list goes on behind its first page, if it does.
    var isOpen = false

    package init(
        met: Int = 0, total: Int? = nil, hasTotals: Bool = false, hasTotalMoved: Bool = false,
        hasMovedDown: Bool = false, hasRepeats: Bool = false, cursorsCount: Bool = false, overlaps: Bool = false,
        isFirst: Bool = false,
        pageCount: Int = 0, pages: [PageOfCrawl] = [], haveValidators: Bool = false,
        isInSequence: Bool = true
    ) {
        self.met = met
        self.total = total
        self.hasTotals = hasTotals
        self.hasTotalMoved = hasTotalMoved
        self.hasMovedDown = hasMovedDown
        self.hasRepeats = hasRepeats
        self.cursorsCount = cursorsCount
        self.overlaps = overlaps
        self.isFirst = isFirst
        self.pageCount = pageCount
        self.pages = pages
        self.haveValidators = haveValidators
        self.isInSequence = isInSequence
    }
}

/// How to prove that a crawl missed nothing.
///
/// The costs and what each proof misses were counted in simulated histories of lists that move while they are read.
///
/// | the pages | proof | requests |
/// | --- | --- | --- |
/// | are one, behind which no way on was found | none | 0 |
/// | overlap by one item (`offset`) | the head again | 1 |
/// | say a total, which never moved and which was met | given | 0 |
/// | say a total that moved, one page after the other; a page back where it fell | the head again | 1 |
/// | go on behind an item (`cursor`, `keyset`) | the head again | 1 |
/// | shift, and have validators; also with totals, where an item moved down | each page again | one 304 a page |
/// | shift, and have none | none; the head again finds what is new | 1 |
enum Proof: Sendable, Hashable {
    /// Nothing is asked, and nothing is proved.
    case none
    /// The pages themselves are the proof.
    case given
    /// The first page again, and further ones up to one that is as it was; `proves` is false where that is not enough.
    case head(proves: Bool)
    /// Every page again.
    case pages

    /// The proof for a crawl.
    ///
    /// - Parameters:
    ///   - isShifting: Whether items move from page to page as others come and go.
    ///   - isPartitioned: Whether the list is requested in partitions, whose totals are their own.
    init(_ rule: VerifyRule, isShifting: Bool, isPartitioned: Bool, _ facts: CrawlFacts) {
        let totalsTell = facts.hasTotals && !isPartitioned && !facts.hasMovedDown
        self =
            switch rule {
            case .never: .none
            case _ where facts.isOpen: .none
            case .always: .pages
            case .auto where facts.pageCount < 2 && !isPartitioned: .given
            case .auto where !isShifting && !isPartitioned: .head(proves: true)
            case .auto where facts.overlaps: .head(proves: true)
            case .auto where totalsTell && !facts.hasTotalMoved && facts.total == facts.met: .given
            case .auto where totalsTell && facts.isInSequence: .head(proves: true)
            case .auto where facts.haveValidators || isPartitioned: .pages
            case .auto: .head(proves: false)
            }
    }
}
