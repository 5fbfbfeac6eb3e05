/// Something that an engine does.
public enum EngineActivity: Sendable, Hashable {
    /// A line of the event log.
    case event(StatusEvent)
    /// A retry, or a wait.
    case fetching(FetchProgress)
}
