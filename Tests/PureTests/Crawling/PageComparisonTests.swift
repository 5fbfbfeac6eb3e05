import Testing

@testable import Crawling

@Suite("A page that is asked for again")
struct PageComparisonTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Where its last item was met first, if it was.
        var metAt: Int?
        var isLast = false
        var isEmpty = false
        var isStored = false
        let result: PageComparison
    }

    @Test(
        "What it tells follows from where its last item was met; it is the third page",
        arguments: [
            Case(testDescription: "no items any more", isEmpty: true, result: .changed),
            Case(testDescription: "no items, at the end", isLast: true, isEmpty: true, result: .changed),
            Case(testDescription: "met on this page", metAt: 3, result: .changed),
            Case(testDescription: "met on this page, at the end", metAt: 3, isLast: true, result: .changed),
            Case(testDescription: "met on the next page", metAt: 4, result: .movedUp),
            Case(testDescription: "met on the next page, at the end", metAt: 4, isLast: true, result: .movedUp),
            Case(testDescription: "met far behind", metAt: 9, isStored: true, result: .movedUp),
            Case(testDescription: "met on the page before", metAt: 2, result: .pushedDown),
            Case(testDescription: "met on the first page", metAt: 1, isStored: true, result: .pushedDown),
            Case(testDescription: "met on the page before, at the end", metAt: 2, isLast: true, result: .changed),
            Case(testDescription: "met nowhere", result: .detached),
            Case(testDescription: "met nowhere, at the end", isLast: true, result: .movedUp),
            Case(testDescription: "met nowhere, stored in a range", isStored: true, result: .movedUp),
        ])
    func compares(_ row: Case) {
        let result = PageComparison(
            lastMetAt: row.metAt, at: 3, isLast: row.isLast, isEmpty: row.isEmpty, isStored: row.isStored)
        #expect(result == row.result)
    }

    @Test("The graver finding counts more")
    func order() {
        let sorted: [PageComparison] = [.same, .changed, .pushedDown, .movedUp, .detached, .outgrown]
        #expect(sorted.shuffled().sorted() == sorted)
    }
}
