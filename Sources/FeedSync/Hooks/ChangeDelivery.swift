internal import Concurrency
internal import HTTP
internal import ResponseBody
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

    /// Delivers the changes of a run that has ended, and those that an earlier run could not deliver. The first time,
    /// it only records the place: existing items are not news. That is not done after a failed run.
    ///
    /// - Parameter error: The error of the run; nil if it succeeded. After a cancelled run, changes wait for the next
    ///   one. If another process works on the feed, it delivers them.
    /// - Returns: The error that kept changes from being delivered; they are kept.
    package func deliver(after error: FeedSyncError?) async -> FeedSyncError? {
        guard !Task.isCancelled, error?.kind != .locked else { return nil }
        do throws(FeedSyncError) {
            try await deliver(mayBegin: error == nil)
            return nil
        } catch {
            return error
        }
    }

    /// - Parameter mayBegin: True if the first time may be now.
    private func deliver(mayBegin: Bool) async throws(FeedSyncError) {
        guard let lock = try await lock() else { return }
        defer { withExtendedLifetime(lock) {} }
        try await deliverItems(mayBegin: mayBegin)
        try await deliverColumns(mayBegin: mayBegin)
    }

    private func deliverItems(mayBegin: Bool) async throws(FeedSyncError) {
        let name = feed.name
        guard var place = try await store.places(of: HookPlace.told)[name] else {
            guard mayBegin else { return }
            let end = try await store.placeOfLastChange()
            return try await store.move(HookPlace.told, in: [name], from: [:], to: end)
        }
        while !Task.isCancelled {
            var query = ChangeQuery(feed: name)
            query.after = place
            query.title = feed.show?.title
            query.link = feed.show?.link
            let tried = try await store.places(of: HookPlace.tried)[name]
            let isAgain = tried?.isBeyond(place) ?? false
            // The same changes as the last time, whatever has happened since.
            query.until = isAgain ? tried : nil
            let batch = try await store.changeBatch(query, least: isAgain ? .max : Self.batchSize)
            let end = isAgain ? tried ?? batch.end : batch.end
            if batch.changes.isEmpty, !isAgain { return }
            if let first = batch.changes.first {
                if !isAgain, isEarly(first.at) { return }
                let id = "\(name)-\(place.event)-\(place.change)"
                let content = try content(batch.changes, id)
                if !isAgain {
                    try await store.move(HookPlace.tried, in: [name], from: tried.map { [name: $0] } ?? [:], to: end)
                }
                try await tell(
                    Message(id: id, isAgain: isAgain, content: content), keeping: batch.changes.count)
            }
            try await store.move(HookPlace.told, in: [name], from: [name: place], to: end)
            place = end
        }
    }

    /// Tells which columns changed: nothing that is there already, as with items.
    private func deliverColumns(mayBegin: Bool) async throws(FeedSyncError) {
        let name = feed.name
        guard let place = try await store.places(of: HookPlace.toldColumns)[name] else {
            guard mayBegin else { return }
            var end = ChangePlace()
            end.change = try await store.columnChanges(of: name, after: .max).end
            return try await store.move(HookPlace.toldColumns, in: [name], from: [:], to: end)
        }
        let (changes, last) = try await store.columnChanges(of: name, after: place.change)
        guard let first = changes.first, !isEarly(first.at) else { return }
        var end = place
        end.change = last
        let id = "\(name)-columns-\(place.change)"
        let content = try content(ChangeText(changes, of: name), id) ?? Self.lines(changes.map(\.result))
        let tried = try await store.places(of: HookPlace.triedColumns)[name]
        let isAgain = tried?.isBeyond(place) ?? false
        if tried != end {
            try await store.move(HookPlace.triedColumns, in: [name], from: tried.map { [name: $0] } ?? [:], to: end)
        }
        try await tell(Message(id: id, isAgain: isAgain, content: content), keeping: changes.count)
        try await store.move(HookPlace.toldColumns, in: [name], from: [name: place], to: end)
    }

    /// True while changes of this age wait for others.
    private func isEarly(_ time: String) -> Bool {
        guard hook.batch > .zero, let time = Timestamp(time) else { return false }
        let (age, overflow) = options.wallClock.seconds.subtractingReportingOverflow(time.seconds)
        // A clock that was set back holds nothing up.
        return !overflow && age >= 0 && .seconds(age) < hook.batch
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

    /// One delivery.
    private struct Message: Sendable {
        /// The id, the same for each try.
        let id: String
        let isAgain: Bool
        let content: Content
    }

    /// The body of a delivery.
    private struct Content: Sendable {
        let type: String
        let bytes: [UInt8]
    }

    private func content(_ changes: [ItemChange], _ id: String) throws(FeedSyncError) -> Content {
        guard let message = hook.message else { return Self.lines(changes.map(\.result)) }
        let text = try ChangeText(changes, by: message.line)
        return try content(text, id) ?? Self.lines(text.lines)
    }

    private static func lines(_ lines: [String]) -> Content {
        Content(type: "application/x-ndjson", bytes: Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    /// The content for people; nil for a hook that takes JSON lines.
    private func content(_ text: ChangeText, _ id: String) throws(FeedSyncError) -> Content? {
        guard let message = hook.message else { return nil }
        let write = { (part: NamedTemplate) throws(ConfigurationError) -> String in
            text.written(into: try resolved(part.value).text, feed: feed.name, id: id)
        }
        do throws(ConfigurationError) {
            switch message.body {
            case nil: return Content(type: "text/plain; charset=utf-8", bytes: Array((text.text + "\n").utf8))
            case .text(let template)?:
                let body = try write(NamedTemplate(name: "body", value: template))
                return Content(type: "text/plain; charset=utf-8", bytes: Array(body.utf8))
            case let body?: return Content(type: "application/json", bytes: Array(try body.resolved(write).json.utf8))
            }
        } catch {
            throw FeedSyncError(.configuration, "on_change: \(error.description)")
        }
    }

    private func tell(_ message: Message, keeping count: Int) async throws(FeedSyncError) {
        do throws(FeedSyncError) { try await tell(message) } catch { throw error.kept(count) }
    }

    private func tell(_ message: Message) async throws(FeedSyncError) {
        switch hook.target {
        case .program(let words):
            var environment = options.environment
            environment["FEEDSYNC_FEED"] = feed.name
            environment["FEEDSYNC_DELIVERY"] = message.id
            environment["FEEDSYNC_AGAIN"] = message.isAgain ? "1" : "0"
            let program = HookProgram(words: words, folder: options.folder, environment: environment)
            try await program.run(reading: message.content.bytes)
        case .webhook(let hook):
            try await send(message, to: hook)
        }
    }
}

extension ChangeDelivery {
    /// Sends a message in the form of <https://www.standardwebhooks.com>, so that existing libraries can check the
    /// signature.
    private func send(_ message: Message, to webhook: ChangeHook.Webhook) async throws(FeedSyncError) {
        for command in hook.templates.flatMap(\.commands) {
            try await options.commands.run(command, folder: options.folder, environment: options.environment)
        }
        let address: Template.Resolved
        var key: [UInt8]?
        var own: [(name: String, value: String)] = []
        var secrets: [String] = []
        do throws(ConfigurationError) {
            address = try resolved(webhook.url, isURL: true)
            key = try webhook.secret.map { template throws(ConfigurationError) in
                Self.key(try resolved(template).text)
            }
            for header in webhook.headers {
                let value = try resolved(header.value)
                own.append((header.name, value.text))
                secrets += value.secrets
            }
        } catch {
            throw FeedSyncError(.configuration, "on_change: \(error.description)")
        }
        let target: WebURL
        let text = address.text.replacing("{id}", with: PercentCoding.encoded(message.id))
        do throws(HTTPError) { target = try WebURL(text) } catch {
            throw FeedSyncError(.configuration, "on_change: the `webhook` cannot be requested: \(error.message)")
        }
        let time = "\(options.wallClock.seconds)"
        var headers: Headers = ["webhook-id": message.id, "webhook-timestamp": time]
        if !own.contains(where: { $0.name.lowercased() == "content-type" }) {
            headers.append(name: "Content-Type", value: message.content.type)
        }
        for header in own { headers.append(name: header.name, value: header.value) }
        if message.isAgain { headers.append(name: "Feedsync-Again", value: "true") }
        if let key {
            let signed = Array("\(message.id).\(time).".utf8) + message.content.bytes
            headers.append(
                name: "webhook-signature", value: "v1," + Base64.encoded(SHA256.signature(of: signed, key: key)))
        }
        var request = Request(
            target, method: webhook.method, headers: headers, body: message.content.bytes,
            timeouts: Timeouts(total: feed.timeout), limits: ResponseLimits(body: 1 << 20))
        request.redirects = .none
        // The path of a webhook is often its secret.
        let place = "on_change: \(target.origin)"
        secrets += address.secrets + [target.path, address.text]
        let response: Response
        do throws(HTTPError) { response = try await options.client.send(request) } catch {
            if error.kind == .cancelled { throw .cancelled }
            throw FeedSyncError(.unreachable, "\(place): \(Secrets(secrets).mask(error.message))")
        }
        guard (200..<300).contains(response.status) else {
            let said = Excerpt.of(response.body, limit: 200, secrets: Secrets(secrets)).map { ": \($0)" } ?? ""
            throw FeedSyncError(.unreachable, "\(place) answered with status \(response.status)\(said)")
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
