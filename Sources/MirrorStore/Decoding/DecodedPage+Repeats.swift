internal import CPageDecoder

extension DecodedPage {
    /// Whether its first element is none that can be stored.
    package var beginsWithoutKey: Bool { elementCount > 0 && element(at: 0).fault != nil }

    /// What `orderWithoutRepeats` is to be.
    func order(of integers: [Int64]?) -> [Int]? {
        if let keys = integers { return keys.hasRepeats ? orderOfLast() : nil }
        var hashes = Set<Int>(minimumCapacity: elementCount)
        for index in 0..<elementCount where !hashes.insert(keyHash(at: index)).inserted {
            return orderOfLast()
        }
        return nil
    }

    /// The keys, if each is one integer: the usual page, for which no hash need be made.
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

    private func orderOfLast() -> [Int] {
        var places: [[KeyPart]: Int] = [:]
        var order: [Int] = []
        for index in 0..<elementCount {
            let item = element(at: index)
            guard item.isStorable else { continue }
            let key = item.layout.keyColumns.map { KeyPart(item.value(of: $0)) }
            if let place = places[key] {
                order[place] = index
            } else {
                places[key] = order.count
                order.append(index)
            }
        }
        return order
    }

    /// Alike for like keys; elements that are not stored have hashes of their own.
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

/// A column of a key, equal to another one as SQLite compares them: 1.0 is 1, however it is written.
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

    /// Alike for like parts, without a copy of the text.
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
