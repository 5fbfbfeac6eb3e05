import Foundation
import SQLite

@testable import MirrorReader
@testable import MirrorWriter

/// A mirrored table beside Foundation's reading of the upstream's items.
struct MirroredValues {
    private struct Recorded: Decodable {
        let name: String
        let path: String
    }

    private let rows: [[Value]]
    private let columns: [ColumnDefinition]

    /// Reads the table in the order of its ids, or in feed order.
    init(_ bench: EngineBench, from table: String = "things", order: String = "_generation DESC, _position")
        async throws
    {
        let layout = try await bench.store.rows(of: "things", limit: 0)
        let connection = try Connection(path: bench.store.path, access: .readOnly)
        // SQLite's own JSON functions end a text at its first NUL.
        let recorded = try connection.scalar("SELECT columns FROM _feed")?.text ?? ""
        let members = try JSONDecoder().decode([Recorded].self, from: Data(recorded.utf8))
        columns = try layout.columns.map { column in
            let path = members.first { Array($0.name.utf8) == Array(column.name.utf8) }?.path
            return ColumnDefinition(name: column.name, path: try Path(path ?? ""), type: column.type)
        }
        let names = try columns.map { try SQL.identifier($0.name) }.joined(separator: ", ")
        var rows: [[Value]] = []
        try connection.rows("SELECT \(names) FROM \(table) ORDER BY \(order)") { row in
            rows.append((0..<row.columnCount).map { row.value(at: $0) })
        }
        self.rows = rows
    }

    /// The parts of the items that the table lacks or has changed; empty if there are none.
    func losses(of items: [String]) throws -> [String] {
        guard rows.count == items.count else { return ["\(items.count) items came, \(rows.count) rows are there"] }
        return try zip(items, rows).flatMap { item, row in
            guard let object = try Self.read(item) as? [String: Any] else { return ["no object: \(item)"] }
            return losses(of: object, at: Path([]), in: row)
        }
    }

    /// A member is present if its own column has it, or that of an enclosing value, or those of its members.
    private func losses(of value: Any, at path: Path, in row: [Value]) -> [String] {
        if !path.segments.isEmpty, let place = columns.firstIndex(where: { $0.path == path }) {
            if Self.isSame(row[place], value) { return [] }
            // An object that came while its members had columns, and before some item had something else in its place.
            guard value is [String: Any], row[place] == .null else {
                return ["\(path): \("\(value)".prefix(80)) is stored as \("\(row[place])".prefix(80))"]
            }
        }
        guard let members = value as? [String: Any], !members.isEmpty || path.segments.isEmpty else {
            return ["\(path) has no column"]
        }
        return members.flatMap { losses(of: $1, at: Path(path.segments + [.member($0)]), in: row) }
    }

    static func read(_ json: String) throws -> Any {
        try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
    }

    /// True if a stored value equals Foundation's.
    static func isSame(_ stored: Value, _ read: Any) -> Bool {
        switch (stored, read) {
        case (.null, is NSNull): return true
        case (.text(let text), let string as String): return Array(text.utf8) == Array(string.utf8)
        case (.integer(let stored), let number as NSNumber):
            return isBoolean(number)
                ? (stored == 1) == number.boolValue && (0...1).contains(stored)
                : number.compare(NSNumber(value: stored)) == .orderedSame
        case (.real(let stored), let number as NSNumber):
            return !isBoolean(number) && stored == Double(number.stringValue)
        case (.text(let text), let number as NSNumber):
            guard !isBoolean(number) else { return text == (number.boolValue ? "true" : "false") }
            return ((try? self.read(text)) as? NSNumber)?.compare(number) == .orderedSame
        case (.text(let text), is [Any]), (.text(let text), is [String: Any]):
            return (try? self.read(text)).map { isSame($0, read) } == true
        default: return false
        }
    }

    private static func isSame(_ one: Any, _ other: Any) -> Bool {
        switch (one, other) {
        case (let one as [Any], let other as [Any]): one.count == other.count && zip(one, other).allSatisfy(isSame)
        case (let one as [String: Any], let other as [String: Any]):
            one.count == other.count && one.allSatisfy { name, value in other[name].map { isSame(value, $0) } == true }
        default: (one as? NSObject)?.isEqual(other) == true
        }
    }

    /// Only `true` and `false` are read as numbers of one byte.
    private static func isBoolean(_ number: NSNumber) -> Bool {
        number.objCType.pointee == CChar(bitPattern: UInt8(ascii: "c"))
    }
}
