/// The limit of `max_pages`: the number of pages that a run may request, those that it requests again included.
package struct PageLimit: Sendable, Hashable {
    private let most: Int?

    /// - Parameter most: nil without a limit.
    package init(_ most: Int?) {
        self.most = most
    }

    /// The number of pages that a run may still request; `Int.max` without a limit.
    ///
    /// - Parameter pages: The number of pages that it has requested.
    package func left(behind pages: Int) -> Int { most.map { max($0 - pages, 0) } ?? .max }
}

extension FeedDefinition {
    /// The limit of the feed's `max_pages`.
    package var pageLimit: PageLimit { PageLimit(maxPages) }
}
