import Testing

@testable import MirrorReader
@testable import StoreFile

@Suite("The progress of a run")
struct FeedConditionTests {
    @Test(
        "About how many pages a list has follows from its total",
        arguments: [
            (1000, 300, 3, 10), (1001, 300, 3, 11), (95, 10, 1, 10), (0, 10, 1, nil), (10, 0, 1, nil), (10, 5, 0, nil),
            (.max, 1, 1, Int.max), (10, 1, 3, 10),
        ] as [(Int64, Int64, Int64, Int?)])
    func pageCount(total: Int64, elements: Int64, pages: Int64, count: Int?) {
        #expect(Store.pageCount(total: total, elements: elements, pages: pages) == count)
    }
}
