package import JSON

/// A way in which feeds have pages. Pure: it makes no request and keeps nothing between pages.
///
/// A style is one file that conforms to this, with a reader of its members and a line in `Paginators`.
package protocol Paginator: Sendable {
    /// The style's word in the configuration.
    static var name: String { get }

    /// The style and its members on one line, equal for equal styles.
    var canonicalText: String { get }

    /// The kind of its page cursors.
    var cursorKind: PageCursorKind { get }

    /// The paths that the decoder must pick from each body, for `PaginationInput.values`.
    var bodyPaths: [Path] { get }

    /// The paths that the decoder must pick from each item, for `PaginationInput.lastItemValues`.
    var itemPaths: [Path] { get }

    /// True if a header, or the absence of one, may mean the end. A 304 may leave out any header, so such a page is never
    /// requested conditionally.
    var endsByAbsence: Bool { get }

    /// True if it computes the next page itself, and may request one that does not exist: a client error is the end
    /// then, as in `ResponseDisposition`.
    var mayAskBeyondEnd: Bool { get }

    /// True if items move from page to page as others are added and removed, so that a crawl may miss one.
    var isShifting: Bool { get }

    /// The flags in its bodies that say whether there is a further page.
    var flags: MoreFlag { get }

    /// The place of the number of elements in its bodies; nil if they do not state it.
    var total: StatedTotal? { get }

    /// The elements in front of the first page, which totals count.
    var passedOver: Int { get }

    /// The number of elements of a page, if it can be requested together with the last element of the previous page;
    /// nil otherwise.
    var overlappingSize: Int? { get }

    /// The page of the list that a page cursor asks for, from 1; nil if it is unknown.
    func number(of cursor: PageCursor?) -> Int?

    /// The number of elements between two positions in the list, if page cursors contain it; nil otherwise.
    ///
    /// - Parameter from: The position of a page; nil for the first one.
    func elementCount(from start: PageCursor?, to end: PageCursor) -> Int?

    /// The advice, in a message, for a feed whose query has one of `cursorParameters`.
    var firstPageAdvice: String { get }

    /// The query parameters that say which page; a feed's query must not have them.
    var cursorParameters: [String] { get }

    /// The request for a page.
    ///
    /// - Parameters:
    ///   - cursor: The page's cursor; nil for the first page.
    ///   - base: The feed's own request.
    /// - Throws: `PagingError` if the page cursor is none of this style's.
    func request(for cursor: PageCursor?, base: PageRequest) throws(PagingError) -> PageRequest

    /// The page cursor after another one, if it is known without the page; nil otherwise.
    func predicted(after cursor: PageCursor?) -> PageCursor?

    /// The number of simultaneous requests of a feed, from 1. It is not part of `canonicalText`: the pages are the
    /// same.
    var prefetch: Int { get }

    /// The page cursors after the next one that are known before its page has arrived: in order, at most `prefetch`,
    /// and one less if the upstream does not state which page is the last; none after that.
    ///
    /// - Parameters:
    ///   - next: The cursor from `next(after:)`.
    ///   - page: The page received.
    ///   - total: The number of elements, as far as it is known.
    func predicted(behind next: PageCursor, after page: PaginationInput, total: Int?) -> [PageCursor]

    /// The continuation after a page.
    ///
    /// - Throws: `PagingError` if the page cannot be followed.
    func next(after page: PaginationInput) throws(PagingError) -> NextPage
}

/// The kinds of page cursors, by what tells the next one.
package enum PageCursorKind: Sendable, Hashable {
    /// A number that the paginator computes.
    case number
    /// An address that the upstream gives.
    case address
    /// A value from the page.
    case token
    /// None: the feed has one page.
    case none
    /// Still to be found.
    case open
}

extension Paginator {
    /// A value from the page.
    package var cursorKind: PageCursorKind { .token }

    /// The paths of `more`, `last` and `total`, where given.
    package var bodyPaths: [Path] { flags.bodyPaths + (total?.bodyPaths ?? []) }

    /// Nothing.
    package var itemPaths: [Path] { [] }

    /// True if pages continue behind values of an item. Several items may have the same ones.
    package var continuesBehindValues: Bool { !itemPaths.isEmpty }

    /// False: the body says all.
    package var endsByAbsence: Bool { false }

    /// False: the upstream names the next page, and an error in answer to it is an error.
    package var mayAskBeyondEnd: Bool { false }

    /// False: each page continues after the previous one.
    package var isShifting: Bool { false }

    /// None.
    package var flags: MoreFlag { MoreFlag() }

    /// Nil.
    package var total: StatedTotal? { nil }

    /// True if its pages state the number of elements.
    package var hasTotal: Bool { total != nil }

    /// A page's continuation, with the number of elements that the page states.
    func withTotal(_ next: NextPage, after page: PaginationInput) -> NextPage {
        total?.added(to: next, after: page, of: self) ?? next
    }

    /// None.
    package var passedOver: Int { 0 }

    /// None.
    package var overlappingSize: Int? { nil }

    /// 1 for the first page; of others it is not known.
    package func number(of cursor: PageCursor?) -> Int? { cursor == nil ? 1 : nil }

    /// Not known.
    package func elementCount(from start: PageCursor?, to end: PageCursor) -> Int? { nil }

    /// None.
    package var cursorParameters: [String] { [] }

    /// Nil: the next page is known only from the page.
    package func predicted(after cursor: PageCursor?) -> PageCursor? { nil }

    /// 1: one after the other.
    package var prefetch: Int { 1 }

    /// None.
    package func predicted(behind next: PageCursor, after page: PaginationInput, total: Int?) -> [PageCursor] { [] }

    /// To leave it out.
    package var firstPageAdvice: String { "leave it out: the first page is requested without it" }
}

/// A paginator whose pages say themselves where they lead, such as by a token or a URL.
package protocol LedPaginator: Paginator {
    /// The number of elements to ask for; nil for what the upstream sends.
    var size: PageSize? { get }

    /// The continuation after a page without a flag for the end.
    ///
    /// - Throws: `PagingError` if the page cannot be followed.
    func lead(after page: PaginationInput) throws(PagingError) -> NextPage
}

extension LedPaginator {
    /// The members that all have, as the canonical text has them.
    var memberText: String {
        flags.canonicalText + (total.map { " \($0.canonicalText)" } ?? "")
            + (size.map { " \($0.canonicalText)" } ?? "")
    }

    /// The end at a flag for it, or the page's own lead.
    package func next(after page: PaginationInput) throws(PagingError) -> NextPage {
        let isOver = flags.says(page, of: self) == false
        return withTotal(isOver ? .end(isStated: true) : try lead(after: page), after: page)
    }
}

/// A page that cannot be requested or followed.
package struct PagingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The fault, in a sentence.
    package let problem: String

    /// A failure of this kind.
    package init(_ problem: String) {
        self.problem = problem
    }

    /// The same as `problem`.
    package var description: String { problem }
}
