internal import Concurrency
internal import HTTP
internal import Text

/// Delivers the changes of a feed to a program or a web server, in their order.
///
/// The store keeps the last delivered and the last tried place. A batch that was tried and not acknowledged comes again
/// with the next run: the same changes under the same id, marked as a repetition. So nothing is lost, and nothing comes
/// twice without a mark.
package struct ChangeDelivery: Sendable {
    private let feed: FeedDefinition
    private let hook: ChangeHook
    private let store: Store
    private let options: EngineOptions

    /// The consumers for the last delivered and the last tried place; no user's consumer has such a name.
    private static let told = "(on_change)"
    private static let tried = "(on_change, tried)"
    /// The minimum size of a batch, if there are as many changes.
    private static let batchSize = 1_000

    /// - Returns: Nil for a feed without a hook.
    package init?(of feed: FeedDefinition, in store: Store, options: EngineOptions) {
        guard let hook = feed.hook else { return nil }
        self.feed = feed
        self.hook = hook
        self.store = store
        self.options = options
    }

    /// Delivers the outstanding changes. The first time, it only records the place: existing items are not news.
    ///
    /// - Parameter mayBegin: True if the first time may be now.
    /// - Throws: `FeedSyncError`; undelivered changes are kept.
    package func deliver(mayBegin: Bool) async throws(FeedSyncError) {
        guard let lock = try await lock() else { return }
        defer { withExtendedLifetime(lock) {} }
        let name = feed.name
        guard var place = try await store.places(of: Self.told)[name] else {
            guard mayBegin else { return }
            let end = try await store.placeOfLastChange()
            return try await store.move(Self.told, in: [name], from: [:], to: end)
        }
        while !Task.isCancelled {
            var query = ChangeQuery(feed: name)
            query.after = place
            query.title = feed.show?.title
            let tried = try await store.places(of: Self.tried)[name]
            let isAgain = tried.map { $0.event > place.event || $0.change > place.change } ?? false
            // The same changes as the last time, whatever has happened since.
            query.until = isAgain ? tried : nil
            let batch = try await store.changeBatch(query, least: isAgain ? .max : Self.batchSize)
            let end = isAgain ? tried ?? batch.end : batch.end
            if batch.lines.isEmpty, !isAgain { return }
            if !batch.lines.isEmpty {
                if !isAgain {
                    try await store.move(Self.tried, in: [name], from: tried.map { [name: $0] } ?? [:], to: end)
                }
                let message = Message(
                    id: "\(name)-\(place.event)-\(place.change)", isAgain: isAgain, count: batch.lines.count,
                    body: Array((batch.lines.joined(separator: "\n") + "\n").utf8))
                do throws(FeedSyncError) { try await tell(message) } catch { throw error.kept(message.count) }
            }
            try await store.move(Self.told, in: [name], from: [name: place], to: end)
            place = end
        }
    }

    /// The feed's lock; nil if there is nothing to deliver, or if another process works on the feed and delivers it.
    private func lock() async throws(FeedSyncError) -> FeedLock? {
        do throws(FeedSyncError) {
            return try await store.lock(storedFeed: feed.name, for: "on_change")
        } catch {
            if error.kind == .locked { return nil }
            throw error
        }
    }

    /// One batch of changes.
    struct Message: Sendable {
        /// The id, the same for each delivery of the batch.
        let id: String
        let isAgain: Bool
        let count: Int
        /// One JSON object a line.
        let body: [UInt8]
    }

    private func tell(_ message: Message) async throws(FeedSyncError) {
        switch hook.target {
        case .program(let words):
            var environment = options.environment
            environment["FEEDSYNC_FEED"] = feed.name
            environment["FEEDSYNC_DELIVERY"] = message.id
            environment["FEEDSYNC_AGAIN"] = message.isAgain ? "1" : "0"
            let program = HookProgram(words, folder: options.folder, environment: environment)
            try await program.run(reading: message.body)
        case .webhook(let url, let secret):
            try await post(message, to: url, secret: secret)
        }
    }
}

extension ChangeDelivery {
    /// Sends a message in the form of <https://www.standardwebhooks.com>, so that existing libraries can check the
    /// signature.
    private func post(_ message: Message, to url: Template, secret: Template?) async throws(FeedSyncError) {
        for command in hook.templates.flatMap(\.commands) {
            try await options.commands.run(command, folder: options.folder, environment: options.environment)
        }
        let address: Template.Resolved
        var key: [UInt8]?
        do throws(ConfigurationError) {
            address = try resolved(url, isURL: true)
            key = try secret.map { template throws(ConfigurationError) in Self.key(try resolved(template).text) }
        } catch {
            throw FeedSyncError(.configuration, "on_change: \(error.description)")
        }
        let target: WebURL
        do throws(HTTPError) { target = try WebURL(address.text) } catch {
            throw FeedSyncError(.configuration, "on_change: the `webhook` cannot be requested: \(error.message)")
        }
        let time = "\(options.wallClock.seconds)"
        var headers: Headers = [
            "Content-Type": "application/x-ndjson", "webhook-id": message.id, "webhook-timestamp": time,
        ]
        if message.isAgain { headers.append(name: "Feedsync-Again", value: "true") }
        if let key {
            let signed = Array("\(message.id).\(time).".utf8) + message.body
            headers.append(
                name: "webhook-signature", value: "v1," + Base64.encoded(SHA256.signature(of: signed, key: key)))
        }
        var request = Request(
            target, method: "POST", headers: headers, body: message.body,
            timeouts: Timeouts(total: feed.timeout), limits: Limits(body: 1 << 20))
        request.redirects = .none
        // The path of a webhook is often its secret.
        let place = "on_change: \(target.origin)"
        let response: Response
        do throws(HTTPError) { response = try await options.client.send(request) } catch {
            if error.kind == .cancelled { throw .cancelled }
            let secrets = Secrets(address.secrets + [target.path, address.text])
            throw FeedSyncError(.unreachable, "\(place): \(secrets.mask(error.message))")
        }
        guard (200..<300).contains(response.status) else {
            throw FeedSyncError(.unreachable, "\(place) answered with status \(response.status)")
        }
    }

    private func resolved(
        _ template: Template, isURL: Bool = false
    ) throws(ConfigurationError) -> Template.Resolved {
        try template.resolved(
            environment: options.environment, relativeTo: options.folder, isURL: isURL, commands: options.commands)
    }

    /// The bytes of a secret: those of the text, or of the base64 after `whsec_`.
    private static func key(_ secret: String) -> [UInt8] {
        let prefix = "whsec_"
        guard secret.hasPrefix(prefix), let key = Base64.decoded(String(secret.dropFirst(prefix.count))) else {
            return Array(secret.utf8)
        }
        return key
    }
}

extension FeedSyncError {
    /// The same error, with the advice that the changes are kept.
    fileprivate func kept(_ count: Int) -> FeedSyncError {
        guard kind != .cancelled else { return self }
        let changes = count == 1 ? "1 change is kept and comes" : "\(count) changes are kept and come"
        return FeedSyncError(kind, "\(message); \(changes) again with the next run", advice: advice)
    }
}
