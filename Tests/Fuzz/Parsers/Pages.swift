import Crawling
import Feeds
import HTTP
import Pagination
import Platform
import SQLite

@testable import FeedTables
@testable import MirrorWriter
@testable import StoreFile

/// A page on its way from its bytes to SQLite: the same page, stored again, changes nothing.
@Sendable func pages(_ bytes: [UInt8]) {
    guard let page = try? fuzzedStore.decoder.decode(Body(bytes)) else { return }
    let skipped = try? page.skipped()
    guard skipped != nil else { return }
    inStore { store in
        let first = try store.take(page)
        guard let again = try? fuzzedStore.decoder.decode(Body(bytes)) else {
            fatalError("a page is decoded once only")
        }
        let second = try store.take(again)
        precondition(second.inserted == 0 && second.updated == 0, "stored \(first), and then \(second)")
        try store.expect(rows: first.inserted)
    }
}

private let fuzzedStore = Result { try FuzzedStore() }.value

private extension Result {
    var value: Success {
        switch self {
        case .success(let value): value
        case .failure(let error): fatalError("\(error)")
        }
    }
}

/// A store in memory's file system, for a feed with a column of each type.
private struct FuzzedStore: Sendable {
    static let path = "/dev/shm/feedsync-fuzz-\(getpid()).db"
    static let definition = """
        url: http://localhost/things
        items: items
        key: id
        raw: true
        section: s
        columns:
          id: id
          s: s
          t: {path: t, type: text}
          n: {path: n, type: integer}
          r: {path: r, type: real}
          b: {path: b, type: boolean}
          at: {path: at, type: timestamp}
          j: {path: j, type: json}
          deep: "a.b[1].c"
          by: "l[k=v].x"
        """

    let definition: FeedDefinition
    let decoder: PageDecoder

    init() throws {
        definition = try FeedDefinition.parse(name: "things", yaml: Self.definition)
        decoder = PageDecoder(try ResolvedFeed(definition).plan)
        for suffix in ["", "-wal", "-shm", "-lock"] { unlink(Self.path + suffix) }
    }
}

/// The store, once it is open.
private actor Opened {
    static let shared = Opened()
    private var store: Store?

    func get() async throws -> Store {
        if let store { return store }
        let opened = try await Store(path: FuzzedStore.path)
        _ = try await opened.feedNumber(fuzzedStore.definition)
        store = opened
        return opened
    }
}

/// Does something on the store's thread, and waits for it.
private func inStore(_ act: @escaping @Sendable (isolated Store) throws -> Void) {
    wait {
        do { try await act(Opened.shared.get()) } catch { fatalError("\(error)") }
    }
}

/// Waits for a task's result.
func wait(for act: @escaping @Sendable () async -> Void) {
    let done = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    sem_init(done, 0, 0)
    let address = UInt(bitPattern: done)
    Task {
        await act()
        if let done = UnsafeMutablePointer<sem_t>(bitPattern: address) { sem_post(done) }
    }
    sem_wait(done)
    sem_destroy(done)
    done.deallocate()
}

extension Store {
    private static let now = "2026-11-22T00:00:00.000Z"

    /// Stores a page as a reload does.
    fileprivate func take(_ page: DecodedPage) throws -> ItemCounts {
        let definition = fuzzedStore.definition
        guard let lock = try FeedLock(on: 1, of: path, command: "reload") else { fatalError("the feed is locked") }
        let (writer, _) = try open(definition, lock: lock, command: "reload", now: Self.now)
        _ = try writer.committed { try writer.begin(.header, now: Self.now) }
        let commit = PageCommit(
            CrawlPage(.header, end: .end(), upstreamNext: nil),
            content: PageContent(.decoded(page), skipped: try page.skipped()),
            key: RequestKey(request: "GET \(definition.url)", credential: 0),
            validators: Validators(etag: nil, lastModified: nil), beginsNext: false)
        let committed = try writer.add(commit, now: Self.now) { _ in }
        _ = try writer.finish(outcome: .ok, now: Self.now)
        close(writer)
        precondition(committed != nil, "only a list beside others is behind them")
        return writer.state.metrics.items
    }

    /// The table has so many rows, as the counts and sections say, too; it is emptied then.
    fileprivate func expect(rows: Int) throws {
        let rowCount = try connection.int64("SELECT count(*) FROM things") ?? 0
        precondition(rowCount == Int64(rows), "\(rows) rows were stored, and there are \(rowCount)")
        let counts = try ["SELECT item_count FROM feed", "SELECT coalesce(sum(item_count), 0) FROM section"].map {
            try connection.int64($0)
        }
        precondition(counts == [rowCount, rowCount], "there are \(rowCount) rows, and the counts say \(counts)")
        try connection.transaction {
            for table in ["things", "_section", "_page", "_crawl", "_crawl_page", "run", "event", "_change"] {
                try connection.execute("DELETE FROM \(table)")
            }
            try connection.execute(
                "UPDATE feed SET item_count = 0, generation = 0; UPDATE _feed SET crawl = NULL, ranges = NULL")
        }
    }
}
