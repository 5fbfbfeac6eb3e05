internal import Concurrency
internal import Platform

/// The holder of a feed's lock, as recorded by the holder itself; nil for anything not written yet.
package struct FeedHolder: Sendable, Hashable {
    /// The process's id.
    package let process: Int32?
    /// The command, as in the table `run`.
    package let command: String?
}

/// The right to work on one feed, which one process at a time can have.
///
/// It is a lock on one byte of the file `STORE-lock`: the kernel releases it when the process ends for any reason. The
/// lock belongs to the open file, not to the process, so that two engines in one process respect each other and no
/// other closing of the file loses it. The file also holds a record of each holder; the locked bytes are far beyond its
/// end, since locks need no bytes.
///
/// Source: https://man7.org/linux/man-pages/man2/fcntl_locking.2.html (open file description locks)
package final class FeedLock: Sendable {
    private let descriptor: Int32
    private let path: String

    /// The number of tries for a lock that feedsync holds for a few milliseconds, a millisecond apart.
    private static let mostTries = 5_000
    /// Bytes for each holder's words.
    private static let recordSize: Int64 = 256
    /// The offset of the locked bytes: after the last possible record.
    private static let locks: Int64 = 1 << 40

    /// Takes the lock on the feed of this number; nil if another process has it.
    ///
    /// - Throws: `FeedSyncError` of kind `store` if the file cannot be opened or locked.
    package init?(on feed: Int64, of store: String, command: String) throws(FeedSyncError) {
        path = Self.path(of: store)
        guard let descriptor = try Self.takeLock(on: feed, at: path) else { return nil }
        self.descriptor = descriptor
        let words = Array("\(getpid()) \(command)".utf8.prefix(Int(Self.recordSize) - 1)) + [0]
        // The record is only for a message; a full disk must not stop the work.
        _ = pwrite(descriptor, words, words.count, Self.record(of: feed))
    }

    deinit {
        // A child that was forked a moment ago has the descriptor too, until it becomes another program: closing ours
        // would leave it the lock.
        Self.unlock(descriptor)
        close(descriptor)
    }

    /// Checks that the lock is still valid: the path still leads to the locked file.
    ///
    /// - Throws: `FeedSyncError` of kind `store` if the file was deleted or replaced; another process may have the feed
    ///   then.
    package func check() throws(FeedSyncError) {
        guard !FilePath.leads(path, to: descriptor) else { return }
        throw FeedSyncError(
            .store, "the lock file \(path) was deleted or replaced while feedsync was using it",
            advice: "leave that file alone, and run the command again; what was committed is kept")
    }

    /// Runs `body` while no other process runs one on the store: for work that must be done once, when the store is
    /// new.
    ///
    /// It waits for the others, which takes them a few milliseconds.
    ///
    /// - Parameter tries: The number of checks, a millisecond apart, for the end of the others.
    /// - Throws: `FeedSyncError` of kind `store` if the file cannot be opened or locked, `locked` if another process
    ///   keeps the lock, or the error of `body`.
    static func alone(with store: String, tries: Int = mostTries, _ body: () throws -> Void) throws {
        let path = path(of: store)
        let descriptor = try openFile(path)
        defer { close(descriptor) }
        var lock = exclusiveLock(at: locks - 1)
        var tried = 0
        while fcntl(descriptor, platform_set_lock, &lock) != 0 {
            tried += 1
            guard [EAGAIN, EACCES, EINTR].contains(errno) else { throw failure("lock", path) }
            guard tried < tries else {
                throw FeedSyncError(
                    .locked, "another program holds a lock on \(path)", advice: "run it again when that is done")
            }
            usleep(1_000)
        }
        defer { unlock(descriptor) }
        try body()
    }

    private static func unlock(_ descriptor: Int32) {
        var lock = flock()
        lock.l_type = Int16(F_UNLCK)
        lock.l_whence = Int16(SEEK_SET)
        _ = fcntl(descriptor, platform_set_lock, &lock)
    }

    /// The holder of the lock on a feed; nil if there is none, or if it cannot be found out.
    package static func holder(of feed: Int64, of store: String) -> FeedHolder? {
        Holders(of: store).holder(of: feed)
    }

    /// The holders of the locks on a store's feeds: its lock file is opened once for all of them.
    package final class Holders {
        private let descriptor: Int32

        package init(of store: String) {
            descriptor = open(FeedLock.path(of: store), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        }

        deinit { if descriptor >= 0 { close(descriptor) } }

        /// The holder of the lock on a feed; nil if there is none, or if it cannot be found out.
        package func holder(of feed: Int64) -> FeedHolder? {
            descriptor < 0 ? nil : FeedLock.holder(of: feed, in: descriptor)
        }
    }

    private static func holder(of feed: Int64, in descriptor: Int32) -> FeedHolder? {
        var lock = exclusiveLock(at: byte(of: feed))
        guard fcntl(descriptor, platform_find_lock, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
        var words = [UInt8](repeating: 0, count: Int(recordSize))
        let count = pread(descriptor, &words, words.count, record(of: feed))
        let text = String(decoding: words.prefix(max(0, count)).prefix { $0 != 0 }, as: UTF8.self)
        let parts = text.split(separator: " ", maxSplits: 1)
        // Right after a process takes the lock, the record of an earlier holder may still be there.
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

    /// The lock file of a store: the same one through all symbolic links to the store.
    static func path(of store: String) -> String { "\(FileStamp.resolved(store))-lock" }

    /// - Returns: The open file with the lock; nil if another process has it.
    private static func takeLock(on feed: Int64, at path: String) throws(FeedSyncError) -> Int32? {
        for _ in 0..<mostTries {
            let descriptor = try openFile(path)
            var lock = exclusiveLock(at: byte(of: feed))
            guard fcntl(descriptor, platform_set_lock, &lock) == 0 else {
                let isTaken = errno == EAGAIN || errno == EACCES
                let failure = failure("lock", path)
                close(descriptor)
                if isTaken { return nil }
                throw failure
            }
            if FilePath.leads(path, to: descriptor) { return descriptor }
            // The file was deleted before it was locked: another process would find a new one.
            close(descriptor)
        }
        throw FeedSyncError(
            .store, "the lock file \(path) is deleted again and again", advice: "find out which program deletes it")
    }

    /// Opens or creates the lock file, for its owner alone.
    ///
    /// A symbolic link is refused: the record would be written to any file to which it leads.
    private static func openFile(_ path: String) throws(FeedSyncError) -> Int32 {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else {
            guard errno == ELOOP else { throw failure("open", path) }
            throw FeedSyncError(
                .store, "the lock file \(path) is a symbolic link, which is not followed",
                advice: "delete the link while no feedsync is using the store")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw FeedSyncError(
                .store, "the lock file \(path) is not a regular file", advice: "delete it, then run the command again")
        }
        return descriptor
    }

    /// The byte that is locked. Each number has its own. A store that was made by hand may have any number.
    private static func byte(of feed: Int64) -> Int64 { locks + (feed & Int64.max >> 1) }

    /// The offset of the holder's record. Two numbers may share an offset: only a message depends on it, and a file
    /// cannot be so large.
    private static func record(of feed: Int64) -> off_t { off_t(UInt32(truncatingIfNeeded: feed)) * off_t(recordSize) }

    private static func failure(_ what: String, _ path: String) -> FeedSyncError {
        FeedSyncError(
            .store, "cannot \(what) \(path): \(String(cString: strerror(errno)))",
            advice: "check that you can write to the store's folder")
    }
}

extension FeedLock {
    /// The error for a locked feed, with the holder.
    ///
    /// - Parameter name: The feed's name; nil if the error is shown with it.
    package static func refusal(
        of feed: Int64, named name: String? = nil, in store: String, advice: String
    ) -> FeedSyncError {
        let who = holder(of: feed, of: store)?.text ?? "another feedsync"
        return FeedSyncError(.locked, "\(who) is using \(name.map { "the feed \($0)" } ?? "this feed")", advice: advice)
    }
}

extension FeedHolder {
    /// The holder in words.
    fileprivate var text: String {
        guard let process, let command else { return "another feedsync" }
        // The engines of one mirror share their work; two mirrors of one store do not know each other.
        let who = process == getpid() ? "another mirror of this process" : "another feedsync"
        return "\(who) (pid \(process), \(command))"
    }
}
