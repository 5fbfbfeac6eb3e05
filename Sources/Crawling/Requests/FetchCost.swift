/// The cost of requests, with the hosts' quotas from the answers.
package struct FetchCost: Sendable {
    package var requestCount = 0
    package var byteCount = 0
    package var quota: [QuotaReading] = []

    package init(requestCount: Int = 0, byteCount: Int = 0, quota: [QuotaReading] = []) {
        self.requestCount = requestCount
        self.byteCount = byteCount
        self.quota = quota
    }

    /// True if there was neither a cost nor a quota.
    package var isEmpty: Bool { requestCount == 0 && byteCount == 0 && quota.isEmpty }

    package mutating func add(_ other: FetchCost) {
        requestCount += other.requestCount
        byteCount += other.byteCount
        for reading in other.quota { note(reading) }
    }

    /// Adds a reading, after the earlier one of its quota.
    package mutating func note(_ reading: QuotaReading?) {
        guard let reading else { return }
        guard let index = quota.firstIndex(where: { $0.quota == reading.quota }) else { return quota.append(reading) }
        quota.append(reading.later(than: quota.remove(at: index)))
    }
}
