import Testing

@testable import Crawling

@Suite("Items that come on several pages") struct RepeatedItemsTests {
    @Test(
        "Items that come on several pages are odd unless they are pinned, or at many borders of pages",
        arguments: [
            ("abc def ghi", false, false), ("abc dbe fgh", false, true), ("abc cde fgh ijk lmn", false, true),
            // At many borders, as where new items push others down, or where a page begins with the item before it.
            ("abc cde efg", false, false), ("abc bcd cde", false, false), ("abc cde efg ghb", false, true),
            // Pinned.
            ("xab xcd xef", false, false), ("xab xcd efg", false, true), ("xab xcd", false, true),
            // Pages that are requested with the item before them.
            ("abc cde efg", true, false), ("abc cde ebf", true, true), ("xab xcd xef", true, true),
            // Empty pages.
            ("xab xcd xef ", false, false), ("  a", true, false), ("a  ", true, false), ("ab  bc", true, false),
            ("", false, false), ("abc", false, false),
        ])
    func areOdd(pages: String, overlap: Bool, odd: Bool) {
        let pages = pages.split(separator: " ", omittingEmptySubsequences: false).map { $0.map(String.init) }
        #expect(RepeatedItems.areOdd(pages, overlap: overlap) == odd)
    }
}
