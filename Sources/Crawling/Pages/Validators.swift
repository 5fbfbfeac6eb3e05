/// The marks that show if a page has changed, byte for byte as the upstream wrote them.
///
/// Source: https://www.rfc-editor.org/rfc/rfc9110#section-8.8
package struct Validators: Sendable, Hashable {
    /// The entity tag with its quotes and `W/`.
    package let etag: String?
    /// The `Last-Modified` date.
    package let lastModified: String?

    /// Validators kept from an earlier response.
    package init(etag: String?, lastModified: String?) {
        self.etag = etag
        self.lastModified = lastModified
    }

    /// True if there are none.
    package var isEmpty: Bool { etag == nil && lastModified == nil }

    /// The validators without a secret: one with a secret cannot be kept, and the page is requested unconditionally.
    package func without(_ secrets: Secrets) -> Validators {
        Validators(
            etag: etag.flatMap { secrets.occur(in: $0) ? nil : $0 },
            lastModified: lastModified.flatMap { secrets.occur(in: $0) ? nil : $0 })
    }
}

extension FeedDefinition {
    /// True if a page has to be requested without validators, because a 304 would not show all that its body shows: the
    /// token of a delta, or a next page where there was none. The page was the last one then because a header was
    /// absent, or its partition was left before its end.
    ///
    /// - Parameters:
    ///   - page: The page's own page cursor.
    ///   - next: The stored cursor after it; nil for the end.
    ///   - elementCount: The number of its elements.
    package func needsBody(of page: PageCursor?, before next: PageCursor?, elementCount: Int) -> Bool {
        if sync.delta != nil { return true }
        guard let partitioning else {
            // If the page may be the whole list, its body shows when it no longer is.
            let mayBeFull = !hasOpenPagination || PaginationInput.usualSizes.contains(elementCount)
            return next == nil && pagination.endsByAbsence && mayBeFull
        }
        let isLast = PartitionScheme.partitionName(in: page) != PartitionScheme.partitionName(in: next)
        return isLast && (pagination.endsByAbsence || partitioning.isCut(page, before: next))
    }
}
