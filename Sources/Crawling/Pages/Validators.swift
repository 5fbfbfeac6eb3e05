/// The marks that show if a page has changed, byte for byte as the upstream wrote them.
///
/// Of a GET, unless they hold a secret. A changed definition and `reset` drop them all. Besides:
///
/// | a stored page has none | decided in |
/// | --- | --- |
/// | if another page wrote, moved or removed one of its rows | `PageRules.touched`, `PageStorage.lift`, `ListRecords.remove` |
/// | if it shares rows with another page | `PageRules.sharesRows` |
/// | if it is an error, has a sign of more other than a total, or its end is doubtful or unchecked | `PageReader`, `LoadedPage` |
/// | if it repeats the page before it | `PageCommit.ending` |
/// | if the page to which it leads is refused | `RunEnd.fail` |
/// | and no page of the list has any, if the list ends too soon, or against an earlier sign | `RunEnd`, `PageStorage` |
/// | and no page of the feed has any, if its columns are read in another way from now on | `PageStorage` |
///
/// A page may also be requested without those that it has: see `needsBody`, and `PageLoader.fetch` for the only page of a
/// list whose way on is not found.
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
