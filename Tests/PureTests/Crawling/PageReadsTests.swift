import Testing

@testable import Crawling

@Suite("Pages read by a run") struct PageReadsTests {
    /// Reads of pages 1 and 2, as `PAGE:ITEMS`.
    struct Example: Sendable {
        let reads: String
        let isSteady: Bool

        init(_ reads: String, _ isSteady: Bool) { (self.reads, self.isSteady) = (reads, isSteady) }
    }

    @Test(
        "An item between two pages is gone only if one of them was the same before and after the other was read",
        arguments: [
            Example("1:a 2:b", false),
            Example("1:a 2:b 1:a", true),
            Example("1:a 2:b 1:a 2:b", true),
            // The first page has changed, and the second one is the same around it.
            Example("1:a 2:b 1:c 2:b", true),
            // Both have changed.
            Example("1:a 2:b 1:c 2:d", false),
            Example("1:a 2:b 1:c 2:d 1:c", true),
            Example("1:a 1:a", false),
        ])
    func steady(example: Example) {
        var reads = PageReads()
        for read in example.reads.split(separator: " ") {
            reads.note(String(read.prefix(1)), keys: String(read.dropFirst(2)), stored: nil)
        }
        #expect(reads.areSteady("1", "2") == example.isSteady)
        #expect(reads.areSteady("2", "1") == example.isSteady)
    }

    @Test("A page that an earlier run read with the same items was the same since then")
    func stored() {
        var log = PageReads()
        log.note(2, keys: "[2]", stored: "[7]")
        log.note(1, keys: nil, stored: "[1]")
        #expect(log.areSteady(1, 2))
        log.note(2, keys: "[3]", stored: "[2]")
        #expect(!log.areSteady(1, 2))
    }

    @Test("Pages that were requested at once show nothing until one is read again")
    func atOnce() {
        var log = PageReads()
        for page in 1...3 { log.note(page, keys: "[\(page)]", stored: nil, isInSequence: false) }
        #expect(!log.areSteady(1, 2))
        log.note(1, keys: nil, stored: "[1]")
        #expect(!log.areSteady(1, 2))
        log.note(2, keys: nil, stored: "[2]")
        #expect(log.areSteady(1, 2))
    }
}
