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

    /// The file to which symbolic links lead, whether or not it is there: its log is beside it, not beside a link.
    package static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return end(of: path) }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The path at the end of symbolic links that lead to no file.
    private static func end(of path: String) -> String {
        var path = path
        for _ in 0..<40 {
            guard let next = next(path) else { return path }
            path = next
        }
        return path
    }

    /// The path to which a symbolic link leads; nil for anything else.
    package static func next(_ path: String) -> String? {
        var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &target, target.count)
        guard count > 0 else { return nil }
        let text = String(decoding: target[..<count], as: UTF8.self)
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        return text.hasPrefix("/") ? text : folder + text
    }
}
