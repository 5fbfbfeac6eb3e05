internal import CPageDecoder
internal import Concurrency
package import HTTP

/// Decodes pages, one after the other or several at once, and reuses its buffers.
///
/// - Isolation: any.
package final class PageDecoder: Sendable {
    package let plan: DecodePlan
    private let idle = Lock<[Scanner]>([])

    package init(_ plan: DecodePlan) {
        self.plan = plan
    }

    /// Decodes a page in one pass. Errors contain none of the secrets.
    ///
    /// - Parameter maskKeys: The keys of the masked columns, in the columns' order.
    /// - Throws: `FeedSyncError` of kind `undecodable`, with the byte offset and an excerpt.
    package func decode(
        _ body: Body, secrets: Secrets = Secrets(), maskKeys: [[UInt8]] = []
    ) throws(FeedSyncError) -> DecodedPage {
        let scanner = idle.withLock { $0.popLast() } ?? Scanner()
        guard let scanner else { throw .outOfMemory }
        let page = body.withUnsafeBytes { bytes in
            json_decode(
                scanner.pointer, plan.pointer, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        guard page.error == JSON_OK else {
            recycle(scanner)
            throw PageFault.error(page, of: body, plan: plan, secrets: secrets)
        }
        return DecodedPage(page, body: body, scanner: scanner, plan: plan, decoder: self, maskKeys: maskKeys)
    }

    /// The maximum memory of a scanner that is kept.
    private static let largestKept = 32 << 20

    /// Takes a scanner back for the next page, unless its page was unusually large.
    fileprivate func recycle(_ scanner: Scanner) {
        guard json_decoder_memory(scanner.pointer) <= Self.largestKept else { return }
        idle.withLock { if $0.count < 4 { $0.append(scanner) } }
    }
}

/// Owns one C decoder with its buffers.
final class Scanner: @unchecked Sendable {
    // Sendable: it has one user at a time, who takes it from the idle ones and gives it back.
    fileprivate let pointer: OpaquePointer

    fileprivate init?() {
        guard let pointer = json_decoder_create() else { return nil }
        self.pointer = pointer
    }

    deinit { json_decoder_destroy(pointer) }
}

/// A page's items and values, as views of its body.
package final class DecodedPage: @unchecked Sendable {
    // Sendable: nothing is written after `init`, and the buffers that it points into live as long as it does.
    package let plan: DecodePlan
    private let page: json_page
    private let body: Body
    private let scanner: Scanner
    private let decoder: PageDecoder
    private let hashes: ItemHashes?
    private let derived: DerivedValues?
    /// The keys of the page's items in their order, as a JSON array.
    package private(set) var keys = "[]"
    /// The number of those keys.
    package private(set) var keyCount = 0
    /// The elements to store, for a page that has several items with the same key: the last item of a key takes the
    /// place of the first one. nil for the usual page, on which each item has a key of its own.
    private(set) var orderWithoutRepeats: [Int]?
    /// True if every element is known to be an item that can be stored.
    fileprivate private(set) var hasItemsOnly = false

    fileprivate init(
        _ page: json_page, body: Body, scanner: Scanner, plan: DecodePlan, decoder: PageDecoder, maskKeys: [[UInt8]]
    ) {
        self.page = page
        self.body = body
        self.scanner = scanner
        self.plan = plan
        self.decoder = decoder
        hashes = plan.hashSlot.map { ItemHashes(of: page, into: $0, ignoring: plan.ignored) }
        derived = plan.derived.isEmpty ? nil : DerivedValues(of: page, by: plan.derived, keys: maskKeys)
        let integers = integerKeys
        (keys, keyCount) = integers.map { (Self.text(of: $0), $0.count) } ?? keysText
        hasItemsOnly = integers?.count == elementCount
        orderWithoutRepeats = order(of: integers)
    }

    deinit { decoder.recycle(scanner) }

    /// The number of bytes of the body.
    package var byteCount: Int { body.count }

    /// The number of elements in the items array, whatever they are.
    package var elementCount: Int { page.item_count }

    /// The element at `index`, which must be less than `elementCount`.
    func element(at index: Int) -> PageItem {
        PageItem(
            element: page.items[index], slots: page.item_slots.advanced(by: index &* page.slots_per_item),
            layout: plan.layout, plan: plan)
    }

    /// The bytes of the body from the first element to the last one; nil without elements.
    package var elementsRange: Range<Int>? {
        guard elementCount > 0 else { return nil }
        let (first, last) = (element(at: 0), element(at: elementCount - 1))
        let (start, end) = (offset(of: first), offset(of: last) + last.raw.count)
        return start < end ? start..<end : nil
    }

    /// The element at `index`, which must be less than `elementCount`, as a value.
    ///
    /// - Throws: `JSONSyntaxError` if it has too many values.
    package func value(at index: Int) throws(JSONSyntaxError) -> JSONValue {
        try JSONValue(parsing: Array(element(at: index).raw))
    }

    /// True if items have members without a column, or values that do not fit their column, and the feed's columns may
    /// grow.
    package var needsNewColumns: Bool {
        guard let fitting = plan.fittingKinds, let kinds = page.item_kinds else { return false }
        return (!plan.isFull && hasUnknownMembers)
            || zip(plan.layout.columns, fitting).contains { kinds[$0.slot] & ~$1 != 0 }
    }

    /// True if items have members without a column, and the feed's columns may grow.
    package var hasUnknownMembers: Bool {
        guard plan.fittingKinds != nil, let kinds = page.item_kinds else { return false }
        let isMissing = UInt16(1) << UInt16(JSON_MISSING.rawValue)
        return page.has_strangers != 0 || plan.unknownSlots.contains { kinds[$0] & ~isMissing != 0 }
    }

    /// The kinds of value that the page's elements have in a column, as in `json_page.item_kinds`.
    func kinds(of column: Int) -> UInt16 {
        let slot = plan.layout.columns[column].slot
        // The items' hashes are not the decoder's, nor are other values that are made.
        let isMade = slot == plan.hashSlot || plan.derived.contains { $0.column == column }
        return isMade ? .max : page.item_kinds?[slot] ?? .max
    }

    /// The number of texts that were too much for a column's pattern, by the column's name.
    package var untried: [String: Int] {
        var named: [String: Int] = [:]
        for (column, count) in derived?.untried ?? [:] { named[plan.columns[column].name] = count }
        return named
    }

    /// The values at the paginator's paths, in its order; nil for a path that matches nothing.
    package var bodyValues: [JSONScalar?] { plan.bodySlots.map { JSONScalar(asWritten: page.body_slots[$0]) } }

    /// The values at the paginator's item paths in the last element that is an object; empty if there is none.
    package var lastItemValues: [JSONScalar?] {
        guard !plan.pagingSlots.isEmpty,
            let last = (0..<elementCount).last(where: { element(at: $0).element.kind == JSON_OBJECT })
        else { return [] }
        let item = element(at: last)
        return plan.pagingSlots.map { JSONScalar(asWritten: item.slots[$0]) }
    }

    /// The same of the first element that is an object, and of the one before the last, which may be the first; empty if
    /// there are none.
    package var edgeItemValues: [[JSONScalar?]] {
        let isObject = { [self] index in element(at: index).element.kind == JSON_OBJECT }
        guard !plan.pagingSlots.isEmpty, let last = (0..<elementCount).last(where: isObject),
            let before = (0..<last).last(where: isObject), let first = (0...before).first(where: isObject)
        else { return [] }
        return [first, before].map { index in
            let item = element(at: index)
            return plan.pagingSlots.map { JSONScalar(asWritten: item.slots[$0]) }
        }
    }

    /// The furthest watermark value of the items; nil if none has one.
    package var furthest: Watermark? {
        var furthest: Watermark?
        for mark in marks where furthest.map({ mark.isFurther(than: $0) }) ?? true { furthest = mark }
        return furthest
    }

    /// True if the page's last item is older than a mark and the page is not in ascending order: in a list with its
    /// newest items first, all that follow are older, too.
    package func ends(before mark: Watermark) -> Bool {
        let marks = Array(marks)
        guard let first = marks.first, let last = marks.last else { return false }
        return mark.isFurther(than: last) && !last.isFurther(than: first)
    }

    /// The watermark values of the items that have one, in their order.
    private var marks: some Sequence<Watermark> {
        (0..<(plan.watermarkSlot == nil ? 0 : elementCount)).lazy.compactMap { [self] index in
            let item = element(at: index)
            guard let slot = plan.watermarkSlot, item.isStorable else { return nil }
            return Watermark(JSONScalar(item.slots[slot]), isTime: plan.watermarkIsTime)
        }
    }

    /// The offset of an element in the body, in bytes.
    func offset(of item: PageItem) -> Int {
        body.withUnsafeBytes { bytes in
            bytes.baseAddress.map { UnsafeRawPointer(item.element.raw) - $0 } ?? 0
        }
    }
}

extension DecodedPage {
    /// The text of `keysText` for keys that are one integer each.
    fileprivate static func text(of keys: [Int64]) -> String {
        // A sign, nineteen digits and a comma.
        String(unsafeUninitializedCapacity: keys.count &* 21 &+ 2) { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            var end = start
            end.pointee = UInt8(ascii: "[")
            for key in keys {
                end += 1
                var digits = key.magnitude
                var count = 1
                var limit: UInt64 = 10
                while count < 19, digits >= limit {
                    count &+= 1
                    limit &*= 10
                }
                if key < 0 {
                    end.pointee = UInt8(ascii: "-")
                    end += 1
                }
                var place = end + count
                end = place
                end.pointee = UInt8(ascii: ",")
                repeat {
                    place -= 1
                    let (rest, digit) = digits.quotientAndRemainder(dividingBy: 10)
                    place.pointee = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit)
                    digits = rest
                } while digits > 0
            }
            // Replaces the last comma.
            if keys.isEmpty { end += 1 }
            end.pointee = UInt8(ascii: "]")
            return end - start + 1
        }
    }

    fileprivate var keysText: (text: String, count: Int) {
        var text: [UInt8] = [UInt8(ascii: "[")]
        var count = 0
        text.reserveCapacity(elementCount &* 16)
        for index in 0..<elementCount {
            let item = element(at: index)
            guard item.isStorable else { continue }
            if count > 0 { text.append(UInt8(ascii: ",")) }
            item.appendKey(to: &text)
            count += 1
        }
        text.append(UInt8(ascii: "]"))
        return (String(decoding: text, as: UTF8.self), count)
    }

    /// The elements that are not stored; `null` is no item and does not count. Errors contain none of the secrets.
    ///
    /// - Throws: `FeedSyncError` of kind `undecodable` if there are elements but none can be stored.
    package func skipped(secrets: Secrets = Secrets()) throws(FeedSyncError) -> SkippedItems {
        var skipped = sameKeyItems(secrets)
        if hasItemsOnly { return skipped }
        var stored = 0
        for index in 0..<elementCount {
            let item = element(at: index)
            guard !item.isStorable else {
                stored += 1
                continue
            }
            switch item.fault {
            case nil: continue
            case .isNull?: continue
            case .isNoObject(let what)?:
                skipped.note("element \(index) at byte \(offset(of: item)) is \(what), not an object")
            case .lacksKey(let column)?:
                skipped.note("element \(index) at byte \(offset(of: item)) has no key `\(column)`")
            }
        }
        if stored == 0, skipped.count > 0 {
            let items =
                skipped.count == 1
                ? "the page's only item cannot be stored" : "none of the page's \(skipped.count) items can be stored"
            throw FeedSyncError(
                .undecodable, "\(items): \(skipped.first ?? "")",
                advice: "correct `items`, `key` or `columns` in the feed's definition\(namesOfFirst(secrets))")
        }
        return skipped
    }

    /// The names that the first object on the page has, to choose a key from; empty if there is none.
    private func namesOfFirst(_ secrets: Secrets) -> String {
        for index in 0..<elementCount where element(at: index).element.kind == JSON_OBJECT {
            guard case .object(let members)? = try? value(at: index) else { return "" }
            let names = members.names.prefix(8).compactMap { Excerpt.of($0, limit: 60, secrets: secrets) }
            return names.isEmpty ? "" : "; the first item has \(names.inBackticks(joinedBy: ", "))"
        }
        return ""
    }
}

extension SkippedItems {
    fileprivate mutating func note(_ what: @autoclosure () -> String) {
        if first == nil { first = what() }
        count += 1
    }
}

// Items of a page with the same key.
extension DecodedPage {
    /// True if the first element cannot be stored.
    package var beginsWithoutKey: Bool { elementCount > 0 && element(at: 0).fault != nil }

    /// The value of `orderWithoutRepeats`.
    func order(of integers: [Int64]?) -> [Int]? {
        if let keys = integers { return keys.hasRepeats ? orderOfLast() : nil }
        var hashes = Set<Int>(minimumCapacity: elementCount)
        for index in 0..<elementCount where !hashes.insert(keyHash(at: index)).inserted {
            return orderOfLast()
        }
        return nil
    }

    /// The keys, if each is one integer. This is the usual case, for which no hashes are needed.
    var integerKeys: [Int64]? {
        guard plan.layout.keyColumns.count == 1, let column = plan.layout.keyColumns.first else { return nil }
        var keys: [Int64] = []
        keys.reserveCapacity(elementCount)
        for index in 0..<elementCount {
            let item = element(at: index)
            guard item.isStorable else { continue }
            guard case .integer(let key) = item.value(of: column) else { return nil }
            keys.append(key)
        }
        return keys
    }

    /// The items that are not stored because a different item of the page has the same key, so the key does not tell
    /// items apart. An identical item is only a repeat, and an item that reports its removal is a later version.
    func sameKeyItems(_ secrets: Secrets) -> SkippedItems {
        var skipped = SkippedItems()
        guard orderWithoutRepeats != nil else { return skipped }
        let items = (0..<elementCount).map(element).filter { $0.isStorable && !$0.isGone }
        for (_, items) in Dictionary(grouping: items, by: \.keyParts).filter({ $1.count > 1 }) {
            var contents: [String] = []
            for content in items.map({ plan.ignored.canonicalText(of: $0.raw) }) where !contents.contains(content) {
                contents.append(content)
            }
            skipped.sameKey += contents.count - 1
            guard contents.count > 1, skipped.firstSameKey == nil else { continue }
            skipped.firstSameKey = words(for: items[0], contents[0], contents[1], secrets)
        }
        return skipped
    }

    private func words(for item: PageItem, _ first: String, _ second: String, _ secrets: Secrets) -> String {
        var key: [UInt8] = []
        item.appendKey(to: &key)
        let names = item.layout.keyColumns.map { plan.columns[$0].name }.inBackticks()
        let quote = { (text: String) in "`\(Excerpt.of(text, limit: 60, secrets: secrets) ?? "")`" }
        let value = quote(String(decoding: key, as: UTF8.self))
        return "\(names) \(value) is the key of \(quote(first)) and of \(quote(second))"
    }

    private func orderOfLast() -> [Int] {
        var places: [[KeyPart]: Int] = [:]
        var order: [Int] = []
        for index in 0..<elementCount {
            let item = element(at: index)
            guard item.isStorable else { continue }
            let key = item.keyParts
            if let place = places[key] {
                order[place] = index
            } else {
                places[key] = order.count
                order.append(index)
            }
        }
        return order
    }

    /// The hash of an element's key; equal for equal keys. Elements that are not stored have hashes of their own.
    private func keyHash(at index: Int) -> Int {
        let item = element(at: index)
        var hasher = Hasher()
        if item.isStorable {
            for column in item.layout.keyColumns { KeyPart.hash(item.value(of: column), into: &hasher) }
        } else {
            hasher.combine(index)
        }
        return hasher.finalize()
    }
}

extension PageItem {
    fileprivate var keyParts: [KeyPart] { layout.keyColumns.map { KeyPart(value(of: $0)) } }
}

/// A column of a key, compared as SQLite compares values: 1.0 equals 1, however it is written.
private enum KeyPart: Hashable {
    case none
    case integer(Int64)
    case real(Double)
    case text([UInt8])

    init(_ value: ColumnValue) {
        switch value {
        case .missing, .null: self = .none
        case .integer(let integer): self = .integer(integer)
        case .real(let real): self = Int64(exactly: real).map(KeyPart.integer) ?? .real(real)
        case .text(let bytes): self = .text(Array(bytes))
        case .madeText(let bytes): self = .text(bytes)
        }
    }

    /// Hashes a part without a copy of its text. Equal parts have equal hashes.
    static func hash(_ value: ColumnValue, into hasher: inout Hasher) {
        switch value {
        case .text(let bytes): hasher.combine(bytes: bytes)
        case .madeText(let bytes): bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        default: hasher.combine(KeyPart(value))
        }
    }
}

extension [Int64] {
    fileprivate var hasRepeats: Bool {
        let isRising = zip(self, dropFirst()).allSatisfy { $0 < $1 }
        guard !isRising else { return false }
        let sorted = sorted()
        return zip(sorted, sorted.dropFirst()).contains { $0 == $1 }
    }
}
