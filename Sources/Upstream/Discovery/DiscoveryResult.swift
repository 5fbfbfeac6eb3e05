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

/// A finding about one open setting, or the lack of one, with its evidence.
package struct Evidence: Sendable, Hashable {
    /// The setting in question.
    package enum Subject: String, Sendable, Hashable, CaseIterable {
        /// The format of the bodies, if it is not JSON.
        case format
        /// The place of the items.
        case items
        /// The columns that identify items.
        case key
        /// The columns of the items.
        case columns
        /// The rule that finds the next page.
        case pagination
    }

    /// The strength of the evidence.
    package enum Certainty: String, Sendable, Hashable, CaseIterable {
        /// The definition states it, or the page does explicitly; or a second page has confirmed it.
        case certain
        /// Signs say so.
        case likely
        /// There is no evidence, for this or for anything else.
        case guess
        /// Nothing was found.
        case nothing
    }

    /// The setting in question.
    package let subject: Subject
    /// The strength of the evidence.
    package let certainty: Certainty
    /// The finding in the form of a definition; nil if there is none.
    package let found: String?
    /// The evidence, in a sentence; secrets masked.
    package let text: String

    /// Evidence; `found` and `text` hold no secret.
    package init(_ subject: Subject, _ certainty: Certainty, found: String? = nil, _ text: String) {
        self.subject = subject
        self.certainty = certainty
        self.found = found
        self.text = text
    }
}
