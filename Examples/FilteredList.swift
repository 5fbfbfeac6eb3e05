import FeedSync

/// The rows of a feed that have a text in their names. Nothing is requested: it shows what is stored.
@MainActor
final class FilteredList {
    /// The rows that fit, again after each change of the text or of the feed; it ends with an error if they cannot be read.
    nonisolated let rows: AsyncThrowingStream<[Repository], any Error>

    private let shown: AsyncThrowingStream<[Repository], any Error>.Continuation
    private var all: [Repository]?
    private var text = ""
    private var reading: Task<Void, Never>?

    init(of feed: String, in mirror: FeedMirror) {
        (rows, shown) = AsyncThrowingStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        reading = Task { [weak self, shown] in
            do {
                for try await rows in mirror.items(of: feed, as: Repository.self) { self?.stored(rows) }
                shown.finish()
            } catch {
                shown.finish(throwing: error)
            }
        }
    }

    deinit { reading?.cancel() }

    func typed(_ text: String) {
        self.text = text.lowercased()
        show()
    }

    private func stored(_ rows: [Repository]) {
        all = rows
        show()
    }

    private func show() {
        guard let all else { return }
        shown.yield(text.isEmpty ? all : all.filter { $0.fullName.lowercased().contains(text) })
    }
}
