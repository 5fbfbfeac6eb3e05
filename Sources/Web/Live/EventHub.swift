internal import Concurrency
internal import FeedSync
internal import HTTPServer

/// The newest events, for all who listen. Each listener only remembers how far it is, so a slow one costs no more than that.
final class EventHub: Sendable {
    fileprivate struct Entry: Sendable {
        let id: Int
        let feed: String
        /// The feed that it is a part of; nil for one that is none.
        let owner: String?
        let bytes: [UInt8]
    }

    private struct State {
        var entries: [Entry] = []
        /// All events behind this one are among the entries.
        var base = 0
        var last = 0
        var listeners: [ObjectIdentifier: EventStream] = [:]
        var beat: Task<Void, Never>?
    }

    /// How many events are kept at hand.
    private static let most = 1_000
    /// How often a silent connection is tried, so that one whose reader has gone is noticed.
    private static let pulse = Duration.seconds(15)

    private let state = Lock(State())

    /// The number of the newest event that was told.
    var last: Int { state.withLock { $0.last } }

    /// How many listen.
    var listenerCount: Int { state.withLock { $0.listeners.count } }

    /// Begins behind this event.
    func begin(at id: Int) {
        state.withLock { ($0.base, $0.last) = (id, id) }
    }

    /// Tells events, in order.
    func publish(_ events: [StatusEvent]) {
        let listeners = state.withLock { state -> [EventStream] in
            for event in events where event.id > state.last {
                state.entries.append(
                    Entry(
                        id: event.id, feed: event.feed, owner: FeedPart.feed(ofPart: event.feed),
                        bytes: Self.message(event)))
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

    /// An event as server-sent events have it.
    ///
    /// Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
    static func message(_ event: StatusEvent) -> [UInt8] { Array("id: \(event.id)\ndata: \(event.result)\n\n".utf8) }

    /// The events behind one of a feed and its parts, or of all, as bytes; nil where they are not at hand, and have to be read from the store.
    func messages(after id: Int, of feed: String?) -> (bytes: [UInt8], last: Int)? {
        state.withLock { state in
            guard id >= state.base else { return nil }
            var bytes: [UInt8] = []
            var last = id
            // The entries are in order, and who listens is mostly at the end.
            let start = state.entries.lastIndex { $0.id <= id }.map { $0 + 1 } ?? 0
            for entry in state.entries[start...] {
                last = entry.id
                if feed == nil || entry.feed == feed || entry.owner == feed { bytes += entry.bytes }
                if bytes.count > 64 * 1024 { break }
            }
            return (bytes, last)
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

/// One listener's events: those at hand first come from the hub, older ones from the store, so that none is missed.
final class EventStream: ResponseStream {
    private struct State {
        var place: Int
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
    ///   - feed: Whose events; nil for all.
    ///   - id: The last event that the listener has.
    init(_ hub: EventHub, feed: String?, after id: Int, store: @escaping @Sendable () async -> Store?) {
        (self.hub, self.store, self.feed) = (hub, store, feed)
        state = Lock(State(place: id))
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

    /// A line that says nothing; what fails to take it has gone.
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
            if let (bytes, last) = hub.messages(after: state.place, of: feed) {
                state.place = last
                return bytes.isEmpty ? .wait : .bytes(bytes)
            }
            state.isReading = true
            let place = state.place
            Task { await self.read(after: place) }
            return .wait
        }
    }

    /// Reads older events: so many at a time that no snapshot stays open behind a slow reader.
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
            // All up to what the hub knew before were read, those of other feeds too.
            state.place = max(events.last?.id ?? id, events.count < most ? known : id)
        }
        wake()
    }
}
