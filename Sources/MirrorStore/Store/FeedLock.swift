internal import Glibc

/// Who works on a feed, as it said itself; nil for what it did not say yet.
package struct FeedHolder: Sendable, Hashable {
    /// The process's id.
    package let process: Int32?
    /// The command, as in the table `run`.
    package let command: String?
}

/// The right to work on one feed, which one process at a time can have.
///
/// It is a lock on one byte of the file `STORE-lock`: the kernel gives it back when the process ends, however that
/// happens. The lock belongs to the open file, not to the process, so that two engines in one process respect each other
/// and no other closing of the file loses it. The file holds what each holder says of itself; the locked bytes are far
/// beyond its end, where locks need none.
///
/// Source: https://man7.org/linux/man-pages/man2/fcntl_locking.2.html (open file description locks)
package final class FeedLock: Sendable {
    private let descriptor: Int32

    /// F_OFD_GETLK, F_OFD_SETLK and F_OFD_SETLKW, which the Glibc module lacks: Linux's include/uapi/asm-generic/fcntl.h.
    private static let findLock: Int32 = 36
    private static let setLock: Int32 = 37
    private static let awaitLock: Int32 = 38
    /// Bytes for each holder's words.
    private static let recordSize: Int64 = 256
    /// Where the locked bytes begin: behind the last record that there can be.
    private static let locks: Int64 = 1 << 40

    /// Takes the lock on the feed of this number; nil if somebody else has it.
    ///
    /// - Throws: `FeedError` of kind `store` if the file cannot be opened or locked.
    package init?(on feed: Int64, of store: String, command: String) throws(FeedError) {
        guard let descriptor = try Self.takeLock(on: feed, at: Self.path(of: store)) else { return nil }
        self.descriptor = descriptor
        let words = Array("\(getpid()) \(command)".utf8.prefix(Int(Self.recordSize) - 1)) + [0]
        // The words only serve a message; a full disk must not keep anybody from working.
        _ = pwrite(descriptor, words, words.count, Self.record(of: feed))
    }

    deinit {
        // A child that was forked a moment ago has the descriptor too, until it becomes another program: closing ours
        // would leave it the lock.
        Self.unlock(descriptor)
        close(descriptor)
    }

    /// Runs `body` while no other process runs one on the store: for what must be done once, when the store is new.
    ///
    /// It waits for the others, which takes them a few milliseconds.
    ///
    /// - Throws: `FeedError` of kind `store` if the file cannot be opened or locked, or what `body` throws.
    static func alone(with store: String, _ body: () throws -> Void) throws {
        let path = path(of: store)
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        var lock = exclusiveLock(at: locks - 1)
        while fcntl(descriptor, awaitLock, &lock) != 0 {
            guard errno == EINTR else { throw failure("lock", path) }
        }
        defer { unlock(descriptor) }
        try body()
    }

    private static func unlock(_ descriptor: Int32) {
        var lock = flock()
        lock.l_type = Int16(F_UNLCK)
        lock.l_whence = Int16(SEEK_SET)
        _ = fcntl(descriptor, setLock, &lock)
    }

    /// Who has the lock on a feed; nil if nobody does, or if that cannot be found out.
    package static func holder(of feed: Int64, of store: String) -> FeedHolder? {
        let descriptor = open(path(of: store), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var lock = exclusiveLock(at: locks + place(of: feed))
        guard fcntl(descriptor, findLock, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
        var words = [UInt8](repeating: 0, count: Int(recordSize))
        let count = pread(descriptor, &words, words.count, record(of: feed))
        let text = String(decoding: words.prefix(max(0, count)).prefix { $0 != 0 }, as: UTF8.self)
        let parts = text.split(separator: " ", maxSplits: 1)
        // Between taking the lock and writing the words, those of an earlier holder stand there.
        guard parts.count == 2, let process = pid_t(parts[0]), kill(process, 0) == 0 || errno == EPERM else {
            return FeedHolder(process: nil, command: nil)
        }
        return FeedHolder(process: process, command: String(parts[1]))
    }

    /// The lock on one byte.
    private static func exclusiveLock(at byte: Int64) -> flock {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(byte)
        lock.l_len = 1
        return lock
    }

    /// the lock file of a store: one, whatever symbolic links lead to the store.
    static func path(of store: String) -> String {
        guard let resolved = realpath(store, nil) else { return "\(store)-lock" }
        defer { free(resolved) }
        return "\(String(cString: resolved))-lock"
    }

    /// Whether the open file is the one that others find at the path.
    static func stands(_ descriptor: Int32, at path: String) -> Bool {
        var own = stat()
        var found = stat()
        guard fstat(descriptor, &own) == 0, stat(path, &found) == 0 else { return false }
        return own.st_dev == found.st_dev && own.st_ino == found.st_ino
    }

    /// - Returns: The open file with the lock; nil if somebody else has it.
    private static func takeLock(on feed: Int64, at path: String) throws(FeedError) -> Int32? {
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
            guard descriptor >= 0 else { throw failure("open", path) }
            var lock = exclusiveLock(at: locks + place(of: feed))
            guard fcntl(descriptor, setLock, &lock) == 0 else {
                let isTaken = errno == EAGAIN || errno == EACCES
                let failure = failure("lock", path)
                close(descriptor)
                if isTaken { return nil }
                throw failure
            }
            if stands(descriptor, at: path) { return descriptor }
            // Somebody deleted the file before it was locked: the next one would find another.
            close(descriptor)
        }
    }

    private static func record(of feed: Int64) -> off_t { off_t(place(of: feed) * recordSize) }

    /// The feed's number, held within 32 bits: a store that somebody made by hand may have any.
    private static func place(of feed: Int64) -> Int64 { Int64(UInt32(truncatingIfNeeded: feed)) }

    private static func failure(_ what: String, _ path: String) -> FeedError {
        FeedError(
            .store, "cannot \(what) \(path): \(String(cString: strerror(errno)))",
            advice: "check that you can write to the store's folder")
    }
}
