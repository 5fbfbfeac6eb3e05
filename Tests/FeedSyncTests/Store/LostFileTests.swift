import FeedSync
import Foundation
import SQLite
import Testing

@testable import Crawling
@testable import FeedTables
@testable import MirrorWriter
@testable import StoreFile

@Suite("A store whose file is out of sight for a moment")
struct LostFileTests {
    @Test(
        "Pages that wait for their commit while the file is lost are not stored, and the feed does not pass them"
    )
    func waitingPages() async throws {
        let bench = try await EngineBench()
        try await bench.reload()
        try await bench.store.loseFileBehindPage(of: bench.definition)
        #expect(try bench.feed("next_page, item_count") == "2|10")
        try await bench.more(.allPages)
        #expect(try bench.names == bench.upstreamNames(35))
        #expect(try bench.feed("item_count, next_page") == "35|")
    }
}

extension Store {
    /// Stores a page, hides the file during the next call of the store, and ends the run: in one step, so that the page
    /// waits for its commit until then.
    fileprivate func loseFileBehindPage(of definition: FeedDefinition) throws {
        let lock = try #require(try FeedLock(on: 1, of: path, command: "more"))
        let now = "2026-11-22T00:00:00.000Z"
        let (writer, _) = try open(definition, lock: lock, command: "more", now: now)
        let page = PageCommit(
            CrawlPage(.footer, end: .more(PageCursor("3")), upstreamNext: PageCursor("3")),
            content: PageContent(.empty),
            key: RequestKey(request: "GET \(definition.url)?page=2", credential: 0),
            validators: Validators(etag: nil, lastModified: nil), beginsNext: true)
        _ = try writer.committed { try writer.begin(.footer, now: now) }
        _ = try writer.add(page, now: now) { _ in }
        #expect(rename(path, "\(path)-away") == 0)
        #expect(throws: FeedSyncError.self) { try writer.committed {} }
        #expect(rename("\(path)-away", path) == 0)
        _ = try writer.fail(
            FeedSyncError(.store, "the file is gone"), outcome: .failed, cost: FetchCost(), now: now)
        close(writer)
    }
}
