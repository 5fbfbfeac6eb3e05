/// What discovery made of a feed.
package struct DiscoveryResult: Sendable {
    /// What was found of that which the definition leaves open.
    package let findings: Findings
    /// What says so, one or more for each of what there is to find, in the order items, key, columns, pagination.
    package let evidence: [Evidence]
    /// The definition with the findings in it.
    package let definition: FeedDefinition
    /// How many items the first page has.
    package let itemCount: Int
    /// Where the first page says that there are more items than it has, and how many; nil where it does not say so, or
    /// a way to them was found.
    package let missing: MissingItems?
    /// How many pages of the feed were seen: 2 where one led to another.
    package let pages: Int
    /// What discovery's own requests cost, redirects and failed attempts included; not the first page's, where that was
    /// given.
    package let cost: FetchCost
    /// The feeds that the first page names, where it is a web page and no feed itself; nothing else was found then.
    package var alternates: [AlternateLink] = []
}

/// Items that an upstream says there are, and that no way was found to.
package struct MissingItems: Sendable, Hashable {
    /// The path in the body, or the header, that says so.
    package let place: String
    /// How many there are in all.
    package let total: Int
}

extension FetchedPage {
    /// The page, with what hosts said of their quotas while it was found out how to read it.
    package func adding(_ discovered: DiscoveryResult) -> FetchedPage {
        FetchedPage(kind: kind, response: response, quota: quota + discovered.cost.quota, format: format)
    }
}
