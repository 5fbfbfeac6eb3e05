internal import Concurrency
package import HTTP

/// The settings of an engine besides its feed and its store.
package struct EngineOptions: Sendable {
    /// Sends the requests; shared by engines, so that connections and the limit for each host are.
    package var client: Client
    /// The environment variables that `${NAME}` refers to, and that commands get; shared by engines, which look at them
    /// when a run begins.
    private var variables: Lock<[String: String]>
    /// The folder in which relative paths of `${file:PATH}` start and `${command: …}` runs.
    package var folder: String
    /// The outputs of `${command: …}`; shared by engines, so that each command runs once.
    package var commands = CommandSecrets()
    /// The access tokens of OAuth 2; shared by engines whose feeds have the same client.
    package var tokens = AccessTokens()
    /// The quotas of credentials that take turns; shared by engines.
    package var credentialQuotas = CredentialQuotas()
    /// The turns of requests where feeds have a `rate`; shared by engines.
    package var pacer = RequestPacer()
    /// The longest wait at an upstream's request; a longer one ends the run as limited.
    package var maxWait = Duration.seconds(30)
    /// The longest time to wait for another process to let go of the feed.
    package var wait = Duration.zero
    /// The clock for waiting.
    package var clock: any Clock<Duration> = ContinuousClock()
    /// The time of day.
    package var wallClock = WallClock.system
    /// A number from 0 up to but not including 1, for the back-off.
    package var random: @Sendable () -> Double = { Double.random(in: 0..<1) }
    /// Receives the engine's activity as it happens, on the engine's thread, which waits for it.
    package var onActivity: @Sendable (EngineActivity) -> Void = { _ in }
    /// Receives every request of a feed, on any thread; nil for no trace, which costs nothing.
    package var onTrace: (@Sendable (_ feed: String, RequestTrace) -> Void)?

    /// The environment variables now. Other ones are for engines that are made with these options.
    package var environment: [String: String] {
        get { variables.withLock { $0 } }
        set { variables = Lock(newValue) }
    }

    /// Sets a variable for the next run of each engine; nil removes it.
    package func set(_ value: String?, forVariable name: String) { variables.withLock { $0[name] = value } }

    /// The handler of a feed's requests.
    package func trace(of feed: String) -> TraceHandler? {
        guard let onTrace else { return nil }
        return { trace in onTrace(feed, trace) }
    }

    /// The fetcher for the pages of a feed.
    ///
    /// - Parameters:
    ///   - mostRetries: The most further tries, whatever the definition permits.
    ///   - progress: Receives activities that would otherwise look like a stall.
    package func fetcher(
        for definition: FeedDefinition, mostRetries: Int = .max,
        progress: @escaping @Sendable (FetchProgress) -> Void = { _ in }
    ) -> Fetcher {
        Fetcher(
            client: client, rules: definition.responses,
            policy: RetryPolicy(retries: min(definition.retries, mostRetries), maxWait: maxWait), clock: clock,
            random: random, now: { [wallClock] in wallClock.seconds }, progress: progress, pacer: pacer,
            trace: trace(of: definition.name))
    }

    /// Options with this client, or with one of their own, and no environment.
    package init(
        client: Client? = nil, environment: [String: String] = [:], folder: String = "."
    ) {
        self.client =
            client
            ?? Client(userAgent: "feedsync/\(FeedSyncVersion.text)", caFile: Client.caFile(in: environment))
        variables = Lock(environment)
        self.folder = folder
    }
}

/// Something that an engine does.
package enum EngineActivity: Sendable, Hashable {
    /// A line of the event log.
    case event(StatusEvent)
    /// A page of a crawl for which the upstream reports a total: how many elements its pages had so far, and the total.
    case read(Int, of: Int)
    /// A retry, or a wait.
    case fetching(FetchProgress)
}
