/// The advice on polling in the answer to a feed's first page.
package struct PollingAdvice: Sendable, Hashable {
    /// Seconds between polls that the host insists on (`X-Poll-Interval`).
    package var pollInterval: Int64?
    /// Seconds for which the answer stays fresh.
    package var freshFor: Int64?
    /// True unless the answer was a 304, which leaves the known values of headers that it does not repeat.
    package var isModified = true

    package init() {}
}
