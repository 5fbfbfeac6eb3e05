public import HTTP

/// What an engine works with besides its feed and its store.
public struct EngineOptions: Sendable {
    /// Sends the requests; shared by engines, so that connections and the limit for each host are.
    public var client: Client
    /// The environment variables that `${NAME}` refers to, and that commands get.
    public var environment: [String: String]
    /// Where relative paths of `${file:PATH}` start, and where `${command: …}` is run.
    public var folder: String
    /// What `${command: …}` printed; shared by engines, so that each command is run once.
    public var commands: CommandSecrets
    /// The access tokens of OAuth 2; shared by engines whose feeds have one client.
    public var tokens: AccessTokens
    /// The longest time to wait because an upstream says so; longer ones end the run as limited.
    public var maxWait: Duration
    /// The longest time to wait for another process to let go of the feed.
    public var wait: Duration
    /// What waits.
    public var clock: any Clock<Duration>
    /// The time of day.
    public var wallClock: WallClock
    /// A number from 0 up to but not including 1, for the back-off.
    public var random: @Sendable () -> Double
    /// Hears what the engine is at, as it happens and on the engine's thread, which waits for it: cheaper than
    /// `SyncEngine.activity` for whoever only takes note.
    public var onActivity: @Sendable (EngineActivity) -> Void

    /// Options with this client, or with one of their own, and no environment.
    public init(
        client: Client = Client(userAgent: "feedsync/\(FeedSyncVersion.text)"), environment: [String: String] = [:],
        folder: String = "."
    ) {
        self.client = client
        self.environment = environment
        self.folder = folder
        commands = CommandSecrets()
        tokens = AccessTokens()
        maxWait = .seconds(30)
        wait = .zero
        clock = ContinuousClock()
        wallClock = .system
        random = { Double.random(in: 0..<1) }
        onActivity = { _ in }
    }
}
