internal import Concurrency
internal import HTTP

/// The result of a request to a host's origin, which shows if it can be reached.
package struct OriginProbe: Sendable {
    /// The host with scheme and port.
    package let origin: String
    /// The feeds that are there.
    package var feeds: [String]
    /// The exchange; nil if the request could not even be made.
    package let exchange: TracedExchange?
    /// The error, with advice, if there was no response.
    package let error: FeedSyncError?
    /// The lead of this machine's clock over the host's, to a second; nil if the host did not send its time.
    package let clockLead: Duration?
    /// True if the feeds name a proxy.
    package let hasOwnProxy: Bool

    /// Asks the host of each feed once, as the feed would be asked, but without its credentials.
    ///
    /// Feeds that cannot be requested now are left out.
    package static func probe(_ feeds: [FeedDefinition], options: EngineOptions) async -> [OriginProbe] {
        var places: [(request: Request, secrets: Secrets, feeds: [String])] = []
        for feed in feeds {
            let plan = RequestPlan(
                feed, environment: options.environment, folder: options.folder, salt: "", commands: options.commands)
            guard let page = try? plan.page(for: nil), let root = try? page.request.url.resolving("/") else { continue }
            let known = places.firstIndex {
                $0.request.url == root && $0.request.connection == page.request.connection
            }
            if let known {
                places[known].feeds.append(feed.name)
                continue
            }
            var request = Request(root, method: "HEAD", timeouts: Timeouts(total: .seconds(20)))
            request.redirects = .none
            request.connection = page.request.connection
            places.append((request, page.secrets, [feed.name]))
        }
        return await withTaskGroup(of: (Int, OriginProbe).self) { group in
            for (index, place) in places.enumerated() {
                group.addTask { (index, await probe(place.request, place.secrets, place.feeds, options)) }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private static func probe(
        _ request: Request, _ secrets: Secrets, _ feeds: [String], _ options: EngineOptions
    ) async -> OriginProbe {
        let seen = Lock<TracedExchange?>(nil)
        let mask = TraceMask(secrets: secrets, hidesBody: true)
        let observer = mask.observer { if case .ended(let exchange) = $0 { seen.withLock { $0 = exchange } } }
        var lead: Duration?
        var failure: FeedSyncError?
        do throws(HTTPError) {
            let response = try await options.client.send(request, observer: observer)
            let now = options.wallClock.seconds
            // The header has whole seconds, and came a moment ago.
            lead = response.date.map { .seconds(now.subtractingReportingOverflow($0).partialValue) }
        } catch {
            // A redirect that is not followed was an answer.
            if error.kind != .refusedRedirect {
                failure = FeedSyncError(
                    FetchAdvice.kind(of: error.kind), secrets.mask(error.message),
                    advice: FetchAdvice.advice(error.kind))
            }
        }
        return OriginProbe(
            origin: secrets.mask(request.url.origin.description), feeds: feeds, exchange: seen.withLock { $0 },
            error: failure, clockLead: lead, hasOwnProxy: request.connection.proxy?.isEmpty == false)
    }
}
