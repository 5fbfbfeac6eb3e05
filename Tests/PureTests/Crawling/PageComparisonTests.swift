import Testing

@testable import Crawling

@Suite("A page that is asked for again")
struct PageComparisonTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The page on which its last item was first met, if any.
        var metAt: Int?
        var isLast = false
        var isEmpty = false
        var isStored = false
        let result: PageComparison
    }

    @Test(
        "A third page, requested again, is judged by the place at which its last item was first met",
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

    @Test(
        "A page that shows what was met in the same order, further down, with new items above all, was shifted",
        arguments: [
            ([3, 4, 5], 3, 0), ([2, 3, 4], 3, 1), ([0, 1, 2], 0, 0), ([nil, 0, 1], 0, 1), ([nil, nil, 0], 2, 4),
            // Behind it in the list, out of order, with a gap, or new in the middle or at the end.
            ([4, 5, 6], 3, nil), ([3, 5, 4], 3, nil), ([2, 4, 5], 3, nil), ([nil, 3, 4], 3, nil),
            ([3, nil, 4], 3, nil),
            ([3, 4, nil], 3, nil), ([nil, nil], 0, nil), ([], 0, nil), ([3, 4], nil, nil),
        ] as [([Int?], Int?, Int?)])
    func shifts(places: [Int?], from first: Int?, by shift: Int?) {
        #expect(PageComparison.shift(places, from: first) == shift)
    }

    @Test("The graver finding counts more")
    func order() {
        let sorted: [PageComparison] = [
            .same, .revised, .shifted(by: 9, isLast: false), .changed, .pushedDown, .movedUp, .detached, .outgrown,
        ]
        #expect(sorted.shuffled().sorted() == sorted)
    }
}
