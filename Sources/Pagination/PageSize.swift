/// The requested number of elements of a page: a query parameter and its value.
package struct PageSize: Sendable, Hashable {
    /// The parameter's name.
    let parameter: String
    /// The number to send, from 1.
    let count: Int

    /// A size in this parameter.
    package init(parameter: String, count: Int) {
        self.parameter = parameter
        self.count = count
    }

    /// The permitted sizes.
    package static let range = 1...1_000_000

    /// The members with their values.
    var canonicalText: String { "size_param \(parameter) size \(count)" }

    /// Puts the size into a request, unless the feed's own query has one.
    func apply(to request: inout PageRequest) {
        guard !request.has(parameter) else { return }
        request.set(parameter, to: count)
    }
}

extension PaginationInput {
    /// The usual numbers of elements of a page without a stated size.
    package static let usualSizes: Set<Int> = [
        5, 10, 12, 15, 16, 20, 24, 25, 30, 40, 48, 50, 60, 64, 75, 80, 100, 120, 128, 150, 200, 250, 256, 300, 400, 500,
        512, 1000, 1024, 2000, 2500, 5000, 10_000,
    ]

    /// True if all elements came on a first page of a length at which no server cuts: it may be the whole list.
    package static func mayBeWholeList(_ elements: Int, fullPage full: Int) -> Bool {
        elements <= full && !usualSizes.contains(full)
    }

    /// True if a total equal to the first page's length may count that page and not the list: the page is as full as
    /// requested, or no size was requested, or it has a usual one.
    func mayBeCountedAlone(_ size: PageSize?) -> Bool {
        // The totals of partitions are known to differ.
        guard let asked = askedCount ?? size?.count else {
            return !isOfPartition || Self.usualSizes.contains(elementCount)
        }
        return elementCount >= asked || Self.usualSizes.contains(elementCount)
    }
}

extension PageRequest {
    /// The request for a page whose complete URL comes from the upstream: only the first request is the feed's own,
    /// with the size.
    static func following(_ cursor: PageCursor?, size: PageSize?, base: PageRequest) -> PageRequest {
        if let cursor { return PageRequest(url: cursor.text) }
        var request = base
        size?.apply(to: &request)
        return request
    }
}
