/// The content of a page, as the feed's shape decodes it.
package struct PageContent: Sendable {
    package enum Items: Sendable {
        /// A decoded body, with or without items.
        case decoded(DecodedPage)
        /// A response that means an empty page.
        case empty
        /// The stored page is still valid.
        case notModified(StoredPage)
    }

    package var items: Items
    /// The elements that are not items, with a description of the first.
    package let skipped: SkippedItems
    /// The feed's shape, if the page changed it.
    package let shape: ResolvedFeed?

    package init(_ items: Items, skipped: SkippedItems = SkippedItems(), shape: ResolvedFeed? = nil) {
        self.items = items
        self.skipped = skipped
        self.shape = shape
    }

    /// The decoded body; nil without one.
    package var decoded: DecodedPage? { if case .decoded(let page) = items { page } else { nil } }

    /// True if the stored page is still valid.
    package var isNotModified: Bool { if case .notModified = items { true } else { false } }

    /// The keys of its items, as a JSON array.
    package var keys: String {
        switch items {
        case .decoded(let page): page.keys
        case .empty: "[]"
        case .notModified(let stored): stored.keys
        }
    }

    /// The number of elements in the items array.
    package var elementCount: Int {
        switch items {
        case .decoded(let page): page.elementCount
        case .empty: 0
        case .notModified(let stored): stored.elements
        }
    }

    /// The number of elements that are not items; nil if unknown.
    var otherElements: Int? {
        switch items {
        case .decoded(let page): page.elementCount - page.keyCount
        case .empty: 0
        case .notModified: nil
        }
    }

    /// The bytes of the body; 0 without one.
    var byteCount: Int { decoded?.byteCount ?? 0 }
}
