/// Something that an engine does.
package enum EngineActivity: Sendable, Hashable {
    /// A line of the event log.
    case event(StatusEvent)
    /// A retry, or a wait.
    case fetching(FetchProgress)
}
