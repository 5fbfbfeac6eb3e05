internal import CPageDecoder
internal import Patterns

/// A column whose values are made from an item's, as a plan compiles it.
struct DerivedColumn: Sendable {
    let column: Int
    /// The slot that receives the value, among an item's slots.
    let slot: Int
    let source: Source

    enum Source: Sendable {
        /// The same text for every item.
        case text(String)
        /// The value in another slot, changed.
        case change(slot: Int, pattern: Pattern?, replacement: [UInt8], isMasked: Bool)
    }

    /// - Throws: `FeedSyncError` of kind `configuration` for a pattern that cannot be compiled here.
    init(
        _ derivation: Derivation, of column: Int, named name: String, in slot: Int, from source: Int
    ) throws(FeedSyncError) {
        (self.column, self.slot) = (column, slot)
        switch derivation {
        case .value(let template): self.source = .text(template.literalText)
        case .change(let change):
            do throws(PatternError) {
                self.source = .change(
                    slot: source, pattern: try change.pattern.map(Pattern.init),
                    replacement: Array(change.replacement.utf8), isMasked: change.maskKey != nil)
            } catch {
                throw FeedSyncError(
                    .configuration, "`replace` of column `\(name)`: \(error.problem)",
                    advice: "feedsync check  # shows the place")
            }
        }
    }
}

extension DerivedColumn.Source {
    fileprivate var isMasked: Bool { if case .change(_, _, _, true) = self { true } else { false } }
}

/// The made values of a page, in memory that the page's slots point into.
final class DerivedValues: @unchecked Sendable {
    // Sendable: nothing is written after `init`.

    /// The number of texts that a pattern could not be tried on, by column.
    let untried: [Int: Int]
    private let memory: TextMemory

    /// Makes the values of all items and writes them into their slots.
    ///
    /// - Parameter keys: The keys of the masked columns, in the columns' order.
    init(of page: json_page, by columns: [DerivedColumn], keys: [[UInt8]]) {
        var untried: [Int: Int] = [:]
        var keys = keys[...]
        let memory = TextMemory()
        for column in columns {
            let key = column.source.isMasked ? keys.popFirst() : nil
            let constant: json_slot? =
                if case .text(let text) = column.source { memory.slot(Array(text.utf8)) } else { nil }
            for index in 0..<page.item_count where page.items[index].kind == JSON_OBJECT {
                let slots = UnsafeMutablePointer(mutating: page.item_slots + index * page.slots_per_item)
                guard case .change(let source, let pattern, let replacement, let isMasked) = column.source else {
                    if let constant { slots[column.slot] = constant }
                    continue
                }
                let value = slots[source]
                slots[column.slot] = value
                guard value.kind != JSON_MISSING, value.kind != JSON_NULL else { continue }
                var changed: [UInt8]?
                if let pattern, value.kind.isScalar {
                    changed = pattern.replacing(value.writtenBytes, with: replacement)
                    if changed == nil { untried[column.column, default: 0] += 1 }
                }
                if isMasked {
                    // Without a key, nothing is stored.
                    slots[column.slot].kind = JSON_NULL
                    changed = key.map {
                        Hexadecimal.encodedBytes(SHA256.signature(of: changed ?? Array(value.writtenBytes), key: $0))
                    }
                }
                if let changed { slots[column.slot] = memory.slot(changed) }
            }
        }
        self.untried = untried
        self.memory = memory
    }
}

/// Texts that stay in their places.
private final class TextMemory {
    private static let blockSize = 64 << 10
    private var blocks: [UnsafeMutableRawPointer] = []
    /// The end of the last text, and the room behind it.
    private var place: (end: UnsafeMutableRawPointer, room: Int)?

    /// A slot with a text, and with its JSON.
    func slot(_ text: [UInt8]) -> json_slot {
        let json = Array(JSONText.string(String(decoding: text, as: UTF8.self)).utf8)
        let raw = keep(json)
        // Nothing in it is escaped: the text stands between the quotes.
        let plain = json.count == text.count + 2 ? raw + 1 : keep(text)
        var slot = json_slot()
        slot.kind = JSON_TEXT
        slot.bytes = plain.assumingMemoryBound(to: CChar.self)
        slot.length = UInt32(text.count)
        slot.raw = raw.assumingMemoryBound(to: CChar.self)
        slot.raw_length = UInt32(json.count)
        return slot
    }

    private func keep(_ bytes: [UInt8]) -> UnsafeRawPointer {
        let (end, room) = place.flatMap { $0.room < bytes.count ? nil : $0 } ?? newBlock(for: bytes.count)
        UnsafeMutableRawBufferPointer(start: end, count: bytes.count).copyBytes(from: bytes)
        place = (end + bytes.count, room - bytes.count)
        return UnsafeRawPointer(end)
    }

    private func newBlock(for count: Int) -> (end: UnsafeMutableRawPointer, room: Int) {
        let size = max(Self.blockSize, count)
        let block = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 1)
        blocks.append(block)
        return (block, size)
    }

    deinit { for block in blocks { block.deallocate() } }
}

extension json_slot {
    /// The text, or any other value as it came.
    fileprivate var writtenBytes: UnsafeRawBufferPointer { kind == JSON_TEXT ? textBytes : rawBytes }
}
