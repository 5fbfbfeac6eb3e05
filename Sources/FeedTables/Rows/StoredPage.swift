/// A page as stored.
package struct StoredPage: Sendable, Hashable {
    package let id: Int64
    package let validators: Validators
    package let place: Place
    package let placed: Int64
    package let elements: Int
    package let skipped: Int
    package let sameKey: Int
    package let keys: String
    package let cursor: PageCursor?
    package let total: Int?

    /// True if an item of the page has the place that another page of its crawl gave it: it came twice.
    package var hasRepeats: Bool { placed < Int64(elements - skipped - sameKey) }

    package init(
        id: Int64, validators: Validators, place: Place, placed: Int64, elements: Int, skipped: Int, sameKey: Int,
        keys: String, cursor: PageCursor?, total: Int?
    ) {
        self.id = id
        self.validators = validators
        self.place = place
        self.placed = placed
        self.elements = elements
        self.skipped = skipped
        self.sameKey = sameKey
        self.keys = keys
        self.cursor = cursor
        self.total = total
    }
}
