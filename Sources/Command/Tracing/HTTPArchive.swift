internal import Concurrency
internal import FeedSync
internal import JSON
internal import Platform

/// A file of requests and responses in the HTTP Archive format 1.2, which browsers open.
///
/// It is whole after each entry, however the process ends: each is written together with the end of the document, over
/// the end before.
///
/// - Isolation: any thread.
final class HTTPArchive: Sendable {
    private struct State {
        /// The place for the end of the document; nil after a failure.
        var offset: Int?
        var isEmpty = true
    }

    private let path: String
    private let descriptor: Int32
    private let state: Lock<State>

    private static let end = "\n]}}\n"

    /// Begins the file, for its owner alone.
    ///
    /// - Throws: `Failure` with exit code 74.
    init(path: String) throws(Failure) {
        self.path = path
        // Without O_NONBLOCK, opening a pipe without a reader would wait.
        descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else {
            throw errno == ENOENT
                ? .missingFolder(of: path, .output) ?? Self.failure(path, ENOENT) : Self.failure(path, errno)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw Failure(.output, ["\(path) is not a regular file"], advice: "--trace needs the name of a file")
        }
        let creator: JSONFields = ["name": "feedsync", "version": FeedSyncVersion.text]
        let beginning = #"{"log":{"version":"1.2","creator":\#(creator.json),"entries":["#
        state = Lock(State(offset: beginning.utf8.count))
        guard fchmod(descriptor, 0o600) == 0, ftruncate(descriptor, 0) == 0, write(beginning + Self.end, at: 0) else {
            let number = errno
            close(descriptor)
            throw Self.failure(path, number)
        }
    }

    deinit { close(descriptor) }

    /// Adds a request and its response; why it could not be written, the first time.
    func add(_ exchange: TracedExchange, of feed: String) -> Failure? {
        let entry = HTTPArchiveEntry(exchange: exchange, feed: feed).json
        return state.withLock { state in
            guard let offset = state.offset else { return nil }
            let text = (state.isEmpty ? "\n" : ",\n") + entry
            guard write(text + Self.end, at: offset) else {
                let number = errno
                // The end is restored, so that the entries before stay a whole document.
                _ = write(Self.end, at: offset)
                _ = ftruncate(descriptor, off_t(offset + Self.end.utf8.count))
                state.offset = nil
                return Self.failure(path, number)
            }
            state.offset = offset + text.utf8.count
            state.isEmpty = false
            return nil
        }
    }

    private func write(_ text: String, at start: Int) -> Bool {
        var rest = Array(text.utf8)[...]
        var offset = start
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            offset += count
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func failure(_ path: String, _ number: Int32) -> Failure {
        Failure(
            .output, ["cannot write \(path): \(String(cString: strerror(number)))"],
            advice: "check the folder and the room on the disk, or run it without --trace")
    }
}
