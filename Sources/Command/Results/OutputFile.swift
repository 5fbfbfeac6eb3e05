internal import Concurrency
internal import Platform

/// A file that gets the results in place of stdout. It has a temporary name until all is written, so that its readers
/// never see a part, and a failure leaves what was there.
struct OutputFile: Sendable {
    let descriptor: Int32
    private let path: String
    /// Nil for a pipe or a device, which is written at once.
    private let temporary: String?

    /// The temporary file that exists now; there is at most one.
    private static let present = Lock<String?>(nil)

    /// - Throws: `Failure` with exit code 74 if it cannot be created.
    init(_ path: String) throws(Failure) {
        if let number = Self.openDescriptor(path) {
            (self.path, temporary) = (path, nil)
            descriptor = fcntl(number, F_DUPFD_CLOEXEC, 0)
            guard descriptor >= 0 else { throw Self.failure(path, errno) }
            return
        }
        var status = stat()
        let exists = stat(path, &status) == 0
        if exists, status.st_mode & S_IFMT == S_IFDIR { throw Self.failure(path, EISDIR) }
        if exists, status.st_mode & S_IFMT != S_IFREG {
            (self.path, temporary) = (path, nil)
            descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
            guard descriptor >= 0 else { throw Self.failure(path, errno) }
            return
        }
        // The target of a link is replaced, not the link.
        let target = FileStamp.resolved(path)
        let name = "\(target).\(getpid())-\(UInt32.random(in: 0...UInt32.max)).new"
        let opened = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard opened >= 0 else { throw Self.failure(path, errno) }
        if exists { fchmod(opened, status.st_mode & 0o777) }
        (self.path, temporary, descriptor) = (target, name, opened)
        Self.present.withLock { $0 = name }
    }

    /// The descriptor that a path such as `/dev/stdout` or `/dev/fd/3` means. Whatever a shell opened there, to append to
    /// it perhaps, is written on.
    private static func openDescriptor(_ path: String) -> Int32? {
        let folder = FileStamp.resolved("/dev/fd")
        var next: String? = path
        for _ in 0..<40 {
            guard let path = next, let slash = path.lastIndex(of: "/") else { return nil }
            let name = path[path.index(after: slash)...]
            if let number = Int32(name), FileStamp.resolved(String(path[..<slash])) == folder { return number }
            next = FileStamp.next(path)
        }
        return nil
    }

    /// Gives the file its name, once all is written.
    func finish() throws(Failure) {
        guard let temporary else { return }
        defer { Self.discard() }
        guard fsync(descriptor) == 0 || errno == EINVAL, close(descriptor) == 0, rename(temporary, path) == 0 else {
            throw Self.failure(path, errno)
        }
        Self.present.withLock { $0 = nil }
    }

    /// Removes an unfinished file.
    static func discard() {
        guard let name = present.withLock({ $0 }) else { return }
        unlink(name)
        present.withLock { $0 = nil }
    }

    private static func failure(_ path: String, _ error: Int32) -> Failure {
        Failure(.output, ["cannot write \(path): \(String(cString: strerror(error)))"])
    }
}
