internal import Concurrency
internal import Platform

/// Reports when one of several files is written, created or replaced. It sleeps until then.
///
/// Changes that come between two reads are combined into one value, so none is lost.
///
/// Source: https://man7.org/linux/man-pages/man7/inotify.7.html
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
        var thread = pthread_t()
        guard
            pthread_create(
                &thread, nil,
                { start in
                    if let start { Unmanaged<FileWatcher>.fromOpaque(start).takeRetainedValue().run() }
                    return nil
                }, start.toOpaque()) == 0
        else {
            start.release()
            return nil
        }
        pthread_detach(thread)
    }

    deinit { watcher.end() }

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

/// Reads the system's file events.
///
/// - Isolation: its own thread, except for `end`.
private final class FileWatcher: Sendable {
    /// The groups of a folder's files, by file name.
    private let folders: [Int32: [String: Set<Int>]]
    /// The groups of patterns.
    private let patterns: [Int32: [(pattern: String, group: Int)]]
    private let told: @Sendable (Set<Int>) -> Void
    private let descriptor: Int32
    /// A pipe whose bytes end the thread.
    private let stopping: Int32
    private let stop: Int32

    init?(_ groups: [[String]], told: @escaping @Sendable (Set<Int>) -> Void) {
        descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        (stopping, stop) = (try? Pipe.open()) ?? (-1, -1)
        self.told = told
        var folders: [Int32: [String: Set<Int>]] = [:]
        var patterns: [Int32: [(pattern: String, group: Int)]] = [:]
        if descriptor >= 0 {
            let kinds = UInt32(IN_MODIFY | IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
            for (number, paths) in groups.enumerated() {
                for path in paths {
                    let slash = path.lastIndex(of: "/")
                    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
                    let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
                    // A folder that is already watched has the same number.
                    let watch = inotify_add_watch(descriptor, folder, kinds)
                    guard watch >= 0 else { continue }
                    folders[watch, default: [:]][name, default: []].insert(number)
                    if name.contains(where: { "*?[".contains($0) }) {
                        patterns[watch, default: []].append((name, number))
                    }
                }
            }
        }
        (self.folders, self.patterns) = (folders, patterns)
        if descriptor < 0 || stopping < 0 || folders.isEmpty { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        for end in [stopping, stop] where end >= 0 { close(end) }
    }

    func end() { _ = write(stop, "x", 1) }

    func run() {
        let size = 16 * 1024
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
        defer { buffer.deallocate() }
        while true {
            var waiting = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stopping, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&waiting, 2, -1) > 0 || errno == EINTR, waiting[1].revents == 0 else { return }
            let count = read(descriptor, buffer.baseAddress, size)
            guard count > 0 else { continue }
            let written = groups(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            if !written.isEmpty { told(written) }
        }
    }

    /// The groups of the files in some of the system's records.
    private func groups(_ records: UnsafeRawBufferPointer) -> Set<Int> {
        var found: Set<Int> = []
        var place = 0
        let head = MemoryLayout<inotify_event>.size
        while place + head <= records.count {
            let record = records.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
            let end = min(place + head + Int(record.len), records.count)
            let name = records[(place + head)..<end].prefix { $0 != 0 }
            place = place + head + Int(record.len)
            if record.mask & UInt32(IN_Q_OVERFLOW) != 0 {
                for names in folders.values { for groups in names.values { found.formUnion(groups) } }
            } else {
                let name = String(decoding: name, as: UTF8.self)
                if let groups = folders[record.wd]?[name] { found.formUnion(groups) }
                for (pattern, group) in patterns[record.wd] ?? [] where fnmatch(pattern, name, FNM_PERIOD) == 0 {
                    found.insert(group)
                }
            }
        }
        return found
    }
}
