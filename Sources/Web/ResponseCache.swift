internal import Concurrency
internal import FeedSync
internal import HTTPServer

/// Responses that are made of the store alone: they hold until something is committed.
final class ResponseCache: Sendable {
    struct Key: Hashable, Sendable {
        private let words: [String]
        private let version: Int

        init(_ request: ServerRequest, version: Int) {
            words = [request.rawPath] + request.query.flatMap { [$0.name, $0.value] }
            self.version = version
        }
    }

    private struct Entry {
        let response: ServerResponse
        let tag: String
        let mark: Store.Mark
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var order: [Key] = []
        var size = 0
    }

    /// The bytes of all bodies together.
    private static let most = 4 << 20

    private let state = Lock(State())

    func response(_ key: Key, mark: Store.Mark) -> (response: ServerResponse, tag: String)? {
        state.withLock { state in
            guard let entry = state.entries[key], entry.mark == mark else { return nil }
            return (entry.response, entry.tag)
        }
    }

    /// Keeps a response, and lets go of the oldest.
    func keep(_ response: ServerResponse, tag: String, _ key: Key, mark: Store.Mark) {
        guard response.status == 200, response.body.count < Self.most / 4 else { return }
        let entry = Entry(response: response, tag: tag, mark: mark)
        state.withLock { state in
            if let old = state.entries.updateValue(entry, forKey: key) {
                state.size -= old.response.body.count
            } else {
                state.order.append(key)
            }
            state.size += response.body.count
            while state.size > Self.most, !state.order.isEmpty {
                let oldest = state.order.removeFirst()
                state.size -= state.entries.removeValue(forKey: oldest)?.response.body.count ?? 0
            }
        }
    }
}
