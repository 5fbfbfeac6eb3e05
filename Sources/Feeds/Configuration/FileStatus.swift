internal import Platform

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

    /// The status of the file at a path; nil if there is none.
    ///
    /// - Parameter user: The user whose links are trusted, as are root's.
    package init?(of path: String, user: UInt32 = geteuid()) {
        var status = stat()
        var (path, foreign) = (path, UInt32?.none)
        for _ in 0...Self.mostLinks {
            guard lstat(path, &status) == 0 else { return nil }
            guard status.st_mode & S_IFMT == S_IFLNK else {
                self.init(owner: foreign ?? status.st_uid, mode: UInt32(status.st_mode & 0o7777))
                return
            }
            if status.st_uid != user, status.st_uid != 0 { foreign = foreign ?? status.st_uid }
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
