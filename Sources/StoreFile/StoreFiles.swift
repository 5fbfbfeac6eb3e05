internal import Concurrency
internal import Platform

/// The files of a connection: the store's, and the log and its index next to it.
///
/// SQLite opens them once, and does not check again that their paths still lead to them. A process that finds another
/// index there shares no lock with this one, and both would write the log: https://sqlite.org/howtocorrupt.html,
/// section 2.5.
struct StoreFiles: Sendable {
    /// The change of the files.
    enum Change: Sendable {
        /// The path leads to another file, or to none.
        case store
        /// The log is not the one that is written; `isReplaced` is true if another file is in its place.
        case log(isReplaced: Bool)
        /// The log's index is not the one that is used.
        case index
    }

    /// The identity of a file.
    private struct Identity: Sendable, Equatable {
        let device: dev_t
        let inode: ino_t

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            device = status.st_dev
            inode = status.st_ino
        }
    }

    private let path: String
    private let resolved: String
    private let store: Identity?
    private let log: Identity?
    private let index: Identity?

    /// The files as they are now, which a connection has just opened.
    init(of path: String) {
        self.path = path
        resolved = FileStamp.resolved(path)
        store = Identity(path)
        log = Identity(resolved + "-wal")
        index = Identity(resolved + "-shm")
    }

    /// The change of the files since they were opened; nil if they are the same. It costs three `stat`.
    var change: Change? {
        if let store, Identity(path) != store { return .store }
        if let index, Identity(resolved + "-shm") != index { return .index }
        if let log {
            let found = Identity(resolved + "-wal")
            if found != log { return .log(isReplaced: found != nil) }
        }
        return nil
    }

    /// Creates an empty file that only its owner can use, if there is no file. SQLite gives the files next to it the
    /// same permissions.
    ///
    /// This needs no descriptor, because closing one would drop the locks of a connection on the same file. If it
    /// fails, SQLite reports the reason. https://sqlite.org/howtocorrupt.html
    static func make(_ path: String) { _ = mknod(FileStamp.resolved(path), S_IFREG | 0o600, 0) }

    /// True if two paths lead to one file.
    static func areSame(_ one: String, _ other: String) -> Bool { Identity(one).map { $0 == Identity(other) } ?? false }

    /// True for a folder, a pipe or a device, in whose place no file can be put.
    static func isNoFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    /// True if a backup may replace a file: there is none, or it is empty, or a database of SQLite.
    ///
    /// Source: https://sqlite.org/fileformat.html#magic_header_string
    static func mayBecomeBackup(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        var head = [UInt8](repeating: 0, count: 15)
        let count = read(descriptor, &head, head.count)
        return count == 0 || count == head.count && head.elementsEqual("SQLite format 3".utf8)
    }

    /// Removes the parts of backups whose processes have ended: nothing has written them for a minute. A process of
    /// another machine or container has a number that may be nobody's here.
    static func removeAbandonedParts(of file: String) {
        let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? "./"
        let start = "\(file.split(separator: "/").last ?? "").part-"
        for name in FolderNames.all(in: folder) where name.hasPrefix(start) {
            let end = name.dropFirst(start.count)
            let digits = end.hasSuffix("-journal") ? end.dropLast(8) : end
            guard let id = pid_t(digits), id > 0, kill(id, 0) != 0, errno == ESRCH else { continue }
            var status = stat()
            guard stat(folder + name, &status) == 0, time(nil) - platform_changed_at(&status).tv_sec > 60 else {
                continue
            }
            unlink(folder + name)
        }
    }

    /// True if users other than the owner may read the file: only the user can have set that.
    static func isShared(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & (S_IRGRP | S_IROTH) != 0
    }

    /// Gives the log and its index the store's group, because its members could not read the store otherwise.
    ///
    /// SQLite makes them with the store's permissions, but with its group only if a superuser runs it. A user who is
    /// not in that group may not give a file to it; a reader then gets the error that the log cannot be read.
    static func shareLogFiles(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        let group = status.st_gid
        for end in ["-wal", "-shm"] {
            let file = FileStamp.resolved(path) + end
            if lstat(file, &status) == 0, status.st_gid != group { _ = lchown(file, uid_t.max, group) }
        }
    }
}
