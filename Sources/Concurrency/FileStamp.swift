internal import Platform

/// The stamp that shows if a file was written.
package struct FileStamp: Sendable, Hashable {
    package let path: String
    package let size: Int
    private let device: UInt
    private let inode: UInt
    private let seconds: Int
    private let nanoseconds: Int

    /// The stamp of the file at a path; nil if there is none.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.path = path
        size = Int(status.st_size)
        device = UInt(truncatingIfNeeded: status.st_dev)
        inode = UInt(truncatingIfNeeded: status.st_ino)
        let changed = platform_changed_at(&status)
        (seconds, nanoseconds) = (changed.tv_sec, changed.tv_nsec)
    }

    /// The file to which symbolic links lead: its log is beside it, not beside a link.
    package static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
