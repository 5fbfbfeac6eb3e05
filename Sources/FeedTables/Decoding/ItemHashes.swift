internal import CPageDecoder

/// The hashes of a page's items, in the memory that the page's slots point into.
///
/// The hash depends on the item's content: the order of its members, white space, ignored parts and the place of an
/// element in a list of values make no difference.
/// The second of two equal items on a page gets a hash of its own, so that neither is lost.
final class ItemHashes: @unchecked Sendable {
    // Sendable: nothing is written after `init`.

    /// A hash as JSON: 32 digits between quotes.
    private static let width = 34
    private let text: UnsafeMutablePointer<CChar>

    /// Hashes every item and writes the hash into the slot.
    init(of page: json_page, into slot: Int, ignoring ignored: IgnoredMembers) {
        text = .allocate(capacity: max(page.item_count, 1) * Self.width)
        var counts: [UInt128: Int] = [:]
        for index in 0..<page.item_count where page.items[index].kind == JSON_OBJECT {
            let raw = UnsafeRawBufferPointer(
                start: page.items[index].raw, count: Int(page.items[index].raw_length))
            var hash = ContentHash()
            hash.add(ignored.canonicalText(of: raw, isPlaced: false).utf8)
            let count = counts[hash.value, default: 0]
            counts[hash.value] = count + 1
            if count > 0 { hash.add("#\(count + 1)".utf8) }
            let place = text + index * Self.width
            for (offset, byte) in "\"\(hash.digits)\"".utf8.enumerated() { place[offset] = CChar(bitPattern: byte) }
            let target = UnsafeMutablePointer(mutating: page.item_slots + index * page.slots_per_item + slot)
            target.pointee.kind = JSON_TEXT
            target.pointee.bytes = UnsafePointer(place + 1)
            target.pointee.length = UInt32(Self.width - 2)
            target.pointee.raw = UnsafePointer(place)
            target.pointee.raw_length = UInt32(Self.width)
        }
    }

    deinit { text.deallocate() }
}

extension JSONValue {
    /// The value as JSON without white space, with members in the order of their names and numbers as they came.
    var canonicalText: String {
        switch self {
        case .null: return "null"
        case .bool(let value): return "\(value)"
        case .number(let digits): return digits
        case .string(let text): return JSONText.string(text)
        case .array(let elements): return "[\(elements.map(\.canonicalText).joined(separator: ","))]"
        case .object(let members):
            let sorted = members.sorted { Array($0.name.utf8).lexicographicallyPrecedes(Array($1.name.utf8)) }
            return "{\(sorted.map { "\(JSONText.string($0.name)):\($0.value.canonicalText)" }.joined(separator: ","))}"
        }
    }
}
