internal import Concurrency
internal import FeedSync
internal import HTTPServer
internal import Platform

/// The newest events for all listeners. A listener only stores its position, so a slow one costs no more than that.
final class EventHub: Sendable {
    fileprivate struct Entry: Sendable {
        let id: Int
        let feed: String
        /// The feed that owns the part; nil if the feed is not a part.
        let owner: String?
        let bytes: [UInt8]
        /// The number of changes of which the event tells, too: any page of its feed is read again after it; 0 for one
        /// that only says what begins or that nothing has changed.
        let changes: Int
    }

    private struct State {
        var entries: [Entry] = []
        /// All events after this one are among the entries.
        var base = 0
        var last = 0
        /// The number of changes of the store, whether they have events or not.
        var changes = 0
        /// The number of changes that listeners learn of even without an event.
        var announced = 0
        /// The time of the first change that is not announced.
        var changedAt: ContinuousClock.Instant?
        var mark: Store.Mark?
        var listeners: [ObjectIdentifier: EventStream] = [:]
        var beat: Task<Void, Never>?
    }

    /// The number of events kept in memory.
    private static let most = 1_000
    /// The longest time for which events put off the message of a change.
    private static let longestWait = Duration.seconds(1)
    /// The interval at which silent connections are tested, to notice that a reader has gone.
    private static let pulse = Duration.seconds(15)

    private let state = Lock(State())

    /// The number of the newest published event.
    var last: Int { state.withLock { $0.last } }

    /// The number of changes of the store and the configuration.
    var changes: Int { state.withLock { $0.changes } }

    /// The number of changes that are for all listeners, those without an event, too.
    var announced: Int { state.withLock { $0.announced } }

    /// Notes the store's mark, before the events that came with the change are published.
    func note(_ mark: Store.Mark) {
        state.withLock { state in
            if let known = state.mark, known != mark {
                state.changes += 1
                state.changedAt = state.changedAt ?? .now
            }
            state.mark = mark
        }
    }

    /// Notes a change of the configuration or of the store's file, which pages show, too.
    func noteOtherChange() {
        state.withLock { state in
            state.changes += 1
            state.changedAt = state.changedAt ?? .now
        }
    }

    /// Tells the listeners that got no event of the noted changes.
    ///
    /// The end of a run has no event, but removes rows and changes the state of the feed. It may come together with
    /// events of other feeds. While many of these come, the pages of all feeds would read the store again and again, so
    /// the message waits for a moment without events.
    func announceChanges(hasEvents: Bool) {
        let listeners = state.withLock { state -> [EventStream] in
            guard let since = state.changedAt, !hasEvents || .now - since >= Self.longestWait else { return [] }
            state.changedAt = nil
            state.announced = state.changes
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.wake() }
    }

    /// A message without a number, so that nobody takes it for the last event.
    static let change = Array("event: change\ndata: {}\n\n".utf8)

    /// The number of listeners.
    var listenerCount: Int { state.withLock { $0.listeners.count } }

    /// Begins after this event. Changes are counted from the time in milliseconds: a page of an earlier server knows
    /// fewer, whatever came in between.
    func begin(at id: Int) {
        let changes = Int(time(nil)) * 1_000
        state.withLock { state in
            (state.base, state.last) = (id, id)
            (state.changes, state.announced) = (changes, changes)
        }
    }

    /// Publishes events, in order.
    func publish(_ events: [StatusEvent]) {
        let listeners = state.withLock { state -> [EventStream] in
            for event in events where event.id > state.last {
                state.entries.append(
                    Entry(
                        id: event.id, feed: event.feed, owner: FeedPart.feed(ofPart: event.feed),
                        bytes: Self.message(event), changes: event.hasChangedItems ? state.changes : 0))
                state.last = event.id
            }
            let surplus = state.entries.count - Self.most
            if surplus > 0 {
                state.base = state.entries[surplus - 1].id
                state.entries.removeFirst(surplus)
            }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.wake() }
    }

    /// An event in the form of server-sent events.
    ///
    /// Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
    static func message(_ event: StatusEvent) -> [UInt8] { Array("id: \(event.id)\ndata: \(event.result)\n\n".utf8) }

    /// The events of a feed and its parts, or of all feeds, after a given one, as bytes; nil if they have to be read
    /// from the store. With the number of changes of which they tell, too.
    func messages(after id: Int, of feed: String?) -> (bytes: [UInt8], last: Int, changes: Int)? {
        state.withLock { state in
            guard id >= state.base else { return nil }
            var bytes: [UInt8] = []
            var (last, changes) = (id, 0)
            // The entries are in order, and most listeners are near the end.
            let start = state.entries.lastIndex { $0.id <= id }.map { $0 + 1 } ?? 0
            for entry in state.entries[start...] {
                last = entry.id
                if feed == nil || entry.feed == feed || entry.owner == feed {
                    bytes += entry.bytes
                    changes = max(changes, entry.changes)
                }
                if bytes.count > 64 * 1024 { break }
            }
            return (bytes, last, changes)
        }
    }

