import Testing

@testable import FeedSync

@Suite("Notes of a feed with several lists")
struct ListsResultsTests {
    /// The notes of a run whose lists `kids/0`, `kids/1` and so on have these.
    private func told(_ lists: [[String]]) -> [String] {
        var results = ListsResults()
        for (number, notices) in lists.enumerated() {
            let summary = RunSummary(
                run: 1, outcome: .ok, figures: RunMetrics(), isAtEnd: true, reason: nil, itemCount: 1,
                expectedCount: nil, seenCount: 1, notices: notices)
            results.note(summary, of: "kids/\(number)", at: "https://example.com")
        }
        return results.summary
    }

    @Test("A run prints a note that several lists have once, with the number of lists")
    func sameNote() {
        #expect(told([]) == [])
        #expect(told([[], ["a"], []]) == ["kids/1: a"])
        #expect(told([["a"], ["a"]]) == ["kids/0 and 1 other list: a"])
        #expect(
            told([["a"], ["b"]] + Array(repeating: ["a"], count: 19)) == ["kids/0 and 19 other lists: a", "kids/1: b"])
    }

    @Test("Ten different notes are printed, and the number of the others")
    func manyNotes() {
        let ten = (0..<10).map { "kids/\($0): note \($0)" }
        #expect(told((0..<10).map { ["note \($0)"] }) == ten)
        #expect(told((0..<11).map { ["note \($0)"] }) == ten + ["1 more note of other lists"])
        #expect(told((0..<30).map { ["note \($0)"] }) == ten + ["20 more notes of other lists"])
    }
}
