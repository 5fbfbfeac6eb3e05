/// Something that an engine does.
package enum EngineActivity: Sendable, Hashable {
    /// A line of the event log.
    case event(StatusEvent)
    /// A page of a crawl for which the upstream reports a total: how many elements its pages had so far, and the total.
    case read(Int, of: Int)
    /// A retry, or a wait.
    case fetching(FetchProgress)
}
