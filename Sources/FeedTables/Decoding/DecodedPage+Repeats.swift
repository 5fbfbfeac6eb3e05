internal import CPageDecoder
internal import HTTP

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
        let names = item.layout.keyColumns.map { "`\(plan.columns[$0].name)`" }.joined(separator: " and ")
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
