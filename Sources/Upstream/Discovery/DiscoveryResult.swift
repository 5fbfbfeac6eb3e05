/// The result of a discovery.
package struct DiscoveryResult: Sendable {
    /// The discovered settings.
    package let findings: Findings
    /// The evidence, one or more for each setting, in the order items, key, columns, pagination.
    package let evidence: [Evidence]
    /// The definition with the findings in it.
    package let definition: FeedDefinition
    /// The number of items on the first page.
    package let itemCount: Int
    /// The place and number of items beyond the first page, if the page states them and no pagination was found; nil
    /// otherwise.
    package let missing: MissingItems?
    /// The number of pages seen: 2 if one led to another.
    package let pages: Int
    /// The cost of discovery's own requests, redirects and failed attempts included; not the first page's, if that was
    /// given.
    package let cost: FetchCost
    /// The feeds that the first page names, where it is a web page and no feed itself; nothing else was found then.
    package var alternates: [AlternateLink] = []
    /// The first items of the first page: for each the values of the definition's columns, as JSON; nil for none.
    package var sample: [[String?]] = []

    /// The number of items in a sample.
    static let sampleCount = 3
}

/// Items that an upstream says there are, and that no way was found to.
package struct MissingItems: Sendable, Hashable {
    /// The path in the body, or the header, with the number.
    package let place: String
    /// The number of items in all.
    package let total: Int
}

extension FetchedPage {
    /// The page, with the quota readings of its discovery.
    package func adding(_ discovered: DiscoveryResult) -> FetchedPage {
        FetchedPage(kind: kind, response: response, quota: quota + discovered.cost.quota, format: format)
    }
}
