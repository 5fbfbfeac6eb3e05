internal import Concurrency

/// A feed's items with the state of its engine, at one moment.
///
/// A view that shows both never has a page's end without its items.
public struct FeedList<Item: Sendable>: Sendable {
    /// The items, in feed order.
    public let items: [Item]
    /// The engine's state; the items are at least as new.
    public let state: EngineState

    package init(items: [Item], state: EngineState) { (self.items, self.state) = (items, state) }
}

extension SyncEngine {
    /// The feed's items and its state together: now, then after each change of either.
    ///
    /// Changes that come faster than they are read are combined. The sequence ends when the mirror is closed or the
    /// reader stops, and with an error if the store cannot be read or a row does not fit.
    ///
    /// - Parameters:
    ///   - type: The type of the rows; `FeedSection.items` describes the properties for columns.
    ///   - section: The section's name, `.some(nil)` for items without one; nil for all sections.
    ///   - limit: The maximum number of items; nil for all.
    public nonisolated func list<Item: Decodable & Sendable>(
        as type: Item.Type = Item.self, section: String?? = nil, limit: Int? = nil
    ) -> some AsyncSequence<FeedList<Item>, FeedSyncError> & Sendable {
        FeedLists<Item>(engine: self, section: section, limit: limit)
    }
}

private struct FeedLists<Item: Decodable & Sendable>: AsyncSequence, Sendable {
    let engine: SyncEngine
    let section: String??
    let limit: Int?

    func makeAsyncIterator() -> Iterator { Iterator(self) }

    struct Iterator: AsyncIteratorProtocol {
        private let lists: FeedLists
        private var turns: AsyncStream<Void>.Iterator
        private let listening: Listening
        private var mark: Store.FeedMark?
        private var page: RowPage?
        private var state: EngineState?
        private var items: [Item] = []
        private var isEnded = false

        init(_ lists: FeedLists) {
            self.lists = lists
            let (turns, turn) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            self.turns = turns.makeAsyncIterator()
            let (states, changes) = (lists.engine.state, lists.engine.watch.values)
            listening = Listening([
                Task {
                    for await _ in states { turn.yield() }
                    turn.finish()
                },
                Task {
                    for await _ in changes { turn.yield() }
                    turn.finish()
                },
            ])
        }

        mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(FeedSyncError) -> FeedList<Item>? {
            while !isEnded, await turns.next(isolation: actor) != nil {
                // The state comes first: a page is committed before the state that reports it.
                guard let state = lists.engine.currentState else { return nil }
                do throws(FeedSyncError) {
                    guard try await readItems() || state != self.state else { continue }
                } catch {
                    isEnded = true
                    throw error
                }
                self.state = state
                return FeedList(items: items, state: state)
            }
            return nil
        }

        /// Reads the items if the feed has changed; false if they are as before.
        private mutating func readItems() async throws(FeedSyncError) -> Bool {
            let (store, feed) = (lists.engine.store, lists.engine.definition.name)
            let mark = try await store.mark(of: feed)
            guard mark != self.mark else { return false }
            self.mark = mark
            let page = try await store.rows(of: feed, section: lists.section, limit: lists.limit)
            guard page != self.page else { return false }
            items = try await page.items(of: feed, as: Item.self)
            self.page = page
            return true
        }
    }

    /// The tasks that wait for changes while an iterator has readers.
    private final class Listening: Sendable {
        private let tasks: [Task<Void, Never>]

        init(_ tasks: [Task<Void, Never>]) { self.tasks = tasks }

        deinit { for task in tasks { task.cancel() } }
    }
}
