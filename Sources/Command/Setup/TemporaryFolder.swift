internal import Concurrency
internal import Platform

/// A temporary folder that is removed when the process ends.
struct TemporaryFolder: Sendable {
    let path: String

    /// The folders that exist now, open and locked.
    private static let present = Lock<[(path: String, descriptor: Int32)]>([])
    /// The age of a folder without a process, in seconds: a new one may not be locked yet.
    private static let leftAfter = 60

    /// Creates one in `$TMPDIR`, or in `/tmp`, and removes those of the same kind whose processes were killed.
    ///
    /// - Throws: `Failure` with exit code 73.
    init(_ environment: [String: String], for purpose: String = "check") throws(Failure) {
        let parent = environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        let start = "feedsync-\(purpose)-"
        Self.sweep(parent, start)
        guard let made = PrivateFolder.make(beginning: "\(parent)/\(start)") else {
            let reason = String(cString: strerror(errno))
            throw Failure(
                .store, ["cannot create a folder in \(parent): \(reason)"], advice: "set $TMPDIR to another folder")
        }
        path = made
        let descriptor = Self.locked(made) ?? -1
        Self.present.withLock { $0.append((made, descriptor)) }
    }

    /// Removes the folder and its files.
    func remove() {
        let own = Self.present.withLock { present in
            defer { present.removeAll { $0.path == path } }
            return present.filter { $0.path == path }
        }
        Self.remove(path)
        for folder in own where folder.descriptor >= 0 { close(folder.descriptor) }
    }

    /// Removes all existing folders, for a process that ends at once.
    static func removeAll() {
        for folder in present.withLock({ $0 }) { remove(folder.path) }
    }

    /// The lock ends with the process: https://man7.org/linux/man-pages/man2/flock.2.html
    ///
    /// - Returns: The folder, open; nil if another process has it.
    private static func locked(_ path: String) -> Int32? {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func sweep(_ parent: String, _ start: String) {
        for name in FolderNames.all(in: parent) where name.hasPrefix(start) {
            let path = "\(parent)/\(name)"
            var status = stat()
            guard lstat(path, &status) == 0, status.st_uid == getuid(),
                time(nil) - platform_changed_at(&status).tv_sec > leftAfter, let descriptor = locked(path)
            else { continue }
            remove(path)
            close(descriptor)
        }
    }

    private static func remove(_ path: String) {
        for name in FolderNames.all(in: path) { unlink("\(path)/\(name)") }
        rmdir(path)
    }
}
