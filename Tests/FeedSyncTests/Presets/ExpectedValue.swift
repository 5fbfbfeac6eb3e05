import Foundation

@testable import FeedSync

/// A JSON value read by Foundation, independently of the decoder under test.
indirect enum ExpectedValue: Decodable, Equatable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    case text(String)
    case array([ExpectedValue])
    case object([String: ExpectedValue])

    init(_ text: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .real(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([ExpectedValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: ExpectedValue].self))
        }
    }

    /// The value at a path; null if there is none.
    func value(at path: Path) -> ExpectedValue {
        path.segments.reduce(self) { value, segment in
            switch (segment, value) {
            case (.member(let name), .object(let members)): members[name] ?? .null
            case (.index(let index), .array(let elements)) where elements.indices.contains(index): elements[index]
            default: .null
            }
        }
    }

    /// A text for an object or array, whose JSON has several spellings.
    static let json = "JSON"

    /// True if the value is stored as JSON text.
    var isStoredAsJSON: Bool {
        switch self {
        case .array, .object: true
        default: false
        }
    }

    /// The value as SQLite's `quote()` shows a column that holds it.
    func quoted(as type: ColumnType?) throws -> String {
        switch self {
        case .null: "NULL"
        case .boolean(let value): value ? "1" : "0"
        case .integer(let seconds) where type == .timestamp: Self.moment(Date(timeIntervalSince1970: Double(seconds)))
        case .text(let text) where type == .timestamp:
            // A time without a zone is one of UTC.
            try Self.moment(Date(text.contains(/(Z|[+-]\d\d:\d\d)$/) ? text : text + "Z", strategy: .iso8601))
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let text): "'\(text.replacing("'", with: "''"))'"
        case .array, .object: Self.json
        }
    }

    private static func moment(_ date: Date) -> String {
        "'\(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))'"
    }
}
