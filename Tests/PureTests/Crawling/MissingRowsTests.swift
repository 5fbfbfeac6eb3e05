import Testing

@testable import Crawling

@Suite("Rows that a crawl did not meet") struct MissingRowsTests {
    /// A list as it was stored: digits are rows that were met, with the number of their page; `-` is a missing row.
    /// The rows in front of `|` were placed by a crawl by watermark.
    struct Example: Sendable {
        let list: String
        /// The pages to request for each missing row.
        let pages: [Set<Int>]
        var own: Set<Int> = [1, 2, 3]
        var askedAgain: Set<Int> = []
        var isSteady = false
        var isOnePage = false
        var last: Int?
        var emptyPages: Set<Int> = []

        init(
            _ list: String, _ pages: [Set<Int>], own: Set<Int> = [1, 2, 3], askedAgain: Set<Int> = [],
            isSteady: Bool = false, isOnePage: Bool = false, last: Int? = nil,
            emptyPages: Set<Int> = []
        ) {
            (self.list, self.pages, self.own) = (list, pages, own)
            (self.askedAgain, self.isSteady, self.isOnePage) = (askedAgain, isSteady, isOnePage)
            (self.last, self.emptyPages) = (last, emptyPages)
        }
    }

    private func rows(_ example: Example, isProved: Bool = false) throws -> MissingRows {
        var missing: [MissingRows.Row] = []
        var met: [MetPlaces] = []
        let placed = Array(example.list).firstIndex(of: "|") ?? 0
        for (index, character) in example.list.enumerated() where character != "|" {
            let place = Place(generation: index < placed ? 2 : 1, position: Int64(index))
            if let page = character.wholeNumberValue {
                met.append(MetPlaces(place, page: page))
            } else {
                missing.append(MissingRows.Row(id: Int64(index), section: nil, place: place))
            }
        }
        let pages = Set(example.list.compactMap(\.wholeNumberValue)).union(example.emptyPages).sorted()
        var evidence = MissingRows.Evidence(
            isOnePage: example.isOnePage, pages: pages.map { PageOfCrawl(crawl: 0, number: $0) },
            emptyPages: Set(example.emptyPages.map { PageOfCrawl(crawl: 0, number: $0) }), isDivided: false,
            last: example.last.map { PageOfCrawl(crawl: 0, number: $0) },
            askedAgain: Set(example.askedAgain.map { PageOfCrawl(crawl: 0, number: $0) }),
            isOwn: { example.own.contains($0.number) }, areSteady: { _, _ in example.isSteady })
        evidence.unordered = [2]
        evidence.isProved = isProved
        return try MissingRows(missing, among: met, evidence)
    }

    @Test(
        "The widest gap has the most rows that are missing one after another",
        arguments: [
            ("1-1--1-", [3, 4]), ("--1-", [0, 1]), ("1-1---", [3, 4, 5]), ("-1-", [0]), ("---", [0, 1, 2]), ("11", []),
        ] as [(String, [Int64])])
    func widestGap(list: String, ids: [Int64]) throws {
        #expect(MissingRows.widestGap(try rows(Example(list, [])).rows).map(\.id) == ids)
    }