    func add(_ listener: EventStream) {
        state.withLock { state in
            state.listeners[ObjectIdentifier(listener)] = listener
            guard state.beat == nil else { return }
            state.beat = Task { [weak self] in
                while (try? await Task.sleep(for: Self.pulse)) != nil { self?.beat() }
            }
        }
    }

    func remove(_ listener: EventStream) {
        state.withLock { state in
            state.listeners[ObjectIdentifier(listener)] = nil
            guard state.listeners.isEmpty else { return }
            state.beat?.cancel()
            state.beat = nil
        }
    }

    private func beat() {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.beat() }
    }

    /// Ends all streams.
    func finish() {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.finish() }
    }
}

/// The events of one listener: from the hub if they are in memory, otherwise from the store, so that none is missed.
final class EventStream: ResponseStream {
    private struct State {
        var place: Int
        var changes: Int
        var pending: [UInt8] = Array("retry: 1000\n\n".utf8)
        var isReading = false
        var isFinished = false
        var wake: (@Sendable () -> Void)?
    }

    private let hub: EventHub
    private let store: @Sendable () async -> Store?
    private let feed: String?
    private let state: Lock<State>

    /// - Parameters:
    ///   - feed: The feed of the events; nil for all feeds.
    ///   - id: The last event that the listener has.
    ///   - changes: The number of changes that the listener knows; nil for those announced so far.
    init(
        _ hub: EventHub, feed: String?, after id: Int, changes: Int?, store: @escaping @Sendable () async -> Store?
    ) {
        (self.hub, self.store, self.feed) = (hub, store, feed)
        state = Lock(State(place: id, changes: changes ?? hub.announced))
    }

    /// The event log as a stream, from the listener's last event on.
    static func answer(_ visit: Visit) async throws(FeedSyncError) -> SharedAnswer {
        let (served, hub) = (visit.served, visit.site.hub)
        let name = visit.request.parameter("feed")
        if let name, try await served.feed(named: name) == nil { return visit.unknownFeed(name) }
        let known = visit.request.header("Last-Event-ID") ?? visit.request.parameter("after")
        // Without an event id the stream begins now: events that are committed but not published yet are skipped.
        let newest = try await served.newestEvent()
        let last = known.flatMap { Int($0) }.map { min(max($0, 0), newest) } ?? max(newest, hub.last)
        let headers = [(name: "Content-Type", value: "text/event-stream; charset=utf-8")]
        let head = Responses.finished(ServerResponse(headers: headers))
        guard visit.request.method == "GET" else { return .whole(head) }
        // A change between the making of the page and this request would not show on it otherwise.
        let changes = visit.request.parameter("changes").flatMap { Int($0) }
        return .stream(
            head,
            EventStream(hub, feed: name, after: last, changes: changes) { [shelf = visit.site.shelf] in
                await shelf.served.pages
            })
    }

    func begin(wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake = wake }
        hub.add(self)
    }

    func end() {
        hub.remove(self)
        state.withLock { state in
            state.isFinished = true
            state.wake = nil
        }
    }

    func wake() { state.withLock { $0.wake }?() }

    func finish() {
        state.withLock { $0.isFinished = true }
        wake()
    }

    /// Sends an empty comment line. A reader that has gone fails to take it.
    func beat() {
        state.withLock { if $0.pending.isEmpty { $0.pending = Array(":\n\n".utf8) } }
        wake()
    }

    func next() -> ResponsePart {
        state.withLock { state in
            if !state.pending.isEmpty {
                defer { state.pending = [] }
                return .bytes(state.pending)
            }
            if state.isFinished { return .end }
            if state.isReading { return .wait }
            if let (bytes, last, changes) = hub.messages(after: state.place, of: feed) {
                state.place = last
                state.changes = max(state.changes, changes)
                guard bytes.isEmpty else { return .bytes(bytes) }
                let announced = hub.announced
                guard announced > state.changes else { return .wait }
                state.changes = announced
                return .bytes(EventHub.change)
            }
            state.isReading = true
            let place = state.place
            Task { await self.read(after: place) }
            return .wait
        }
    }

    /// Reads older events, in batches, so that no snapshot stays open for a slow reader.
    private func read(after id: Int) async {
        let most = 500
        let known = hub.last
        let events = await store() == nil ? [] : try? await store()?.events(of: feed, after: id, limit: most)
        state.withLock { state in
            state.isReading = false
            guard let events else {
                state.isFinished = true
                return
            }
            state.pending = events.flatMap(EventHub.message)
            // All events up to the hub's last one were read, including those of other feeds.
            state.place = max(events.last?.id ?? id, events.count < most ? known : id)
        }
        wake()
    }
}

extension StatusEvent {
    /// True if every page that shows items of its feed is read again after it.
    fileprivate var hasChangedItems: Bool { items.inserted != 0 || items.updated != 0 || items.removed != 0 }
}
