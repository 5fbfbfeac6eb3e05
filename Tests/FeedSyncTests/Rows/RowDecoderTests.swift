import FeedSync
import Foundation
import SQLite
import Testing

@Suite("A row decoded into a struct")
struct RowDecoderTests {
    /// A store with one feed of one row.
    private func store(_ columns: [String], _ values: [Value]) async throws -> QueriesStore {
        let queries = try await QueriesStore()
        try queries.addFeed("things", columns: columns)
        try queries.addRow("things", values, position: 0)
        try queries.addSection("things", nil, count: 1, position: 0)
        return queries
    }

    private struct Repository: Decodable, Sendable, Equatable {
        enum Language: String, Decodable { case swift = "Swift" }
        struct License: Decodable, Equatable { let spdxId: String }

        let id: Int
        let fullName: String
        let isFork: Bool
        let language: Language?
        let score: Double
        let homepage: String?
        let neverThere: Int?
        let topics: [String]
        let license: License
        let counts: [String: [Int?]]
    }

    @Test("A decoded row has its columns by name or camel case, and nested values from JSON text")
    func whole() async throws {
        let queries = try await store(
            ["id", "full_name", "is_fork", "language", "score", "homepage", "topics json", "license", "counts"],
            [
                1, "apple/swift", true, "Swift", 3, nil, #"["a","\ud83d\ude00"]"#, #"{"spdx_id":"MIT"}"#,
                #"{"x":[1,null,2.0]}"#,
            ])
        let items = try await queries.items(of: "things", as: Repository.self)
        #expect(
            items == [
                Repository(
                    id: 1, fullName: "apple/swift", isFork: true, language: .swift, score: 3, homepage: nil,
                    neverThere: nil, topics: ["a", "😀"], license: .init(spdxId: "MIT"), counts: ["x": [1, nil, 2]])
            ])
    }

    private struct Values: Decodable, Sendable, Equatable {
        let id: UUID
        let pushedAt: Date
        let seenAt: Date?
        let closedAt: Date?
        let page: URL
        let price: Decimal
        let total: Decimal
        let prices: [Decimal]
        let links: [String: URL]
    }

    @Test("Foundation's values have the forms of columns: times and seconds, texts of URLs, numbers and their texts")
    func foundation() async throws {
        let queries = try await store(
            ["id", "pushed_at", "seen_at", "closed_at", "page", "price", "total", "prices json", "links"],
            [
                "4F3A0C1E-5B0B-4E2B-9E0C-0F0A0B0C0D0E", "2026-11-21T02:20:11.500Z", 1_795_227_611, nil,
                "https://example.com/a?b=1", 0.1, "-12345678901234567890.50", "[1, 2.50, 1e3, 0]",
                #"{"next": "/b"}"#,
            ])
        let items = try await queries.items(of: "things", as: Values.self)
        let expected = Values(
            id: try #require(UUID(uuidString: "4F3A0C1E-5B0B-4E2B-9E0C-0F0A0B0C0D0E")),
            pushedAt: Date(timeIntervalSince1970: 1_795_227_611.5), seenAt: Date(timeIntervalSince1970: 1_795_227_611),
            closedAt: nil, page: try #require(URL(string: "https://example.com/a?b=1")),
            price: try #require(Decimal(string: "0.1")),
            total: try #require(Decimal(string: "-12345678901234567890.5")),
            prices: [1, try #require(Decimal(string: "2.5")), 1_000, 0],
            links: ["next": try #require(URL(string: "/b"))])
        #expect(items == [expected])
    }

    @Test(
        "A value that is none of Foundation's type names its column and the reason",
        arguments: [
            ("pushed_at", Value.text("soon"), "found text that is not an ISO 8601 time, expected Date"),
            ("price", .text("ten"), "found text that is not a number, expected Decimal"),
            ("price", .text("1234567890123456789012345678901234567891"), "the number does not fit Decimal"),
            ("page", .integer(1), "found an integer, expected URL"),
        ])
    func notOfFoundation(column: String, value: Value, reason: String) async throws {
        struct Row: Decodable, Sendable {
            let pushedAt: Date?
            let page: URL?
            let price: Decimal?
        }
        let queries = try await store(["id", column], [1, value])
        let error = await #expect(throws: FeedSyncError.self) {
            _ = try await queries.items(of: "things", as: Row.self)
        }
        #expect(error?.message.contains("column `\(column)`") == true)
        #expect(error?.message.hasSuffix(reason) == true, "\(error?.message ?? "")")
    }

    private struct Places: Decodable, Sendable {
        enum CodingKeys: String, CodingKey {
            case section = "_section"
            case generation = "_generation"
            case _changedAt
        }
        let section: String?
        let generation: Int
        let _changedAt: String
    }

    @Test("A decoded row may have the columns that every feed has")
    func places() async throws {
        let queries = try await store(["id"], [1])
        let item = try #require(try await queries.items(of: "things", as: Places.self).first)
        #expect(item.section == nil && item.generation == 1 && item._changedAt == "2026-11-02T00:00:00.000Z")
    }

    @Test("A decoded row prefers the column of exactly its name to one in camel case")
    func exactFirst() async throws {
        struct Item: Decodable, Sendable { let fullName: String }
        let queries = try await store(["full_name", "fullName"], ["camel", "exact"])
        #expect(try await queries.items(of: "things", as: Item.self).map(\.fullName) == ["exact"])
    }

    private struct One<Wrapped: Decodable & Sendable>: Decodable, Sendable {
        let value: Wrapped
    }

    private func value<Wrapped: Decodable & Sendable>(
        _ value: Value, type: String = "", as: Wrapped.Type
    ) async throws -> Wrapped? {
        let queries = try await store(["id", "value \(type)"], [42, value])
        return try await queries.items(of: "things", as: One<Wrapped>.self).first?.value
    }

    @Test("A decoded row has integers of every width, up to their limits")
    func integers() async throws {
        #expect(try await value(127, as: Int8.self) == 127)
        #expect(try await value(-32768, as: Int16.self) == -32768)
        #expect(try await value(.integer(.max), as: Int64.self) == .max)
        #expect(try await value(255, as: UInt8.self) == 255)
        #expect(try await value("18446744073709551615", as: UInt64.self) == .max)
        #expect(try await value("-170141183460469231731687303715884105728", as: Int128.self) == .min)
        #expect(try await value(2.0, as: Int.self) == 2)
        #expect(try await value("5", type: "json", as: UInt32.self) == 5)
    }

    @Test("A decoded row has floating point from integers and long digits, too")
    func floatingPoint() async throws {
        #expect(try await value(3, as: Float.self) == 3)
        #expect(try await value(0.1, as: Double.self) == 0.1)
        #expect(try await value("100000000000000000000", as: Double.self) == 1e20)
    }

    @Test("A decoded row has a string of a json column without its quotes, and an array there as its text")
    func jsonColumn() async throws {
        #expect(try await value(#""a\nb""#, type: "json", as: String.self) == "a\nb")
        #expect(try await value("[1, 2]", type: "json", as: String.self) == "[1, 2]")
        #expect(try await value(#""a""#, as: String.self) == #""a""#)
        #expect(try await value("true", type: "json", as: Bool.self) == true)
        #expect(try await value(nil, type: "json", as: [Int]?.self) == .some(nil))
    }

    @Test(
        "A decoded row is refused for a number that does not fit, with feed, column and key",
        arguments: [
            (Value.integer(128), "Int8"), (.integer(-1), "UInt"), (.real(1.5), "Int"), (.real(1e300), "Int"),
            (.real(9_007_199_254_740_994), "Int"),
            (.text("18446744073709551616"), "UInt64"), (.real(1e39), "Float"),
        ])
    func overflow(stored: Value, type: String) async throws {
        let error = await FeedSyncError.thrown {
            switch type {
            case "Int8": _ = try await value(stored, as: Int8.self)
            case "UInt": _ = try await value(stored, as: UInt.self)
            case "Int": _ = try await value(stored, as: Int.self)
            case "UInt64": _ = try await value(stored, as: UInt64.self)
            default: _ = try await value(stored, as: Float.self)
            }
        }
        #expect(error?.kind == .undecodable)
        #expect(
            error?.message.hasPrefix("column `value` of the row with id `42` of feed `things` cannot be decoded")
                == true)
        #expect(error?.message.hasSuffix("the number does not fit \(type)") == true)
    }

    @Test(
        "A decoded row is refused for a value of another kind, with the kind",
        arguments: [
            (Value.text("7"), "", "Int", "found text, expected Int"),
            (.text("007"), "", "Int", "found text, expected Int"),
            (.integer(7), "", "String", "found an integer, expected String"),
            (.null, "", "String", "found NULL, expected String"),
            (.integer(2), "", "Bool", "found an integer other than 0 and 1, expected Bool"),
            (.text("[1"), "", "[Int]", "found text that is not JSON: expected `,` or `]` at byte 2"),
            (.text("{}"), "json", "[Int]", "found an object, expected an array"),
            (.blob([1]), "", "String", "found bytes, expected String"),
        ])
    func mismatch(stored: Value, column: String, type: String, reason: String) async throws {
        let error = await FeedSyncError.thrown {
            switch type {
            case "Int": _ = try await value(stored, type: column, as: Int.self)
            case "String": _ = try await value(stored, type: column, as: String.self)
            case "Bool": _ = try await value(stored, type: column, as: Bool.self)
            default: _ = try await value(stored, type: column, as: [Int].self)
            }
        }
        #expect(error?.message.hasSuffix(reason) == true, "\(error?.message ?? "no error")")
    }

    @Test("A decoded row is refused with the place inside the JSON, and for a missing column")
    func placeOfFailure() async throws {
        struct Nested: Decodable, Sendable {
            struct Part: Decodable { let names: [String] }
            let deepParts: [Part]
        }
        let queries = try await store(["id", "deep_parts"], ["it's", #"[{"names":["a",2]}]"#])
        let nested = await FeedSyncError.thrown { _ = try await queries.items(of: "things", as: Nested.self) }
        #expect(
            nested?.message.hasPrefix("column `deep_parts[0].names[1]` of the row with id `it's` of feed `things`")
                == true)
        let missing = await FeedSyncError.thrown { _ = try await queries.items(of: "things", as: One<Int>.self) }
        #expect(missing?.message.contains("column `value`") == true)
        #expect(missing?.message.hasSuffix("there is no column of that name") == true)
    }

    @Test("A decoded row passes on the struct's own errors")
    func ownError() async throws {
        struct Picky: Decodable, Sendable {
            struct Objection: Error, CustomStringConvertible { let description = "too dull" }
            init(from decoder: any Decoder) throws { throw Objection() }
        }
        let queries = try await store(["id"], [1])
        let error = await FeedSyncError.thrown { _ = try await queries.items(of: "things", as: Picky.self) }
        #expect(error?.kind == .undecodable && error?.message.hasSuffix("too dull") == true)
    }

    @Test("A decoded row may be read by hand: keys, nested containers, a superclass")
    func byHand() async throws {
        struct Manual: Decodable, Sendable {
            struct Key: CodingKey {
                let stringValue: String
                var intValue: Int? { nil }
                init(stringValue: String) { self.stringValue = stringValue }
                init?(intValue: Int) { nil }
            }
            var keys: [String] = []
            var inner = 0
            var sum = 0

            init(from decoder: any Decoder) throws {
                let row = try decoder.container(keyedBy: Key.self)
                keys = row.allKeys.map(\.stringValue)
                inner = try row.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: "object"))
                    .decode(Int.self, forKey: Key(stringValue: "inner"))
                var numbers = try row.nestedUnkeyedContainer(forKey: Key(stringValue: "numbers"))
                while !numbers.isAtEnd { sum += try numbers.decode(Int.self) }
                let object = try row.superDecoder(forKey: Key(stringValue: "object"))
                inner += try object.container(keyedBy: Key.self).decode(Int.self, forKey: Key(stringValue: "inner"))
            }
        }
        let queries = try await store(["id", "object", "numbers"], [1, #"{"inner":4}"#, "[1,2,3]"])
        let item = try #require(try await queries.items(of: "things", as: Manual.self).first)
        #expect(item.keys.prefix(4) == ["id", "object", "numbers", "_section"])
        #expect(item.inner == 8 && item.sum == 6)
    }
}
