/// What requests cost besides those of the page itself.
package struct FetchCost: Sendable {
    package var requestCount = 0
    package var byteCount = 0
    package var quota: [QuotaReading] = []

    package init(requestCount: Int = 0, byteCount: Int = 0, quota: [QuotaReading] = []) {
        self.requestCount = requestCount
        self.byteCount = byteCount
        self.quota = quota
    }

    package mutating func add(_ other: FetchCost) {
        requestCount += other.requestCount
        byteCount += other.byteCount
        quota += other.quota
    }
}
