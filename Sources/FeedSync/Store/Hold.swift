internal import Glibc

/// The right to work on one feed, which one process at a time can have.
///
/// It is a lock on one byte of the file `STORE-hold`: the kernel gives it back when the process ends, however that
/// happens. The lock belongs to the open file, not to the process, so that two engines in one process respect each other
/// and no other closing of the file loses it. Behind the bytes, each holder says who it is.
///
/// Source: https://man7.org/linux/man-pages/man2/fcntl_locking.2.html (open file description locks)
final class Hold: Sendable {
    private let descriptor: Int32

    /// F_OFD_SETLK, which the Glibc module lacks: Linux's include/uapi/asm-generic/fcntl.h.
    private static let setLock: Int32 = 37
    /// Bytes for each holder's words.
    private static let recordSize = 256
    /// Where they begin: feeds have numbers far below.
    private static let records: Int64 = 1 << 24

    /// Takes the hold on the feed of this number; nil if somebody else has it.
    ///
    /// - Throws: `FeedError` of kind `store` if the file cannot be opened or locked.
    init?(on feed: Int64, of store: String, command: String) throws(FeedError) {
        let path = "\(store)-hold"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Self.failure("open", path) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(feed)
        lock.l_len = 1
        guard fcntl(descriptor, Self.setLock, &lock) == 0 else {
            let isTaken = errno == EAGAIN || errno == EACCES
            let failure = Self.failure("lock", path)
            close(descriptor)
            if isTaken { return nil }
            throw failure
        }
        self.descriptor = descriptor
        let words = Array("\(getpid()) \(command)".utf8.prefix(Self.recordSize - 1)) + [0]
        // The words only serve a message; a full disk must not keep anybody from working.
        _ = pwrite(descriptor, words, words.count, Self.offset(of: feed))
    }

    deinit { close(descriptor) }

    /// Who has the hold, as it said itself: `process 4711 (reload)`.
    static func holder(of feed: Int64, of store: String) -> String {
        let descriptor = open("\(store)-hold", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "another process" }
        defer { close(descriptor) }
        var words = [UInt8](repeating: 0, count: recordSize)
        let count = pread(descriptor, &words, words.count, offset(of: feed))
        let text = String(decoding: words.prefix(max(0, count)).prefix { $0 != 0 }, as: UTF8.self)
        let parts = text.split(separator: " ", maxSplits: 1)
        // Between taking the lock and writing the words, those of an earlier holder stand there.
        guard parts.count == 2, let process = pid_t(parts[0]), kill(process, 0) == 0 || errno == EPERM else {
            return "another process"
        }
        return "process \(process) (\(parts[1]))"
    }

    private static func offset(of feed: Int64) -> off_t { off_t(records + feed * Int64(recordSize)) }

    private static func failure(_ what: String, _ path: String) -> FeedError {
        FeedError(
            .store, "cannot \(what) \(path): \(String(cString: strerror(errno)))",
            advice: "check that you may write the store's folder")
    }
}
