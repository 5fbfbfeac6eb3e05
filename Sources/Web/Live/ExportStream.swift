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

extension Site {
    /// All items of a feed, as CSV or as a line of JSON for each.
    func export(_ name: String, _ served: Served, _ request: ServerRequest) async throws(FeedSyncError) -> SharedAnswer
    {
        guard try await feed(name, served) != nil else { return unknownFeed(name) }
        let isLines = request.wantsLines
        let fileName = "\(name.replacing("/", with: "-")).\(isLines ? "ndjson" : "csv")"
        let head = Responses.finished(
            ServerResponse(headers: [
                ("Content-Type", isLines ? "application/x-ndjson" : "text/csv; charset=utf-8"),
                ("Content-Disposition", "attachment; filename=\"\(fileName)\""),
            ]))
        guard let store = served.search, request.method == "GET" else { return .whole(head) }
        return .stream(
            head,
            ExportStream { place in
                var query = ListingQuery(feed: name, limit: Self.itemsAtOnce)
                query.after = place
                guard !isLines else {
                    let listing = try await store.listingText(query)
                    return (listing.lines, listing.hasMore ? listing.lastPlace : nil)
                }
                let listing = try await store.listing(query)
                let columns = listing.columns.enumerated().map { (index: $0.offset, column: $0.element) }
                let text = CommaSeparated.document(listing, columns, hasNames: place == nil)
                return (text, listing.hasMore ? listing.items.last?.place : nil)
            })
    }

    private static let itemsAtOnce = 1_000
}
