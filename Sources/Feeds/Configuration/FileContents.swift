internal import Platform
internal import Text

/// The reason for which a file cannot be read, as the end of a sentence that starts with its name.
package struct FileError: Error {
    package let problem: String
    /// The system's error number, or 0 where it is not the system that objects.
    package let code: Int32

    package init(problem: String, code: Int32 = 0) {
        self.problem = problem
        self.code = code
    }

    /// The failure of the system call just made.
    static var last: FileError {
        let code = errno
        return FileError(problem: "cannot be read: \(String(cString: strerror(code)))", code: code)
    }
}

/// Whole files, read at once.
package enum FileContents {
    /// The time to wait for bytes of a pipe, in milliseconds.
    private static let longestWait: Int32 = 10_000

    /// The bytes of a file of at most `limit` bytes. A pipe has 10 seconds for each piece.
    ///
    /// - Parameter isOwn: True if only the user and root may have write access. `FileStatus` checks the path, too; this
    ///   checks the opened file, in case the path has changed meanwhile.
    /// - Throws: `FileError`.
    package static func read(_ path: String, limit: Int, isOwn: Bool = false) throws(FileError) -> [UInt8] {
        guard !path.utf8.contains(0) else { throw FileError(problem: "has a zero byte in its name") }
        // Without O_NONBLOCK, opening a pipe without a writer would wait for ever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .last }
        defer { close(descriptor) }
        if isOwn, FileStatus(descriptor)?.isWritable() != true {
            throw FileError(problem: "can be written by others; run chmod go-w \(ShellWord.quoted(path))")
        }
        return try read(descriptor, limit: limit)
    }

    /// The same, of an open file.
    package static func read(_ descriptor: Int32, limit: Int) throws(FileError) -> [UInt8] {
        var contents: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        // The calls in a row that asked to be repeated.
        var repeats = 0
        while repeats < mostRepeats {
            var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&event, 1, longestWait)
            repeats += 1
            if ready < 0, errno == EINTR || errno == EAGAIN { continue }
            guard ready != 0 else {
                throw FileError(
                    problem: "is not a file, and nothing was written to it for \(longestWait / 1_000) seconds")
            }
            let count = Platform.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count >= 0 else { throw .last }
            repeats = 0
            if count == 0 { return contents }
            contents += chunk.prefix(count)
            guard contents.count <= limit else { throw FileError(problem: "is larger than \(limit / 1024) KiB") }
        }
        throw .last
    }

    /// The most calls in a row that may ask to be repeated.
    private static let mostRepeats = 1_000
}

/// Paths of files, as text.
package enum FilePath {
    /// The folder that a file is in; empty for the current one.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// A path as it is reached from a folder: absolute ones stay, `~/` is the home.
    package static func resolve(_ path: String, in folder: String, home: String?) -> String {
        if path.hasPrefix("~/"), let home, !home.isEmpty { return join(home, String(path.dropFirst(2))) }
        return path.hasPrefix("/") ? path : join(folder, path)
    }

    static func join(_ folder: String, _ name: String) -> String {
        if folder.isEmpty { return name }
        return folder.hasSuffix("/") ? folder + name : folder + "/" + name
    }

    /// True if an open file is the one that others find at the path.
    package static func leads(_ path: String, to descriptor: Int32) -> Bool {
        var (own, found) = (stat(), stat())
        guard fstat(descriptor, &own) == 0, stat(path, &found) == 0 else { return false }
        return own.st_dev == found.st_dev && own.st_ino == found.st_ino
    }
}

/// The users who can change the content at a path.
package struct FileStatus: Sendable, Hashable {
    /// The user id of the owner: of the file, or of a symbolic link to it that belongs to another user.
    let owner: UInt32
    /// The permission bits of the file.
    let mode: UInt32

    /// A file of this owner and with these permissions.
    init(owner: UInt32, mode: UInt32) {
        self.owner = owner
        self.mode = mode
    }

    /// The status of an open file.
    init?(_ descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(owner: status.st_uid, mode: UInt32(status.st_mode & 0o7777))
    }

    /// The most symbolic links that are followed one after the other, as Linux has it.
    private static let mostLinks = 40

    /// The status of the file at a path; nil if there is none. The user's own links are trusted, as are root's.
    package init?(of path: String) {
        var status = stat()
        var (path, foreign) = (path, UInt32?.none)
        for _ in 0...Self.mostLinks {
            guard lstat(path, &status) == 0 else { return nil }
            guard status.st_mode & S_IFMT == S_IFLNK else {
                self.init(owner: foreign ?? status.st_uid, mode: UInt32(status.st_mode & 0o7777))
                return
            }
            if status.st_uid != geteuid(), status.st_uid != 0 { foreign = foreign ?? status.st_uid }
            var target = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink(path, &target, target.count - 1)
            guard count > 0 else { return nil }
            let next = String(decoding: target.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
            path = next.hasPrefix("/") ? next : FilePath.join(FilePath.folder(of: path), next)
        }
        return nil
    }

    /// True if users other than the owner may read the file.
    package var isReadableByOthers: Bool { mode & 0o044 != 0 }

    /// True if only the user and root may write the file or redirect the path.
    package func isWritable(onlyBy user: UInt32 = geteuid()) -> Bool {
        (owner == user || owner == 0) && mode & 0o022 == 0
    }
}
