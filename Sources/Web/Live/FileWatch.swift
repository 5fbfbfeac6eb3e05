internal import Concurrency
internal import Platform

/// Reports when one of several files is written, created or replaced.
///
/// Changes that come between two reads are combined into one value, so none is lost.
final class FileWatch: Sendable {
    private let watcher: FileWatcher
    /// The groups with changes that were not reported yet.
    private let pending: Lock<Set<Int>>
    /// Signals that something is pending.
    private let signals: AsyncStream<Void>

    /// - Parameter groups: Lists of paths, whose last component may be a pattern. A value has the indexes of the lists
    ///   with changed files.
    /// - Returns: Nil if the system can watch no more files.
    init?(_ groups: [[String]]) {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let pending = Lock<Set<Int>>([])
        let watcher = FileWatcher(groups) { written in
            pending.withLock { $0.formUnion(written) }
            continuation.yield()
        }
        guard let watcher else { return nil }
        (self.watcher, self.pending, self.signals) = (watcher, pending, signals)
        continuation.onTermination = { _ in watcher.end() }
        let start = Unmanaged.passRetained(watcher)
        let thread = platform_start_thread(
            { start in
                if let start { Unmanaged<FileWatcher>.fromOpaque(start).takeRetainedValue().run() }
                return nil
            }, start.toOpaque())
        guard thread != 0 else {
            start.release()
            return nil
        }
        platform_detach_thread(thread)
    }

    deinit { watcher.end() }

    /// True if the paths still lead to the watched folders.
    var isCurrent: Bool { watcher.isCurrent }

    /// The groups with changed files since the last value, by their indexes.
    var values: some AsyncSequence<Set<Int>, Never> {
        signals.compactMap { [pending] in
            let written = pending.withLock { pending in
                defer { pending = [] }
                return pending
            }
            return written.isEmpty ? nil : written
        }
    }
}

/// The folder and the name of a file, or of files with names of a pattern.
struct WatchedPath {
    let folder: String
    let name: String

    init(_ path: String) {
        let slash = path.lastIndex(of: "/")
        folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    }

    /// True if the name is a pattern, which may match many files.
    var isPattern: Bool { name.contains { "*?[".contains($0) } }

    /// True if the pattern matches this file name.
    func matches(_ other: String) -> Bool { fnmatch(name, other, FNM_PERIOD) == 0 }
}

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
