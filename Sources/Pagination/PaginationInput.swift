public import JSON
public import Text

/// What came of a page, as far as paging has to know.
public struct PaginationInput: Sendable {
    /// A header field of the response.
    public struct Header: Sendable, Hashable {
        /// The name as received.
        public let name: String
        /// The value.
        public let value: String

        /// A header field.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// What the page was requested with; nil for the first.
    public let cursor: PageCursor?
    /// The elements of the page's array, also those that are no items.
    public let elementCount: Int
    /// The elements of all the crawl's pages, this one included.
    public let crawlElementCount: Int
    /// The pages without elements that came right before this one, one after the other.
    public let emptyPagesBefore: Int
    /// The values at the style's `bodyPaths`, in their order; nil where there was none.
    public let values: [JSONScalar?]
    /// The values of the page's last object at the style's `itemPaths`, in their order; nil where there was none.
    public let lastItemValues: [JSONScalar?]
    /// The response's header fields.
    public let headers: [Header]
    /// The URL that answered, after redirects.
    public let url: String
    /// What a message about the page must not show.
    public let secrets: Secrets
    /// The elements of a full page; 0 where that is not known.
    package var fullPageCount = 0
    /// How many elements of the page before it begins with.
    package var overlap = 0

    /// The facts of one page.
    public init(
        cursor: PageCursor?, elementCount: Int, crawlElementCount: Int, emptyPagesBefore: Int = 0,
        values: [JSONScalar?] = [], lastItemValues: [JSONScalar?] = [], headers: [Header] = [], url: String = "",
        secrets: Secrets = Secrets()
    ) {
        self.cursor = cursor
        self.elementCount = elementCount
        self.crawlElementCount = crawlElementCount
        self.emptyPagesBefore = emptyPagesBefore
        self.values = values
        self.lastItemValues = lastItemValues
        self.headers = headers
        self.url = url
        self.secrets = secrets
    }
}

/// Where the pages go on after one of them.
public struct NextPage: Sendable, Hashable {
    /// What to request next; nil at the end.
    public let next: PageCursor?
    /// How many elements the upstream says there are, where it says so believably. An end before them is doubtful.
    public let total: Int?
    /// Something odd that the user should hear of; it did not keep the page from being read.
    public let notice: String?
    /// What it tells of its partition; nil where the partition goes on, and for a feed without partitions.
    package var part: PartitionOutcome?

    /// What follows a page.
    package init(next: PageCursor?, total: Int?, notice: String?, part: PartitionOutcome? = nil) {
        self.next = next
        self.total = total
        self.notice = notice
        self.part = part
    }

    /// Several notices as one; nil where there is none.
    package static func notice(_ notices: String?...) -> String? {
        let notices = notices.compactMap(\.self)
        return notices.isEmpty ? nil : notices.joined(separator: "; ")
    }

    /// There is another page.
    public static func more(_ next: PageCursor, total: Int? = nil, notice: String? = nil) -> NextPage {
        NextPage(next: next, total: total, notice: notice)
    }

    /// There is no further page.
    public static func end(total: Int? = nil, notice: String? = nil) -> NextPage {
        NextPage(next: nil, total: total, notice: notice)
    }
}
