import Crawling
import Testing

@Suite("The head of a list that is read again")
struct HeadComparisonTests {
    struct Row: CustomTestStringConvertible {
        let testDescription: String
        /// The places of the items of each page; nil for new ones.
        let pages: [[Int?]]
        let hasMovedUp: Bool
    }

    @Test(
        "A head that lost items shows that later ones moved up",
        arguments: [
            Row(testDescription: "as it was", pages: [[0, 1, 2]], hasMovedUp: false),
            Row(testDescription: "new items above", pages: [[nil, nil, 0]], hasMovedUp: false),
            Row(testDescription: "a new item in the middle", pages: [[0, nil, 1]], hasMovedUp: false),
            Row(testDescription: "new items alone", pages: [[nil, nil, nil]], hasMovedUp: false),
            Row(
                testDescription: "a page of new items and the next", pages: [[nil, nil, nil], [nil, 0, 1]],
                hasMovedUp: false),
            Row(testDescription: "an item that moved to the top", pages: [[7, 0, 1]], hasMovedUp: false),
            Row(
                testDescription: "one that moved to the top of a new page", pages: [[7, nil, nil], [0, 1, 2]],
                hasMovedUp: false),
            Row(testDescription: "the first one went", pages: [[1, 2, 3]], hasMovedUp: true),
            Row(testDescription: "the last one went", pages: [[0, 1, 3]], hasMovedUp: true),
            Row(testDescription: "one went, and others came above", pages: [[nil, nil], [nil, 1]], hasMovedUp: true),
            Row(testDescription: "one that came twice", pages: [[0, 1, 1, 2]], hasMovedUp: false),
            Row(testDescription: "an empty page", pages: [[]], hasMovedUp: false),
        ])
    func moves(_ row: Row) {
        var head = HeadComparison()
        for page in row.pages { head.take(page) }
        #expect(head.hasMovedUp == row.hasMovedUp)
    }
}
