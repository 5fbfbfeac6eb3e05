import Foundation
import HTTPServer
import SQLite
import ScriptedServer
import TemporaryFolder
import Testing

@testable import FeedSync
@testable import StoreFile

@Suite("The store")
struct StoreTests {
    @Test("A path that is empty or has a zero byte is no store's, says so, and leaves no file")
    func noPath() async throws {
        let folder = try TemporaryFolder()
        for (path, words) in [("", "is empty"), (folder.file("a\0b.db"), "has a zero byte")] {
            let error = await #expect(throws: FeedSyncError.self) { _ = try await FeedMirror(path: path) }
            #expect(error?.kind == .store)
            #expect(error?.message == "the path of the store \(words)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.file("a")))
    }

    @Test("Values are stored as they came, whatever they are")
    func values() async throws {
        let item = #"""
            {"id":1,"plain":"007","nul":"a\u0000b","emoji":"𝄞😀","big":123456789012345678901234567890,"least":-9223372036854775808,
            "real":0.1,"huge":1e308,"beyond":1e999,"yes":true,"none":null,"object":{"a": [1, 2]},"text":12.50,"time":"2026-11-21T03:00:00+01:00",
            "epoch":1795000000,"whole":3,"word":"3","lone":"\ud800!","json":"x"}
            """#
        let columns = """
            items: items
            key: id
            columns:
              id: id
              plain: plain
              nul: nul
              emoji: emoji
              big: big
              least: least
              real: real
              huge: huge
              beyond: beyond
              yes: yes
              none: none
              missing: missing
              object: object
              text: {path: text, type: text}
              time: {path: time, type: timestamp}
              epoch: {path: epoch, type: timestamp}
              whole: {path: whole, type: real}
              word: {path: word, type: integer}
              lone: lone
              json: {path: json, type: json}
            raw: true
            """
        let bench = try await EngineBench([item.replacing("\n", with: "")], columns: columns)
        try await bench.reload()
        let connection = try Connection(path: bench.store.path, access: .readOnly)
        func value(_ column: String) throws -> SQLite.Value? {
            try connection.scalar("SELECT \"\(column)\" FROM things")
        }
        #expect(try value("plain") == "007")
        #expect(try value("nul") == "a\0b")
        #expect(try value("emoji") == "𝄞😀")
        #expect(try value("big") == "123456789012345678901234567890")
        #expect(try value("least") == .integer(.min))
        #expect(try value("real") == 0.1)
        #expect(try value("huge") == 1e308)
        #expect(try value("beyond") == "1e999")
        #expect(try value("yes") == 1)
        #expect(try value("none") == .null)
        #expect(try value("missing") == .null)
        #expect(try value("object") == #"{"a": [1, 2]}"#)
        #expect(try value("text") == "12.50")
        #expect(try value("time") == "2026-11-21T02:00:00.000Z")
        #expect(try value("epoch") == "2026-11-18T11:06:40.000Z")
        #expect(try value("whole") == 3.0)
        #expect(try value("word") == 3)
        #expect(try value("lone") == "\u{FFFD}!")
        #expect(try value("json") == #""x""#)
        #expect(try value("_raw") == .text(item.replacing("\n", with: "")))
        #expect(try await bench.reload().outcome == .unchanged)
        bench.upstream.sendsETag = false
        let again = try await bench.another()
        #expect(try await again.perform(.reload).outcome == .unchanged, "what was stored compares equal with what came")
    }

    @Test("A member that is missing or null stores NULL")
    func missingMember() async throws {
        let bench = try await EngineBench(
            [#"{"id":1,"name":"a","kind":"x"}"#],
            columns: "items: items\nkey: id\ncolumns: {id: id, name: name, kind: kind}")
        try await bench.reload()
        bench.upstream.items = [#"{"id":1,"kind":null}"#]
        #expect(try await bench.reload().figures.items.updated == 1)
        #expect(try bench.query("SELECT name IS NULL, kind IS NULL FROM things") == ["1|1"])
    }

    @Test("A page with the same key twice keeps one row, with its first place and latest content")
    func sameKeyTwice() async throws {
        let bench = try await EngineBench([#"{"id":1,"name":"a"}"#, #"{"id":2,"name":"b"}"#, #"{"id":1,"name":"c"}"#])
        try await bench.reload()
        #expect(try bench.names == ["c", "b"])
        #expect(try bench.feed("item_count") == "2")
    }

    @Test("Items without their key are skipped and reported, and the page's others are stored")
    func skipped() async throws {
        let bench = try await EngineBench([#"{"name":"a"}"#, #"{"id":2,"name":"b"}"#, "null", "7"])
        let summary = try await bench.reload()
        #expect(summary.figures.skipped == 2)
        #expect(summary.notices.first?.hasPrefix("2 items were skipped: element 0 at byte") == true)
        #expect(try bench.names == ["b"])
        #expect(try bench.query("SELECT complete, reason FROM run") == ["0|left_out"])
    }

    @Test(
        "A page that cannot be decoded changes nothing but the log",
        arguments: ["<html>", #"{"items":[{"id":1}"#, "[]", #"{"items":[1]}"#, ""])
    func undecodable(_ body: String) async throws {
        let bench = try await EngineBench()
        try await bench.reload()
        bench.upstream.fail(page: 2, with: ServerResponse(body: Array(body.utf8)))
        let error = try await bench.failure(.nextPage)
        #expect(error.kind == .undecodable)
        #expect(error.httpStatus == 200)
        #expect(error.url == "\(bench.server.url)/things?per_page=10&page=2")
        #expect(try bench.feed("item_count, next_page, status, error ->> 'kind'") == "10|2|endFooter|undecodable")
        try await bench.more(.allPages)
        #expect(try bench.names == bench.upstreamNames(35))
    }

    @Test("Runs that an ended process left open are closed by the next command")
    func interrupted() async throws {
        let bench = try await EngineBench()
        try await bench.reload()
        bench.twin?.forget()
        let connection = try Connection(path: bench.store.path)
        try connection.execute(
            """
            INSERT INTO run (feed, command, started_at) VALUES ('things', 'more', '2026-11-21T00:00:00.000Z');
            INSERT INTO event (at, feed, run, status, page) VALUES ('2026-11-21T00:00:00.000Z', 'things', 2, 'beginFooter', 2);
            UPDATE feed SET status = 'beginFooter';
            """)
        try await bench.more()
        #expect(
            try bench.log == [
                "beginHeader", "endHeader", "beginFooter", "endFooter!interrupted", "beginFooter", "endFooter",
            ])
        #expect(try bench.query("SELECT outcome FROM run ORDER BY id") == ["ok", "interrupted", "ok"])
    }

    @Test("The log is folded back after 2 MB where the disk has less than 1 GB of room, and after 64 MB elsewhere")
    func logSize() {
        #expect(StoreOpening.logPages(room: 0) * 4096 == 2 << 20)
        #expect(StoreOpening.logPages(room: (1 << 30) - 1) * 4096 == 2 << 20)
        #expect(StoreOpening.logPages(room: 1 << 30) * 4096 == 64 << 20)
        #expect(StoreOpening.logPages(room: .max) * 4096 == 64 << 20)
    }

    @Test("Runs and events older than `keep` go, newer ones stay")
    func keep() async throws {
        let bench = try await EngineBench()
        try await bench.reload()
        let connection = try Connection(path: bench.store.path)
        try connection.execute(
            "UPDATE run SET finished_at = '2020-01-01T00:00:00.000Z'; UPDATE event SET at = '2020-01-01T00:00:00.000Z'")
        try await bench.reload()
        #expect(try bench.query("SELECT id FROM run") == ["2"])
        #expect(try bench.query("SELECT DISTINCT run FROM event") == ["2"])
    }

    @Test("A file that is no store is refused and left as it is", arguments: ["text", "database", "newer store"])
    func foreign(_ kind: String) async throws {
        let folder = try TemporaryFolder()
        let file = URL(filePath: folder.file("store.db"))
        switch kind {
        case "text": try Data(repeating: 65, count: 5000).write(to: file)
        case "database":
            try Connection(path: file.path).execute("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)")
        default:
            do { _ = try await Store(path: file.path) }
            let connection = try Connection(path: file.path)
            try connection.execute(
                "INSERT INTO _migration SELECT '9999_from_the_future', checksum, applied_at FROM _migration LIMIT 1")
        }
        let before = try Data(contentsOf: file)
        let error = await #expect(throws: FeedSyncError.self) { _ = try await Store(path: file.path) }
        #expect(error?.kind == .store)
        #expect(error?.message.contains(file.path) == true)
        #expect(error?.advice != nil)
        #expect(try Data(contentsOf: file) == before)
    }

    @Test("A disk that is full loses nothing: the page's transaction is rolled back, the next command goes on")
    func fullDisk() async throws {
        let bench = try await EngineBench(PagedFeed.items(1...400))
        try await bench.reload()
        let size = try bench.query("PRAGMA page_count")[0]
        await bench.store.limit(pages: Int(size) ?? 0)
        let error = try await bench.failure(.allPages)
        #expect(error.kind == .store)
        #expect(error.advice?.contains("room") == true)
        let stored = try bench.names
        #expect(stored == bench.upstreamNames(stored.count))
        #expect(try bench.query("PRAGMA integrity_check") == ["ok"])
        await bench.store.limit(pages: 1_000_000)
        try await bench.more(.allPages)
        #expect(try bench.names == bench.upstreamNames(400))
        #expect(grammarFault(try bench.log) == nil)
    }

    @Test("A host that said to wait is left alone by the next engine too")
    func quota() async throws {
        let bench = try await EngineBench()
        try await bench.reload()
        bench.upstream.fail(page: 2, with: .status(429, headers: [(name: "Retry-After", value: "120")]))
        #expect(try await bench.failure(.nextPage).kind == .limited)
        #expect(try bench.query("SELECT outcome FROM run WHERE id = 2") == ["limited"])
        #expect(try bench.query("SELECT count(*) FROM quota WHERE blocked_until IS NOT NULL") == ["1"])
        let requests = bench.server.requests.count
        let error = try await bench.failure(.nextPage, try await bench.another())
        #expect(error.kind == .limited)
        #expect(bench.server.requests.count == requests)
        #expect(grammarFault(try bench.log) == nil)
    }
}

extension Store {
    /// As if the disk had room for so many pages.
    func limit(pages: Int) {
        try? connection.execute("PRAGMA max_page_count = \(pages)")
    }

    /// The time to wait for another connection's lock.
    func wait(milliseconds: Int) {
        try? connection.execute("PRAGMA busy_timeout = \(milliseconds)")
    }
}
