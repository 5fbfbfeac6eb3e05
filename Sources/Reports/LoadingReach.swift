package import FeedSync

/// The progress of a feed's unfinished load, and the place at which the next run continues.
package struct LoadingReach: Sendable {
    private let itemCount: Int
    /// The items that the upstream says there are, if it says more than are stored.
    private let expectedCount: Int?
    private let nextPage: String?
    private let parts: PartCounts?

    package init(_ record: FeedRecord, _ history: FeedHistory?, _ parts: PartCounts? = nil) {
        self.parts = parts
        itemCount = record.itemCount
        expectedCount = history?.expectedCount.flatMap { $0 > record.itemCount ? $0 : nil }
        nextPage = record.nextPage
    }

    /// Reads it from the store; nil if nothing of the feed is stored, or the store cannot be read.
    package init?(of feed: String, in store: Store) async {
        guard let record = try? await store.feed(named: feed), record.itemCount > 0 else { return nil }
        self.init(
            record, (try? await store.histories())?[feed], (try? await store.partCounts())?[feed])
    }

    /// Such as `300 of about 1,000 items`.
    package var count: String {
        guard let expectedCount else { return NumberFormat.count(itemCount, "item") }
        return "\(NumberFormat.count(itemCount)) of about \(NumberFormat.count(expectedCount, "item"))"
    }

    /// Such as `continues at page 7`; a page cursor that is not a number is cut after 40 characters.
    package var next: String {
        if let parts { return parts.text }
        guard let nextPage else { return "the next sync checks that nothing is missing" }
        let isNumber = nextPage.allSatisfy { $0.isASCII && $0.isNumber }
        let shown = nextPage.count > 40 ? "\(nextPage.prefix(40))…" : nextPage
        return "continues at \(isNumber ? "page " : "")\(shown)"
    }

    /// The result of a run that a limit cut off.
    package func text(stoppedAt limit: String) -> String { "\(count); stopped at \(limit), \(next)" }
}
