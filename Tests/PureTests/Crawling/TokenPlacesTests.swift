import Testing
import Text

@testable import Crawling

@Suite("Tokens that contain positions")
struct TokenPlacesTests {
    private static func tokens(_ texts: [String], _ before: [Int]) -> [TokenPlaces.Token] {
        zip(texts, before).enumerated().map { index, token in
            TokenPlaces.Token(text: token.0, before: token.1, page: index + 2)
        }
    }

    @Test(
        "A token has the place of its page plainly or encoded, also where pages are not full",
        arguments: [
            (["10", "20", "30"], [10, 20, 30]),
            (["page-2", "page-3"], [10, 20]),
            (["MTA=", "MjA=", "MzA="], [10, 20, 30]),
            // The second page has nine items.
            (["cursor:10", "cursor:20", "cursor:30", "cursor:40"], [10, 19, 29, 39]),
            (["MTA=", "MjA=", "MzA=", "NDA="], [10, 19, 29, 39]),
            // YouTube's are 5 and 10 as integers of Protocol Buffers.
            (["CAUQAA", "CAoQAA", "CA8QAA"], [5, 10, 15]),
            (["706167652d3130", "706167652d3230", "706167652d3330"], [10, 20, 30]),
            (["e30.eyJwIjoyfQ.x", "e30.eyJwIjozfQ.y", "e30.eyJwIjo0fQ.z"], [10, 20, 30]),
        ] as [([String], [Int])])
    func places(texts: [String], before: [Int]) {
        #expect(TokenPlaces.hasPlaces(Self.tokens(texts, before)))
    }

    @Test(
        "A token that names an item has no place",
        arguments: [
            (["412", "958", "1311"], [10, 20, 30]),
            (["a8f3", "b901", "c2d4"], [10, 20, 30]),
            (["item-25", "item-40"], [10, 20]),
            (["1010", "1020", "1030"], [10, 20, 30]),
            (["2026-11-05", "2026-11-06", "2026-11-07"], [10, 20, 30]),
            (["2026-11-21T10:00:05Z", "2026-11-21T10:07:41Z", "2026-11-21T10:09:02Z"], [10, 20, 30]),
            ([], []),
        ] as [([String], [Int])])
    func items(texts: [String], before: [Int]) {
        #expect(!TokenPlaces.hasPlaces(Self.tokens(texts, before)))
    }
}
