#if !canImport(Darwin)
internal import Concurrency
internal import Platform

/// Reads the system's file events, and sleeps until there are some.
///
/// - Isolation: its own thread, except for `end`.
/// - Source: https://man7.org/linux/man-pages/man7/inotify.7.html
final class FileWatcher: Sendable {
    /// The groups of a folder's files, by file name.
    private let folders: [Int32: [String: Set<Int>]]
    /// The groups of patterns.
    private let patterns: [Int32: [(pattern: WatchedPath, group: Int)]]
    /// The numbers of the watched folders, by path.
    private let watches: [String: Int32]
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
        var patterns: [Int32: [(pattern: WatchedPath, group: Int)]] = [:]
        var watches: [String: Int32] = [:]
        if descriptor >= 0 {
            for (number, paths) in groups.enumerated() {
                for path in paths.map(WatchedPath.init) {
                    // A folder that is already watched has the same number.
                    let watch = inotify_add_watch(descriptor, path.folder, Self.kinds)
                    guard watch >= 0 else { continue }
                    watches[path.folder] = watch
                    folders[watch, default: [:]][path.name, default: []].insert(number)
                    if path.isPattern { patterns[watch, default: []].append((path, number)) }
                }
            }
        }
        (self.folders, self.patterns, self.watches) = (folders, patterns, watches)
        if descriptor < 0 || stopping < 0 || folders.isEmpty { return nil }
    }

    /// Of files, and of their folder itself.
    private static let kinds =
        UInt32(IN_MODIFY | IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE) | ends
    private static let ends = UInt32(IN_MOVE_SELF | IN_DELETE_SELF)

    /// True if the paths still lead to the watched folders: a folder that was replaced has another number.
    var isCurrent: Bool { watches.allSatisfy { inotify_add_watch(descriptor, $0.key, Self.kinds) == $0.value } }

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
            } else if record.mask & Self.ends != 0 {
                for groups in (folders[record.wd] ?? [:]).values { found.formUnion(groups) }
            } else {
                let name = String(decoding: name, as: UTF8.self)
                if let groups = folders[record.wd]?[name] { found.formUnion(groups) }
                for (pattern, group) in patterns[record.wd] ?? [] where pattern.matches(name) {
                    found.insert(group)
                }
            }
        }
        return found
    }
}
#else
internal import Concurrency
internal import Platform

/// Looks at the files once a second.
///
/// - Isolation: its own thread, except for `end`.
final class FileWatcher: Sendable {
    private let groups: [[String]]
    private let told: @Sendable (Set<Int>) -> Void
    /// A pipe whose bytes end the thread.
    private let stopping: Int32
    private let stop: Int32

    init?(_ groups: [[String]], told: @escaping @Sendable (Set<Int>) -> Void) {
        guard let (stopping, stop) = try? Pipe.open() else { return nil }
        (self.groups, self.told, self.stopping, self.stop) = (groups, told, stopping, stop)
        guard groups.joined().contains(where: { access(WatchedPath($0).folder, F_OK) == 0 }) else { return nil }
    }

    deinit { for end in [stopping, stop] { close(end) } }

    /// They are looked at by their paths.
    var isCurrent: Bool { true }

    func end() { _ = write(stop, "x", 1) }

    func run() {
        var stamps = FileStamps(groups)
        while true {
            var ending = pollfd(fd: stopping, events: Int16(POLLIN), revents: 0)
            guard poll(&ending, 1, 1_000) >= 0 || errno == EINTR, ending.revents == 0 else { return }
            let changed = stamps.change()
            if !changed.isEmpty { told(changed) }
        }
    }
}
#endif
