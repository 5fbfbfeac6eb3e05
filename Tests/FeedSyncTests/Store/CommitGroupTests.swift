import Testing

@testable import StoreFile

@Suite("The pages that share a transaction")
struct CommitGroupTests {
    /// A page that is stored so many milliseconds after the start.
    struct Page: Sendable {
        var at = 0
        var waited = 0
        var bytes = 100
        var isFollowed = true
    }

    private let start = ContinuousClock.now

    /// The number of pages of each transaction; those of an uncommitted one are not counted.
    ///
    /// - Parameter isBehind: True if the previous transaction is always still being committed in another database.
    private func transactions(_ pages: [Page], isBehind: Bool = false) -> [Int] {
        var group = CommitGroup()
        var counts: [Int] = []
        var count = 0
        for page in pages {
            let now = start + .milliseconds(page.at)
            if let due = group.dueAt(isBehind: isBehind), due <= now {
                counts.append(count)
                count = 0
                group.close()
            }
            count += 1
            let isFull = group.add(
                CommitGroup.Page(
                    bytes: page.bytes, waited: .milliseconds(page.waited), isFollowed: page.isFollowed),
                at: now, isBehind: isBehind)
            guard isFull else { continue }
            counts.append(count)
            count = 0
            group.close()
        }
        return counts
    }

    @Test("Pages that come close together share a transaction")
    func close() {
        #expect(transactions([Page(at: 0), Page(at: 5), Page(at: 14), Page(at: 30)]) == [3])
    }

    @Test("The last page of a run waits for the run's end, even if it was waited for")
    func last() {
        #expect(transactions([Page(at: 0), Page(at: 30, waited: 20, isFollowed: false)]) == [1])
        #expect(transactions([Page(at: 0, isFollowed: false), Page(at: 30)]) == [1])
    }

    @Test("A page that was waited for is committed at once, with those before it")
    func waited() {
        let pages = [Page(at: 0, waited: 20), Page(at: 30, waited: 20), Page(at: 31), Page(at: 39, waited: 11)]
        #expect(transactions(pages) == [1, 1, 2])
    }

    @Test("If no page comes for 10 ms, those that wait are committed")
    func pause() {
        #expect(transactions([Page(at: 0), Page(at: 9), Page(at: 19), Page(at: 20)]) == [2])
    }

    @Test("No page waits for longer than 50 ms")
    func longestWait() {
        let pages = [0, 9, 18, 27, 36, 45, 50, 51].map { Page(at: $0) }
        #expect(transactions(pages) == [6])
    }

    @Test("At most 64 pages share a transaction")
    func mostPages() {
        #expect(transactions(Array(repeating: Page(), count: 130)) == [64, 64])
    }

    @Test("Pages that wait are committed at 4 MB")
    func mostBytes() {
        #expect(transactions(Array(repeating: Page(bytes: 1_500_000), count: 7)) == [3, 3])
    }

    @Test(
        "Pages wait for the end of a commit that is on its way, up to twice the pages, three times the bytes or 200 ms"
    )
    func behind() {
        let waited = [Page(at: 0, waited: 20), Page(at: 30, waited: 20), Page(at: 60), Page(at: 199)]
        #expect(transactions(waited, isBehind: true).isEmpty)
        #expect(transactions(waited + [Page(at: 200)], isBehind: true) == [4])
        #expect(transactions(Array(repeating: Page(), count: 130), isBehind: true) == [128])
        #expect(transactions(Array(repeating: Page(bytes: 1_500_000), count: 10), isBehind: true) == [9])
    }

    @Test("A group without waiting pages is not due")
    func due() {
        var group = CommitGroup()
        #expect(group.dueAt() == nil)
        _ = group.add(CommitGroup.Page(bytes: 1, waited: .zero, isFollowed: true), at: start)
        #expect(group.dueAt() == start + .milliseconds(10))
        group.close()
        #expect(group.dueAt() == nil)
    }
}
