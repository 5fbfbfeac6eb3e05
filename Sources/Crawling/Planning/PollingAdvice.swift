/// What the answer to a feed's first page says about when to ask again.
package struct PollingAdvice: Sendable, Hashable {
    /// Seconds between polls that the host insists on (`X-Poll-Interval`).
    package var pollInterval: Int64?
    /// Seconds for which the answer stays fresh.
    package var freshFor: Int64?
    /// Whether the page came anew: a 304 that does not repeat a header leaves what was known.
    package var isModified = true

    package init() {}
}
