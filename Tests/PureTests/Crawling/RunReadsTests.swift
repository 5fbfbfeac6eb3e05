import Testing

@testable import Crawling

@Suite("The pages that a run has read") struct RunReadsTests {
    private func page(_ crawl: Int64, _ number: Int) -> PageOfCrawl { PageOfCrawl(crawl: crawl, number: number) }

    @Test("All pages of a crawl from the first one that a run read are the run's")
    func own() {
        var reads = RunReads()
        reads.read(page(1, 3))
        reads.read(page(1, 4))
        #expect(!reads.has(page(1, 2)))
        #expect(reads.has(page(1, 3)))
        #expect(reads.has(page(1, 5)))
        #expect(!reads.has(page(2, 3)))
        // The crawl went back to an earlier page.
        reads.read(page(1, 2))
        #expect(reads.has(page(1, 2)))
    }

    @Test("A page of an earlier run that is requested again is the run's, and its neighbours are not")
    func again() {
        var reads = RunReads()
        reads.readAgain(page(1, 2))
        #expect(reads.has(page(1, 2)))
        #expect(!reads.has(page(1, 3)))
        #expect(reads.again == [page(1, 2)])
    }

    @Test("The tail of a list ends at the last page that only an earlier run has read")
    func tail() {
        var reads = RunReads()
        reads.read(page(2, 1))
        reads.read(page(1, 4))
        let list = [page(2, 1), page(1, 2), page(1, 3), page(1, 4), page(1, 5)]
        reads.reachEnd(of: list)
        #expect(reads.tail == [page(1, 4), page(1, 5)])
        reads.readAgain(page(1, 2))
        reads.readAgain(page(1, 3))
        reads.reachEnd(of: list)
        #expect(reads.tail == Set(list))
    }

    @Test("An item left a page if the run had read it there, and not if only an earlier run had")
    func left() {
        var reads = RunReads()
        reads.note("p", keys: "[1,2]", stored: "[1,2,3]")
        #expect(reads.movedKeys.isEmpty)
        reads.note("p", keys: "[2,4]", stored: "[1,2]")
        #expect(reads.movedKeys == ["1"])
        reads.note("q", keys: nil, stored: "[5]")
        reads.note("q", keys: "[]", stored: "[5]")
        #expect(reads.movedKeys == ["1", "5"])
    }

    @Test("An item left a page that an earlier run had read if some items came twice then")
    func leftWithRepeats() {
        var reads = RunReads()
        reads.note("p", keys: "[1,2]", stored: "[1,2,3]", hadRepeats: true)
        reads.note("q", keys: nil, stored: "[5]", hadRepeats: true)
        #expect(reads.movedKeys == ["3"])
    }
}
