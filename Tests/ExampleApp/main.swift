// An app with a hundred tasks on one mirror, each of which reloads a feed of its own and follows its items:
// `ExampleApp [RELOADS]`, a hundred each by default. It fails if a task misses a reload, or if memory grows from one quarter
// of the reloads to the next.
import FeedSync
import FeedSyncTesting
import Foundation

struct Thing: Decodable, Sendable, Equatable {
    let id: Int
    let reload: Int
}

/// The memory of the process in KiB, as the system counts it: https://man7.org/linux/man-pages/man5/proc_pid_statm.5.html
func residentMemory() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(sysconf(Int32(_SC_PAGESIZE))) / 1024
}

/// Numbers of requests.
final class Counter: @unchecked Sendable {
    // Sendable: touched only while the lock is held.
    private let lock = NSLock()
    private var count = 0

    func next() -> Int {
        lock.withLock {
            count += 1
            return count
        }
    }
}

/// Reloads a feed, and waits each time until its followed items are those of the reload.
func follow(_ number: Int, in mirror: FeedMirror, of upstream: TestUpstream, reloads: Range<Int>) async throws {
    let definition = try FeedDefinition("feed-\(number)", ["url": "\(upstream.url)/\(number)", "key": "id"])
    let feed = try await mirror.feed(definition)
    var items = feed.items(as: Thing.self).makeAsyncIterator()
    for _ in reloads {
        try await feed.perform(.reload)
        let stored = try await feed.storedItems(as: Thing.self)
        guard let newest = stored.first?.reload else { throw Failure(text: "feed-\(number) has no item") }
        while let shown = try await items.next(), (shown.first?.reload ?? 0) < newest {}
    }
}

struct Failure: Error {
    let text: String
}

let tasks = 100
let reloads = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100
guard (4...100_000).contains(reloads) else {
    print("usage: ExampleApp [RELOADS], from 4 to 100000")
    exit(64)
}
let counter = Counter()
let upstream = try TestUpstream { _ in .json(#"[{"id": 1, "reload": \#(counter.next())}]"#) }
try await withTemporaryMirror { mirror in
    var sizes: [Int] = []
    for quarter in 0..<4 {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<tasks {
                let range = reloads * quarter / 4..<reloads * (quarter + 1) / 4
                group.addTask { try await follow(number, in: mirror, of: upstream, reloads: range) }
            }
            try await group.waitForAll()
        }
        sizes.append(residentMemory())
    }
    let requests = counter.next() - 1
    print("\(tasks) tasks, \(reloads * tasks) reloads, \(requests) requests; memory after each quarter: \(sizes) KiB")
    guard requests >= reloads * tasks else { throw Failure(text: "some reloads made no request") }
    guard sizes[3] < sizes[1] + sizes[1] / 8 else { throw Failure(text: "the memory grows: \(sizes)") }
}
