internal import YAML

/// The discovered settings: those that a definition leaves open, found in its pages; the store keeps them.
package struct Findings: Sendable, Hashable {
    /// The format of the bodies, if it is not JSON.
    package var format: FeedFormat?
    /// The place of the items.
    package var items: ItemsRule?
    /// The names of the columns that identify items.
    package var key: [String] = []
    /// The columns that the definition does not have, no two names alike.
    package var columns: [ColumnDefinition] = []
    /// The `pagination` member, as YAML text in one line; nil as long as nothing leads to a second page.
    package var pagination: String?
    /// The elements of the longest first page with which ways to a second one that no page speaks of were tried in
    /// vain; nil as long as none were. A page that has grown is reason to try again.
    package var triedElementCount: Int?
    /// The number of searches in a row, 2 at most, in which a way to a second page could not be tried, because a request
    /// failed or the host wanted none. After the first one the list is incomplete; some servers always fail.
    package var failedSearchCount = 0
    /// True if that page may be one of several: it was as long as requested, or as pages often are.
    package var mayGoOn = false
    /// The hash of the keys of that page: a full page with others is reason to try again, for an item may have left it.
    package var triedKeys: String?
    /// The hash of the ways that such a page suggested and that did not work. They are tried again when the page
    /// suggests others.
    package var triedSigns: String?
    /// The number of new items on a page that was tried and could not be placed.
    package var strayItemCount: Int?
    /// The last page's sign that more follows, in words; nil if it had none.
    package var sign: String?

    /// Nothing found yet.
    package init() {}
}

extension FeedDefinition {
    /// True if a page can be stored: its columns and key are known.
    public var isResolved: Bool { !columns.isEmpty && !key.isEmpty }

    /// True if its pagination is still to be discovered.
    public var hasOpenPagination: Bool { pagination.cursorKind == .open }

    /// The definition with its discovered settings.
    ///
    /// - Throws: `FeedSyncError` of kind `bug` if the discovered pagination cannot be read.
    package func settled(by findings: Findings) throws(FeedSyncError) -> FeedDefinition {
        let known = findings.columns.isEmpty ? [] : Set(columns.map(\.path))
        // Columns written by hand are complete, apart from those of the key.
        let found = findings.columns.filter { column in
            let isWanted = hasOpenColumns || column.path == .memberName || findings.key.contains(column.name)
            let isOfKey = findings.key.contains(column.name)
            return isWanted && !known.contains(column.path) && (isOfKey || !self.found.leavesOut(column.path))
        }
        var settled = self
        if hasOpenPagination, let text = findings.pagination {
            settled.pagination = try Self.pagination(text, of: name)
        }
        settled.format = format ?? findings.format
        settled.items = items ?? findings.items
        if key.isEmpty { settled.key = findings.key }
        settled.columns += found
        return settled
    }

    private static func pagination(_ text: String, of feed: String) throws(FeedSyncError) -> any Paginator {
        let log = Diagnostics()
        guard let node = try? Node.parse("pagination: \(text)", source: "found") else {
            throw FeedSyncError(.bug, "the pagination that was found, `\(text)`, is not YAML")
        }
        let style = Paginators.read("pagination", of: MappingDecoder(node, of: "feed `\(feed)`", log: log))
        if let diagnostic = log.diagnostics.first {
            throw FeedSyncError(.bug, "the pagination that was found cannot be read: \(diagnostic.problem)")
        }
        return style
    }
}

extension Findings {
    /// The settings with later ones added; earlier ones win.
    package func adding(_ later: Findings) -> Findings {
        var all = self
        all.format = format ?? later.format
        all.items = items ?? later.items
        if key.isEmpty { all.key = later.key }
        let known = Set(columns.map(\.path))
        all.columns += later.columns.filter { !known.contains($0.path) }
        all.pagination = pagination ?? later.pagination
        all.triedElementCount = [triedElementCount, later.triedElementCount].compactMap(\.self).max()
        all.failedSearchCount = later.failedSearchCount
        all.mayGoOn = later.triedElementCount == nil ? mayGoOn : later.mayGoOn
        all.triedKeys = later.triedKeys ?? triedKeys
        all.triedSigns = later.triedSigns ?? triedSigns
        all.strayItemCount = later.strayItemCount ?? strayItemCount
        return all
    }
}
