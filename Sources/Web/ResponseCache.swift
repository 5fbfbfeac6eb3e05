internal import Concurrency
internal import FeedSync
internal import HTTPServer

/// A cache of responses that depend on the store alone. They are valid until something is committed.
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

        /// Its size in bytes, with an estimate for everything besides the body.
        var size: Int { response.body.count + 1_024 }
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        /// Their keys, the oldest first.
        var order = FIFOQueue<Key>()
        var size = 0
    }

    /// The maximum size of all responses, in bytes.
    private static let most = 4 << 20

    private let state = Lock(State())

    func response(_ key: Key, mark: Store.Mark) -> (response: ServerResponse, tag: String)? {
        state.withLock { state in
            guard let entry = state.entries[key], entry.mark == mark else { return nil }
            return (entry.response, entry.tag)
        }
    }

    /// Keeps a response, and drops the oldest ones.
    func keep(_ response: ServerResponse, tag: String, _ key: Key, mark: Store.Mark) {
        guard response.status == 200, response.body.count < Self.most / 4 else { return }
        let entry = Entry(response: response, tag: tag, mark: mark)
        state.withLock { state in
            if let old = state.entries.updateValue(entry, forKey: key) {
                state.size -= old.size
            } else {
                state.order.append(key)
            }
            state.size += entry.size
            while state.size > Self.most, let oldest = state.order.popFirst() {
                state.size -= state.entries.removeValue(forKey: oldest)?.size ?? 0
            }
        }
    }
}
