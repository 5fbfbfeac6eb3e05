internal import HTTP

/// What the answer to a feed's first page says about when to ask again.
struct PollingAdvice: Sendable, Hashable {
    /// Seconds between polls that the host insists on (`X-Poll-Interval`).
    var pollInterval: Int64?
    /// Seconds for which the answer stays fresh.
    var freshFor: Int64?
    /// Whether the page came anew: a 304 that does not repeat a header leaves what was known.
    var isModified = true

    init() {}

    init(_ response: Response) {
        pollInterval = response.pollInterval?.components.seconds
        freshFor = response.freshness?.components.seconds
        isModified = response.isModified
    }
}
