internal import Concurrency

/// The stamps of groups of files, for systems that do not report which file of a folder has changed.
struct FileStamps {
    private let groups: [[WatchedPath]]
    private var stamps: [Set<FileStamp>]

    /// - Parameter groups: Lists of paths, whose last component may be a pattern.
    init(_ groups: [[String]]) {
        self.groups = groups.map { $0.map(WatchedPath.init) }
        stamps = self.groups.map(Self.stamps)
    }

    /// Looks at the files again.
    ///
    /// - Returns: The indexes of the groups in which a file was written, created, replaced or removed since the last
    ///   look.
    mutating func change() -> Set<Int> {
        let old = stamps
        stamps = groups.map(Self.stamps)
        return Set(groups.indices.filter { stamps[$0] != old[$0] })
    }

    private static func stamps(_ paths: [WatchedPath]) -> Set<FileStamp> {
        var stamps: Set<FileStamp> = []
        for path in paths {
            let names = path.isPattern ? FolderNames.all(in: path.folder).filter(path.matches) : [path.name]
            stamps.formUnion(names.compactMap { FileStamp(path: "\(path.folder)/\($0)") })
        }
        return stamps
    }
}
