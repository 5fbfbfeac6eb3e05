extension DecodedPage {
    /// For a page that has items of the same key: the element to store at each place, which is the last one of its key at
    /// the place of the first. nil for the usual page, where each item has a key of its own.
    var orderWithoutRepeats: [Int]? {
        var hashes = Set<Int>(minimumCapacity: elementCount)
        for index in 0..<elementCount where !hashes.insert(keyHash(at: index)).inserted {
            return orderOfLast()
        }
        return nil
    }

    private func orderOfLast() -> [Int] {
        var places: [[UInt8]: Int] = [:]
        var order: [Int] = []
        for index in 0..<elementCount {
            let item = element(at: index)
            guard item.fault == nil else { continue }
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
        if item.fault != nil {
            hasher.combine(index)
        } else {
            for column in item.plan.keyColumns { hasher.combine(bytes: item[column].rawBytes) }
        }
        return hasher.finalize()
    }
}
