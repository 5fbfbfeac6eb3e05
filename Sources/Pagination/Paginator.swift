package import JSON

/// A way in which feeds have pages. Pure: it makes no request and keeps nothing between pages.
///
/// A style is one file that conforms to this, with a reader of its members and a line in `Paginators`.
package protocol Paginator: Sendable {
    /// The style's word in the configuration.
    static var name: String { get }

    /// The style and its members on one line, equal for equal styles.
    var canonicalText: String { get }

    /// What the decoder must pick from each body, for `PaginationInput.values`.
    var bodyPaths: [Path] { get }

    /// What the decoder must pick from each item, for `PaginationInput.lastItemValues`.
    var itemPaths: [Path] { get }

    /// Whether it may be the end that a header is absent, which a 304 cannot tell: such a page is never asked for
    /// conditionally.
    var endsByAbsence: Bool { get }

    /// Whether it works out by itself which page comes next, and so may ask for one that is not there: an error of the
    /// client's is the end then, as `ResponseDisposition` says.
    var mayAskBeyondEnd: Bool { get }

    /// Whether items move from page to page as others come and go, so that one may pass a crawl unseen.
    var isShifting: Bool { get }

    /// Whether its pages say how many elements there are.
    var hasTotal: Bool { get }

    /// How many elements a page has, where it can be asked for together with the last element of the page before; nil
    /// where it cannot.
    var overlappingSize: Int? { get }

    /// Which page of the list a page cursor asks for, from 1; nil where that is not known.
    func number(of cursor: PageCursor?) -> Int?

    /// How many elements lie between two places in the list, where page cursors say that; nil where they do not.
    ///
    /// - Parameter from: The place of a page; nil for the first one.
    func elementCount(from start: PageCursor?, to end: PageCursor) -> Int?

    /// What to do about a feed whose query has one of `cursorParameters`, for a message.
    var firstPageAdvice: String { get }

    /// The query parameters that say which page; a feed's query must not have them.
    var cursorParameters: [String] { get }

    /// The request for a page.
    ///
    /// - Parameters:
    ///   - page cursor: Which page; nil for the first.
    ///   - base: The feed's own request.
    /// - Throws: `PagingError` if the page cursor is none of this style's.
    func request(for cursor: PageCursor?, base: PageRequest) throws(PagingError) -> PageRequest

    /// The page cursor after another one, where it can be told without the page; nil where it cannot.
    func predicted(after cursor: PageCursor?) -> PageCursor?

    /// How many requests of a feed may be under way at once, from 1. It is no part of `canonicalText`: the pages are the
    /// same.
    var prefetch: Int { get }

    /// The page cursors behind the next one that can be told before its page has come: in order, at most `prefetch`, and
    /// one less where the upstream does not say which page is the last; none behind that.
    ///
    /// - Parameters:
    ///   - next: What `next(after:)` gave.
    ///   - page: The page that came.
    ///   - total: The elements that there are, as far as that is known.
    func predicted(behind next: PageCursor, after page: PaginationInput, total: Int?) -> [PageCursor]

    /// Where the pages go on after one that came.
    ///
    /// - Throws: `PagingError` if the page cannot be followed.
    func next(after page: PaginationInput) throws(PagingError) -> NextPage
}

extension Paginator {
    /// Nothing.
    package var itemPaths: [Path] { [] }

    /// False: the body says all.
    package var endsByAbsence: Bool { false }

    /// False: the upstream says what comes next, and an error in answer to it is one.
    package var mayAskBeyondEnd: Bool { false }

    /// False: each page goes on behind the one before.
    package var isShifting: Bool { false }

    /// False.
    package var hasTotal: Bool { false }

    /// None.
    package var overlappingSize: Int? { nil }

    /// 1 for the first page; of others it is not known.
    package func number(of cursor: PageCursor?) -> Int? { cursor == nil ? 1 : nil }

    /// Not known.
    package func elementCount(from start: PageCursor?, to end: PageCursor) -> Int? { nil }

    /// 1: one after the other.
    package var prefetch: Int { 1 }

    /// None.
    package func predicted(behind next: PageCursor, after page: PaginationInput, total: Int?) -> [PageCursor] { [] }

    /// To leave it out.
    package var firstPageAdvice: String { "leave it out: the first page is requested without it" }
}