    @Test(
        "A row is gone only if this run saw its neighbours with nothing between them",
        arguments: [
            // On one page of this run, and on one of an earlier run.
            Example("1-1", [[]]),
            Example("1--1", [[], []]),
            Example("1-1", [[1]], own: []),
            Example("1-1", [[]], own: [1], askedAgain: [1]),
            // Between two pages, which both have to be requested again, and to be steady.
            Example("1-2", [[1, 2]]),
            Example("1-2", [[1, 2]], askedAgain: [1]),
            Example("1-2", [[1, 2]], askedAgain: [1, 2]),
            Example("1-2", [[]], askedAgain: [1, 2], isSteady: true),
            // Beside a page that is empty, perhaps by mistake.
            Example("1-3", [[1, 2, 3]], emptyPages: [2]),
            Example("1-3", [[1, 2, 3]], askedAgain: [1, 3], isSteady: true, emptyPages: [2]),
            Example("1-3", [[]], askedAgain: [1, 2, 3], isSteady: true, emptyPages: [2]),
            Example("1-4", [[1, 2, 3, 4]], emptyPages: [2, 3]),
            // At the end and at the beginning of the list.
            Example("12-", [[2]]),
            Example("12-", [[]], askedAgain: [2]),
            Example("-12", [[1]]),
            Example("-", [[]]),
            // An empty page behind them may have it by now.
            Example("12-", [[2]], last: 2),
            Example("12-", [[2, 3]], last: 3),
            Example("12-", [[2, 3]], askedAgain: [2, 3], last: 3),
            Example("12-", [[]], askedAgain: [2, 3], isSteady: true, last: 3),
            // A list of one page came in one response.
            Example("-1-", [[], []], isOnePage: true),
            Example("1-12-3", [[], [2, 3]]),
            // Neighbours that have moved are passed over.
            Example("23-14", [[3, 4]]),
            // Both neighbours have moved to the head.
            Example("11223311-44", [[3, 4]]),
            Example("1122331-144", [[3, 4]]),
            Example("24-13", [[1]]),
            Example("4-21-3", [[1, 2], [2, 3]]),
            Example("21-34", [[2, 3]]),
            // New items fill the first page.
            Example("-21", [[1, 2]]),
            Example("-21", [[]], askedAgain: [1, 2], isSteady: true),
            // A row that a crawl by watermark placed may stand on any page, and is no neighbour of others.
            Example("1-1|23", [[1, 2, 3]]),
            Example("-|123", [[1, 2, 3, 4]], last: 4),
            Example("1-1|23", [[1, 2, 3]], askedAgain: [1, 2, 3]),
            Example("1-1|23", [[1, 2, 3]], askedAgain: [1, 2], isSteady: true),
            Example("1-1|23", [[]], askedAgain: [1, 2, 3], isSteady: true),
            Example("-|1", [[]], isOnePage: true),
            Example("33|11-223", [[1, 2]]),
        ])
    func pages(example: Example) throws {
        let pages = try rows(example).rows.map { Set($0.pages.map(\.number)) }
        #expect(pages == example.pages)
    }

    @Test(
        "Rows have moved if their page comes before those of more rows above them, or behind those of more rows below",
        arguments: [
            ("1123", [1, 1, 1, 1]), ("1132", [1, 1, 1, 1]), ("211", [0, 1, 1]), ("11133112", [1, 1, 1, 0, 0, 1, 1, 1]),
            ("", []),
        ] as [(String, [Int])])
    func steadyRows(pages: String, steady: [Int]) {
        let pages = pages.compactMap(\.wholeNumberValue)
        let counts = [Int64](repeating: 1, count: pages.count)
        #expect(SteadyRows.find(counts: counts, pages: pages) == steady.map { $0 == 1 })
    }

    @Test("Only rows with no later row that was met are at the end, and only rows beside none have no neighbours")
    func places() throws {
        #expect(try rows(Example("-1-2--", [])).rows.map(\.isAtEnd) == [false, false, true, true])
        #expect(try rows(Example("-1-", [])).rows.map(\.hasNeighbours) == [true, true])
        #expect(try rows(Example("--", [])).rows.map(\.hasNeighbours) == [false, false])
    }

    @Test("Rows that may be where the run could not see them are left out")
    func leftOut() throws {
        func left(
            _ list: String, isTailOpen: Bool = false, isFirstLoad: Bool = false, isWhole: Bool = true,
            passedOver: Set<Int64> = [], last: Int? = nil, isProved: Bool = false
        ) throws -> [Int64] {
            var rows = try rows(Example(list, [], last: last), isProved: isProved)
            rows.leaveOut(isTailOpen: isTailOpen, isFirstLoad: isFirstLoad, isWhole: isWhole, passedOver: passedOver)
            return rows.rows.map(\.id)
        }
        #expect(try left("-1-") == [0, 2])
        #expect(try left("-1-", isTailOpen: true) == [0])
        #expect(try left("-1-", passedOver: [0]) == [2])
        #expect(try left("-1-", isFirstLoad: true) == [0, 2])
        #expect(try left("-1-", isFirstLoad: true, isWhole: false) == [])
        #expect(try left("--", isWhole: false) == [])
        // All rows that stood near it have moved, and the row may stand on a page between.
        let threes = String(repeating: "3", count: 64)
        let ones = String(repeating: "1", count: 64)
        #expect(try left("2\(threes)-\(ones)4") == [])
        #expect(try left("2\(threes)-4") == [65])
        // A row that a crawl by watermark placed may stand on more pages than are requested again.
        #expect(try left("-|123456789", last: 10) == [0])
        #expect(try left("-|0123456789", last: 10) == [])
        #expect(try left("-|0123456789", last: 10, isProved: true) == [0])
        #expect(try left("2\(threes)-\(ones)4", isProved: true) == [])
    }
}
