internal import Concurrency
internal import Platform
internal import Text

/// A file that is replaced as a whole, or not at all.
///
/// The new text goes into a file beside it, which replaces it, with its permissions, once it is on disk. For a
/// symbolic link, the target is replaced.
package struct ReplacedFile: Sendable {
    /// The path, as given.
    package let path: String
    /// The most bytes that are read.
    package let limit: Int
    /// Advice for a text that cannot be read.
    package var advice: String?

    /// A file at a path, where there may be none.
    package init(path: String, limit: Int, advice: String? = nil) {
        self.path = path
        self.limit = limit
        self.advice = advice
    }

    /// The text; empty if there is no file.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    package func text() throws(FeedSyncError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw failure("read") }
            return []
        }
        defer { close(descriptor) }
        return try contents(of: descriptor)
    }

    /// Changes the text. Processes take turns, and each sees the changes of the one before.
    ///
    /// - Parameters:
    ///   - isPrivate: True for a text that only the owner may read, because it holds a credential.
    ///   - change: Makes the new text from the present one, which is empty if there is no file. It may be called again
    ///     if another process was faster.
    ///   - failing: Turns a failure to read or write the file, of kind `store`, into the error to throw.
    /// - Returns: True if the file was created.
    /// - Throws: The error of `change` or of `failing`; the file is unchanged then.
    @discardableResult
    package func edit<Problem: Error>(
        isPrivate: ([UInt8]) -> Bool, failing: (FeedSyncError) -> Problem,
        _ change: ([UInt8]) throws(Problem) -> [UInt8]
    ) throws(Problem) -> Bool {
        func trying<Result>(_ body: () throws(FeedSyncError) -> Result) throws(Problem) -> Result {
            do throws(FeedSyncError) { return try body() } catch { throw failing(error) }
        }
        while true {
            guard let target = try trying(target) else {
                let text = try change([])
                let isMade = try trying { () throws(FeedSyncError) in
                    try make(text, isPrivate: isPrivate(text))
                }
                if isMade { return true }
                continue
            }
            let descriptor = open(target, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else {
                if errno == ENOENT { continue }
                throw failing(failure("read"))
            }
            defer { close(descriptor) }
            // The lock belongs to the file, not to the name: after a wait, the name may belong to another file.
            while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
            guard FilePath.leads(target, to: descriptor) else { continue }
            guard access(target, W_OK) == 0 else { throw failing(failure("write")) }
            let text = try change(try trying { () throws(FeedSyncError) in try contents(of: descriptor) })
            try trying { () throws(FeedSyncError) in
                try replace(target, as: descriptor, with: text, isPrivate: isPrivate(text))
            }
            return false
        }
    }

    /// The path with symbolic links resolved; nil if there is no file.
    private func target() throws(FeedSyncError) -> String? {
        while true {
            if let resolved = realpath(path, nil) {
                defer { free(resolved) }
                return String(cString: resolved)
            }
            guard errno == ENOENT else { throw failure("read") }
            var status = stat()
            guard lstat(path, &status) == 0 else { return nil }
            // Anything else was created meanwhile.
            guard status.st_mode & S_IFMT != S_IFLNK else {
                throw FeedSyncError(.store, "\(path) is a symbolic link to a missing file")
            }
        }
    }

    private func contents(of descriptor: Int32) throws(FeedSyncError) -> [UInt8] {
        do throws(FileError) {
            return try FileContents.read(descriptor, limit: limit)
        } catch {
            throw FeedSyncError(.store, "\(path) \(error.problem)", advice: advice)
        }
    }

    /// Replaces the open file.
    private func replace(
        _ target: String, as descriptor: Int32, with text: [UInt8], isPrivate: Bool
    ) throws(FeedSyncError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("read") }
        let mode = status.st_mode & (isPrivate ? 0o7700 : 0o7777)
        let temporary = try temporaryFile(beside: target, text, mode: mode, owner: status)
        guard rename(temporary, target) == 0 else {
            let failure = failure("write")
            unlink(temporary)
            throw failure
        }
        synchronizeFolder(of: target)
    }

    /// Creates the file; false if it exists by now.
    private func make(_ text: [UInt8], isPrivate: Bool) throws(FeedSyncError) -> Bool {
        // A file that others can write would not be accepted as ./feedsync.yaml.
        let temporary = try temporaryFile(beside: path, text, mode: isPrivate ? 0o600 : 0o644)
        defer { unlink(temporary) }
        guard link(temporary, path) == 0 else {
            if errno == EEXIST { return false }
            // Some file systems have no hard links.
            guard [EPERM, EOPNOTSUPP].contains(errno), rename(temporary, path) == 0 else { throw failure("write") }
            return true
        }
        synchronizeFolder(of: path)
        return true
    }

    private func temporaryFile(
        beside target: String, _ text: [UInt8], mode: mode_t, owner: stat? = nil
    ) throws(FeedSyncError) -> String {
        let name = "\(target).\(getpid())-\(UInt32.random(in: 0...UInt32.max)).new"
        let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, owner == nil ? mode : 0o600)
        guard descriptor >= 0 else { throw failure("write") }
        defer { close(descriptor) }
        if let owner {
            // Only root can change the owner. This comes first, because it may change the permissions.
            _ = fchown(descriptor, owner.st_uid, owner.st_gid)
            _ = fchmod(descriptor, mode)
        }
        guard Descriptor.write(text, to: descriptor), fsync(descriptor) == 0 else {
            let failure = failure("write")
            unlink(name)
            throw failure
        }
        return name
    }

    /// Makes the name durable, too. If that fails, the file is there all the same.
    private func synchronizeFolder(of target: String) {
        let folder = target.lastIndex(of: "/").map { String(target[...$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private func failure(_ verb: String) -> FeedSyncError {
        let code = errno
        if code == ENOENT, let folder = MissingPath(path)?.missingFolder {
            return FeedSyncError(
                .store, "\(path) cannot be written: the folder \(folder) does not exist",
                advice: "mkdir -p \(ShellWord.quoted(folder))")
        }
        let reason = String(cString: strerror(code))
        return FeedSyncError(
            .store, "\(path) cannot be \(verb == "read" ? "read" : "written"): \(reason)",
            advice: verb == "read" ? nil : "check that you can write to the file and its folder; nothing was changed")
    }
}
