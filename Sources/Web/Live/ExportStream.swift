internal import Concurrency
internal import FeedSync
internal import HTTPServer

/// All items of a feed, read a page at a time as the client takes them. The store stays free between two pages.
final class ExportStream: ResponseStream {
    private struct State {
        var place: Place?
        var pending: [UInt8] = []
        var isReading = false
        var isFinished = false
        var hasFailed = false
        var wake: (@Sendable () -> Void)?
    }

    /// The items after a place as text, and the place of the last of them; nil for the place at the end.
    typealias Page = @Sendable (Place?) async throws -> (bytes: [UInt8], next: Place?)

    private let page: Page
    private let state = Lock(State())

    init(_ page: @escaping Page) { self.page = page }

    func begin(wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake = wake }
        wake()
    }

    func end() {
        state.withLock { state in
            state.isFinished = true
            state.wake = nil
        }
    }

    func next() -> ResponsePart {
        state.withLock { state in
            if !state.pending.isEmpty {
                defer { state.pending = [] }
                return .bytes(state.pending)
            }
            if state.hasFailed { return .failure }
            if state.isFinished { return .end }
            if !state.isReading {
                state.isReading = true
                let place = state.place
                Task { await self.read(after: place) }
            }
            return .wait
        }
    }

    private func read(after place: Place?) async {
        let page = try? await page(place)
        let wake = state.withLock { state in
            state.isReading = false
            state.pending = page?.bytes ?? []
            state.place = page?.next
            (state.hasFailed, state.isFinished) = (page == nil, page?.next == nil)
            return state.wake
        }
        wake?()
    }
}
