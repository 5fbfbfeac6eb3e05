internal import Concurrency

/// Notifies the observers of a store after each commit: by this process, by another engine or by another process.
///
/// The engines of this process notify at once. For all others the store's mark is read a few times a second while there
/// is an observer.
final class StoreWatch: Sendable {
    let store: Store
    private let changes = Broadcast<Void>((), buffering: .bufferingNewest(1))
    private let observers = Lock(Observers())
    private let clock: any Clock<Duration>

    private struct Observers: Sendable {
        var count = 0
        var look: Task<Void, Never>?
    }

    static let interval = Duration.milliseconds(200)

    init(_ store: Store, clock: any Clock<Duration>) {
        self.store = store
        self.clock = clock
    }

    deinit { finish() }

    /// The number of observers.
    var observerCount: Int { observers.withLock { $0.count } }

    /// Notifies the observers of a commit.
    func touch() { changes.send(()) }

    /// Ends all observations.
    func finish() { changes.finish() }

    /// One value at once, then one after each change. Changes that come faster than they are read are combined.
    var values: AsyncStream<Void> {
        observers.withLock { observers in
            observers.count += 1
            if observers.look == nil { observers.look = look() }
        }
        return changes.values { [weak self] in
            self?.observers.withLock { observers in
                observers.count -= 1
                guard observers.count == 0 else { return }
                observers.look?.cancel()
                observers.look = nil
            }
        }
    }

    private func look() -> Task<Void, Never> {
        Task { [weak self, clock] in
            var last: Store.Mark?
            while (try? await clock.sleep(for: Self.interval)) != nil {
                guard let self else { return }
                // An error counts as a change: the observer's next read meets it and reports it.
                let mark = try? await self.store.mark()
                if mark != last || mark == nil { self.touch() }
                last = mark
            }
        }
    }
}

/// The content of a feed, read from its store: once at the start, then after each change that alters it. A change of
/// another feed by this process costs one look at the feed's last event.
///
/// It keeps the store open. It ends when the mirror is closed or its reader stops.
struct StoreObservation<Content: Equatable & Sendable, Element: Sendable>: AsyncSequence, Sendable {
    let watch: StoreWatch
    let feed: String
    /// Reads the content that is compared.
    let read: @Sendable (Store) async throws(FeedSyncError) -> Content
    /// Converts the content into the observer's element.
    let element: @Sendable (Content) async throws(FeedSyncError) -> Element

    func makeAsyncIterator() -> Iterator { Iterator(self, changes: watch.values.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        private let observation: StoreObservation
        private var changes: AsyncStream<Void>.Iterator
        private var last: Content?
        private var mark: Store.FeedMark?
        private var isFailed = false

        init(_ observation: StoreObservation, changes: AsyncStream<Void>.Iterator) {
            self.observation = observation
            self.changes = changes
        }

        mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(FeedSyncError) -> Element? {
            while !isFailed, await changes.next(isolation: actor) != nil {
                do throws(FeedSyncError) {
                    // The mark comes first: content that is newer is read once more.
                    let mark = try await observation.watch.store.mark(of: observation.feed)
                    guard mark != self.mark else { continue }
                    self.mark = mark
                    let content = try await observation.read(observation.watch.store)
                    guard content != last else { continue }
                    last = content
                    return try await observation.element(content)
                } catch {
                    // A read error is thrown once; the caller may observe again.
                    isFailed = true
                    throw error
                }
            }
            return nil
        }
    }
}
