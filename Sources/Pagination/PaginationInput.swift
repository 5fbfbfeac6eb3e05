package import JSON
package import Text

/// The part of a page's content that pagination needs.
package struct PaginationInput: Sendable {
    /// A header field of the response.
    package struct Header: Sendable, Hashable {
        /// The name as received.
        package let name: String
        /// The value.
        package let value: String

        /// A header field.
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The cursor of the page's request; nil for the first.
    package let cursor: PageCursor?
    /// The elements of the page's array, also those that are no items.
    package let elementCount: Int
    /// The elements of all the crawl's pages, this one included.
    package let crawlElementCount: Int
    /// The pages without elements that came right before this one, one after the other.
    package let emptyPagesBefore: Int
    /// The values at the style's `bodyPaths`, in their order; nil where there was none.
    package let values: [JSONScalar?]
    /// The values of the page's last object at the style's `itemPaths`, in their order; nil where there was none.
    package let lastItemValues: [JSONScalar?]
    /// The response's header fields.
    package let headers: [Header]
    /// The URL that answered, after redirects.
    package let url: String
    /// The secrets to hide in messages about the page.
    package let secrets: Secrets
    /// The same of the page's first object, and of the one before its last; empty where that is not known.
    package var edgeItemValues: [[JSONScalar?]] = []
    /// The elements of a full page; 0 where that is not known.
    package var fullPageCount = 0
    /// The number of elements of the previous page with which it begins.
    package var overlap = 0
    /// The number of elements of the list before the first page.
    package var passedOver = 0
    /// True if the page is of a partition.
    package var isOfPartition = false
    /// The number of elements that the request asks for; nil if it has no size.
    package var askedCount: Int?

    /// The facts of one page.
    package init(
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

/// The continuation after a page.
package struct NextPage: Sendable, Hashable {
    /// The next request; nil at the end.
    package var next: PageCursor?
    /// The number of elements that the upstream states, if it is plausible. An end before it is doubtful.
    package var total: Int?
    /// Something odd that the user should hear of; it did not keep the page from being read.
    package var notice: String?
    /// The outcome for the page's partition; nil while the partition continues, and for a feed without partitions.
    package var part: PartitionOutcome?
    /// The sign, at an end, that more follows.
    package var sign: SignOfMore?
    /// True if the upstream stated the end explicitly: links and tokens beside it have no meaning then.
    package var isStated = false
    /// True if the end proves little: the list may go on.
    package var isDoubtful = false
    /// True if the next page is to begin with the last item of this one, which may be out of order.
    package var comesAgain = false
    /// The counts of the whole list on a page that leads on; nil if its body was not read.
    package var counts: ListCounts?

    /// The continuation after a page.
    package init(next: PageCursor?, total: Int?, notice: String?, part: PartitionOutcome? = nil) {
        self.next = next
        self.total = total
        self.notice = notice
        self.part = part
    }

    /// The same continuation with another notice.
    package func adding(notice: String?) -> NextPage {
        var all = self
        all.notice = NextPage.notice(self.notice, notice)
        return all
    }

    /// Several notices as one; nil where there is none.
    package static func notice(_ notices: String?...) -> String? {
        let notices = notices.compactMap(\.self)
        return notices.isEmpty ? nil : notices.joined(separator: "; ")
    }

    /// There is another page.
    package static func more(_ next: PageCursor, total: Int? = nil, notice: String? = nil) -> NextPage {
        NextPage(next: next, total: total, notice: notice)
    }

    /// There is no further page.
    package static func end(
        total: Int? = nil, notice: String? = nil, sign: SignOfMore? = nil, isStated: Bool = false
    ) -> NextPage {
        var end = NextPage(next: nil, total: total, notice: notice)
        (end.sign, end.isStated) = (sign, isStated)
        return end
    }
}
