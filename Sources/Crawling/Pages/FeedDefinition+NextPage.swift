extension FeedDefinition {
    /// Whether the page cursor that is stored with a page may not be where the page leads now, although it is the same:
    /// it was the last one because a header was absent, or its partition was left before its end.
    ///
    /// - Parameters:
    ///   - page: The page's own page cursor.
    ///   - next: The one that is stored with it; nil for the end.
    ///   - elementCount: How many elements it has.
    package func mayHaveGoneOn(from page: PageCursor?, to next: PageCursor?, elementCount: Int) -> Bool {
        guard let partitioning else {
            // A page that can be all there is shows in its body that it is not any more.
            let mayBeFull = !hasOpenPagination || PaginationInput.usualSizes.contains(elementCount)
            return next == nil && pagination.endsByAbsence && mayBeFull
        }
        let isLast = PartitionScheme.partitionName(in: page) != PartitionScheme.partitionName(in: next)
        return isLast && (pagination.endsByAbsence || partitioning.isCut(page, before: next))
    }
}
