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
        var places: [[UInt8]: Int] = [:]
        var order: [Int] = []
        for index in 0..<elementCount {
            let item = element(at: index)
            guard item.isStorable else { continue }
            var key: [UInt8] = []
            item.appendKey(to: &key)
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
            for column in item.layout.keyColumns { hasher.combine(bytes: item[column].rawBytes) }
        } else {
            hasher.combine(index)
        }
        return hasher.finalize()
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
