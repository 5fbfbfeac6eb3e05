internal import Feeds
internal import HTTP
internal import JSON

/// A list whose elements are not objects: texts and numbers, or rows of them.
///
/// | elements | items |
/// | --- | --- |
/// | scalars | `value`, and `position`: the place on the page, from 0 |
/// | arrays, if the definition names their elements | these names |
/// | arrays below one of different texts, with as many elements | the texts of the first array |
///
/// Anything else stays unchanged. So does a list whose items would lack the feed's key: errors then show the elements
/// as they came.
struct PlainList: Sendable {
    /// The names that lead to the list; nil where its place is not known, or is not a member.
    private let place: [String]?
    /// The names of the elements of an array, in order; empty where the definition has none.
    private let names: [String]
    /// The members that make the key; empty where it is found.
    private let key: [String]

    /// - Parameters:
    ///   - items: The path of the list; nil for the whole body.
    ///   - names: The names of the elements of an array, in order.
    ///   - key: The paths of the feed's key; empty where it is found.
    init(items: Path?, names: [String], key: [Path]) {
        place = (items ?? Path([])).memberNames
        self.names = names
        self.key = key.filter { $0 != Path([.itemHash]) }.map(\.columnName)
    }

    /// The body with objects in place of the elements; nil for a body that stays as it is.
    ///
    /// - Throws: `BodyFault` for rows that do not match their header.
    func objects(in body: Body, limit: Int) throws(BodyFault) -> Body? {
        guard let place, beginsPlainly(body, at: place),
            let text = String(validating: body.bytes, as: UTF8.self), var value = try? JSONValue(parsing: text),
            case .array(let elements)? = value.value(at: place[...]), let items = try items(of: elements)
        else { return nil }
        value.set(place[...], to: .array(items))
        let output = JSONOutput(limit: limit)
        try output.write(value)
        return output.body
    }

    private func beginsPlainly(_ body: Body, at place: [String]) -> Bool {
        body.withUnsafeBytes { bytes in
            var search = PlainListSearch(bytes)
            return search.beginsPlainly(at: place)
        }
    }

    /// The objects for the elements.
    func items(of elements: [JSONValue]) throws(BodyFault) -> [JSONValue]? {
        let present = elements.filter { $0 != .null }
        let rows = present.compactMap { element -> [JSONValue]? in
            if case .array(let row) = element { row } else { nil }
        }
        if rows.count == present.count { return try items(of: rows) }
        guard rows.isEmpty, !present.contains(where: \.isObject),
            isKey(among: [PlainItem.value, PlainItem.position])
        else { return nil }
        return elements.enumerated().compactMap { position, element in
            element == .null
                ? nil
                : .object(of: [(PlainItem.value, element), (PlainItem.position, .number("\(position)"))])
        }
    }

    private func items(of rows: [[JSONValue]]) throws(BodyFault) -> [JSONValue]? {
        let header = Self.header(of: rows)
        guard let chosen = names.isEmpty ? header : names, isKey(among: chosen) else { return nil }
        let isHeader = names.isEmpty || header?.map { $0.lowercased() } == names.map { $0.lowercased() }
        var items: [JSONValue] = []
        for (number, row) in rows.enumerated().dropFirst(isHeader ? 1 : 0) {
            guard !names.isEmpty || row.count <= chosen.count else {
                throw BodyFault("row \(number + 1) has more elements than the first one, which has \(chosen.count)")
            }
            items.append(.object(of: zip(chosen, row).map { ($0, $1) }))
        }
        return items
    }

    private func isKey(among names: [String]) -> Bool { key.allSatisfy(names.contains) }

    /// The names in the first row: different words above at least one row of the same length, of which none comes again
    /// in its column.
    private static func header(of rows: [[JSONValue]]) -> [String]? {
        guard let first = rows.first, rows.count > 1, rows[1].count == first.count,
            first.count <= FeedDefinition.mostColumns
        else { return nil }
        let names = first.compactMap { value -> String? in
            if case .string(let text) = value, let first = text.first, first.isLetter || "_$@#".contains(first) {
                text
            } else {
                nil
            }
        }
        guard names.count == first.count, !names.isEmpty, Set(names.map { $0.lowercased() }).count == names.count
        else { return nil }
        let comesAgain = rows.dropFirst().prefix(mostCompared).contains { row in
            zip(first, row).contains { $0 == $1 }
        }
        return comesAgain ? nil : names
    }

    private static let mostCompared = 100
}

/// Looks for the first element of a list, and reads no further: most lists have objects.
struct PlainListSearch {
    private let bytes: UnsafeRawBufferPointer
    private var place = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// True if there is a list at the place whose first element besides `null` is not an object.
    mutating func beginsPlainly(at names: [String]) -> Bool {
        for name in names { guard enter(name) else { return false } }
        guard next() == UInt8(ascii: "[") else { return false }
        place += 1
        while let byte = next() {
            switch byte {
            case UInt8(ascii: "n"): place += 4
            case UInt8(ascii: ","): place += 1
            case UInt8(ascii: "{"), UInt8(ascii: "]"): return false
            default: return true
            }
        }
        return false
    }

    /// Goes to the value of a member of the object at the place.
    private mutating func enter(_ name: String) -> Bool {
        guard next() == UInt8(ascii: "{") else { return false }
        place += 1
        while let byte = next(), byte == UInt8(ascii: "\"") {
            let start = place
            skipString()
            let isWanted = Self.isText(bytes[min(start + 1, place)..<max(place - 1, min(start + 1, place))], name)
            guard next() == UInt8(ascii: ":") else { return false }
            place += 1
            if isWanted { return true }
            skipValue()
            guard next() == UInt8(ascii: ",") else { return false }
            place += 1
        }
        return false
    }

    /// Names with escapes are not recognised: their lists stay as they are.
    private static func isText(_ bytes: Slice<UnsafeRawBufferPointer>, _ name: String) -> Bool {
        bytes.elementsEqual(name.utf8)
    }

    /// The next byte that is not white space.
    private mutating func next() -> UInt8? {
        while place < bytes.count {
            let byte = bytes[place]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            place += 1
        }
        return nil
    }

    private mutating func skipString() {
        place += 1
        while place < bytes.count {
            let byte = bytes[place]
            place += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: "\"") { break }
        }
        place = min(place, bytes.count)
    }

    private mutating func skipValue() {
        var depth = 0
        while let byte = next() {
            switch byte {
            case UInt8(ascii: "\""): skipString()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                place += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { return }
                depth -= 1
                place += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"):
                guard depth > 0 else { return }
                place += 1
            default: place += 1
            }
            if depth == 0, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
                return
            }
        }
    }
}

extension JSONValue {
    fileprivate var isObject: Bool { if case .object = self { true } else { false } }
}
