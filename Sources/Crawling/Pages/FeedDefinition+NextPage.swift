extension FeedDefinition {
    /// True if the stored page cursor after a page may be outdated although the page is the same: the page was the last
    /// one because a header was absent, or its partition was left before its end.
    ///
    /// - Parameters:
    ///   - page: The page's own page cursor.
    ///   - next: The stored cursor after it; nil for the end.
    ///   - elementCount: The number of its elements.
    package func mayHaveGoneOn(from page: PageCursor?, to next: PageCursor?, elementCount: Int) -> Bool {
        guard let partitioning else {
            // If the page may be the whole list, its body shows when it no longer is.
            let mayBeFull = !hasOpenPagination || PaginationInput.usualSizes.contains(elementCount)
            return next == nil && pagination.endsByAbsence && mayBeFull
        }
        let isLast = PartitionScheme.partitionName(in: page) != PartitionScheme.partitionName(in: next)
        return isLast && (pagination.endsByAbsence || partitioning.isCut(page, before: next))
    }
}
