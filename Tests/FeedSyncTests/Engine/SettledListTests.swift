import Concurrency
import Foundation
import HTTP
import HTTPServer
import SQLite
import SeededGenerator
import TemporaryFolder
import Testing

@testable import FeedSync
@testable import MirrorReader
@testable import StoreFile

/// Lists with an ETag each, of one page.
private final class Lists: Sendable {
    private let lists = Lock<[String: [Int]]>([:])
    private let failures = Lock<[String: Int]>([:])
    private let quotas = Lock<[String: [(name: String, value: String)]]>([:])

    func answer(_ request: ServerRequest) -> ServerResponse {
        var response = answerWithoutQuota(request)
        response.headers += quotas.withLock { $0[request.path] ?? [] }
        return response
    }

    private func answerWithoutQuota(_ request: ServerRequest) -> ServerResponse {
        if let status = failures.withLock({ $0[request.path] }) { return .status(status) }
        guard let ids = lists.withLock({ $0[request.path] }) else { return .status(404) }
        let body = "[\(ids.map { #"{"id":\#($0)}"# }.joined(separator: ","))]"
        let tag = "\"\(body.utf8.reduce(5381) { ($0 &* 33 &+ Int($1)) & 0xFFFF_FFFF })\""
        if request.header("If-None-Match") == tag { return .status(304, headers: [("ETag", tag)]) }
        return .json(body, headers: [("ETag", tag)])
    }

    func set(_ path: String, _ ids: [Int]?) { lists.withLock { $0[path] = ids } }

    /// The quota headers of responses from now on.
    func count(_ path: String, _ headers: [(name: String, value: String)]) { quotas.withLock { $0[path] = headers } }

    func fail(_ path: String, _ status: Int?) { failures.withLock { $0[path] = status } }
}

/// A store with the lists of an upstream.
private final class ListMirror: Sendable {
    let folder: TemporaryFolder
    let store: Store
    let feeds: [FeedDefinition]
    /// Starts at a full hour: lists that are due in the same hour are requested in the order of the table.
    let clock: WallClock
    private let options: EngineOptions
    private let twin: SharedTwin?

    init(of url: String, oneByOne: Bool = false, ownMembers: String = "", members: String = "") async throws {
        folder = try TemporaryFolder()
        store = try await Store(path: folder.file("store.db"))
        let yaml = """
            defaults: {retries: 0, timeout: 10m, key: id, pagination: none}
            feeds:
              owners: {url: "\(url)/owners"\(ownMembers)}
              things: {for_each: owners, url: "\(url)/things/{owners.id}"\(members)}
            """
        feeds = try Configuration.parse(Array(yaml.utf8), file: "feedsync.yaml").feeds
        let sinceHour = WallClock.system.milliseconds % 3_600_000
        clock = WallClock { WallClock.system.milliseconds - sinceHour }
        var options = EngineBench.options
        options.wallClock = clock
        // An observer of requests expects pages, and pages have runs.
        if oneByOne { options.onTrace = { _, _ in } }
        self.options = options
        twin = try await SharedTwin.of(store, feeds: ["owners", "things"])
    }

    deinit { twin?.check() }

    @discardableResult
    func sync(_ feed: String, onEvent: @escaping @Sendable (StatusEvent) -> Void = { _ in }) async throws -> RunSummary
    {
        let definition = try #require(feeds.first { $0.name == feed })
        var options = options
        options.onActivity = { if case .event(let event) = $0 { onEvent(event) } }
        return try await SyncEngine(feed: definition, store: store, options: options).perform(.sync)
    }

    func rows(_ sql: String) throws -> [String] {
        try Connection(path: store.path, access: .readOnly).lines(sql, null: "-")
    }

    /// All that is known of the lists, but times and numbers: which list comes first goes by the moment at which it is
    /// due.
    var all: [String] {
        get throws {
            try [
                """
                SELECT 'run', feed, command, outcome, complete, verified, reason, pages, requests, bytes, inserted, updated,
                    unchanged, removed, error FROM run ORDER BY feed, id
                """,
                """
                SELECT 'event', feed, run = (SELECT max(id) FROM run r WHERE r.feed = event.feed AND r.id <= run), status, page,
                    inserted, updated, unchanged, removed, error FROM event ORDER BY feed, id
                """,
                """
                SELECT 'crawl', feed, mode, generation IS NULL, pages, elements, position, skipped, total, drift, complete,
                    reason, round = id, overlaps, has_totals, total_moved, repeats, is_ordered, checked, furthest, doubtful,
                    part, capped, cap, watermark, ended_at >= started_at, server_date IS NULL FROM _crawl ORDER BY feed, id
                """,
                """
                SELECT 'page of crawl', c.feed, number, w.position, asked, p.feed, p.keys, met IS NULL,
                    w.crawl = (SELECT max(id) FROM _crawl n WHERE n.feed = c.feed), met = '[[' || p.generation || ',0,' || p.placed || ']]'
                FROM _crawl_page w JOIN _crawl c ON c.id = w.crawl JOIN _page p ON p.id = page ORDER BY c.feed, c.id, number
                """,
                """
                SELECT 'page', feed, request, position, placed, elements, keys, etag IS NULL, cursor, total, skipped, http_status
                FROM _page ORDER BY feed, id
                """,
                """
                SELECT 'list', name, status, no_more_data, next_page, item_count, complete, verified, error,
                    reloaded_at IS NULL, synced_at IS NULL, full_at IS NULL, next_due_at > synced_at, watermark,
                    failures, poll_interval, fresh_for, planned_due_at = next_due_at, round_started_at <= round_ended_at,
                    crawl = (SELECT max(id) FROM _crawl n WHERE n.feed = name), json_extract(ranges, '$.full_verified'),
                    json_array_length(ranges, '$.synced'), json_extract(ranges, '$.synced[0].crawls[0]') = crawl,
                    json_extract(ranges, '$.synced[0].generations[0]') = generation, json_extract(ranges, '$.full_pages'),
                    json_extract(ranges, '$.synced[0].first') IS NULL, json_extract(ranges, '$.synced[0].verified'),
                    seen IS (SELECT _changed_at FROM owners WHERE id = parent_key), quota_origin, quota_credential, resource
                FROM feed_part JOIN _feed_part ON name = _feed_part.feed ORDER BY name
                """,
                "SELECT 'row', owners_id, id, _position, _removed_at IS NULL FROM things ORDER BY 2, 3",
                """
                SELECT 'feed', name, model, url, status, no_more_data, next_page, item_count, complete, verified, error,
                    reloaded_at IS NULL, synced_at IS NULL, full_at IS NULL, next_due_at > synced_at, watermark,
                    failures, poll_interval, fresh_for, planned_due_at = next_due_at, round_started_at <= round_ended_at,
                    crawl = (SELECT max(id) FROM _crawl n WHERE n.feed = name), json_extract(ranges, '$.full_verified'),
                    json_array_length(ranges, '$.synced'), json_extract(ranges, '$.synced[0].crawls[0]') = crawl,
                    json_extract(ranges, '$.synced[0].generations[0]') = generation, json_extract(ranges, '$.full_pages'),
                    json_extract(ranges, '$.synced[0].first') IS NULL, json_extract(ranges, '$.synced[0].verified'),
                    definition, found, columns, key, lists, moved_to, quota_origin, quota_credential, resource
                FROM feed JOIN _feed ON name = _feed.feed ORDER BY name
                """,
                "SELECT 'quota', origin, credential, resource, remaining, reset_at, blocked_until FROM _quota ORDER BY 2, 3, 4",
                "SELECT 'ahead', parent_key, is_new FROM _part_ahead ORDER BY parent_key",
            ].flatMap(rows)
        }
    }
}

@Suite("Lists that are as they were", .timeLimit(.minutes(10))) struct SettledListTests {
    @Test("Unchanged lists are stored as their runs would store them one by one", arguments: 1...4)
    func same(seed: UInt64) async throws {
        let lists = Lists()
        let server = try Server { lists.answer($0) }
        defer { server.stop() }
        var random = SeededGenerator(seed)
        var owners = Array(1...12)
        for owner in owners { lists.set("/things/\(owner)", Array(1...Int.random(in: 1...4, using: &random))) }
        let together = try await ListMirror(of: server.url)
        let oneByOne = try await ListMirror(of: server.url, oneByOne: true)
        let reset = String(WallClock.system.seconds + 3_000)
        let quota = [("X-RateLimit-Remaining", "4000"), ("X-RateLimit-Reset", reset)]
        for round in 1...6 {
            lists.set("/owners", owners)
            lists.count("/owners", [[], quota][Int.random(in: 0...1, using: &random)])
            // Some tell of no quota, and some of another one than before.
            for owner in 1...14 {
                let resource = ["core", "search"].randomElement(using: &random) ?? ""
                let kinds = [
                    [], quota, quota + [("X-RateLimit-Resource", "core")], quota + [("X-RateLimit-Resource", resource)],
                ]
                lists.count("/things/\(owner)", kinds[owner % 4])
            }
            var summaries: [RunSummary] = []
            for mirror in [together, oneByOne] {
                summaries.append(try await mirror.sync("owners"))
                _ = try? await mirror.sync("things")
            }
            #expect(summaries[0] == summaries[1].numbered(summaries[0].run), "seed \(seed), round \(round)")
            let (found, expected) = (try together.all, try oneByOne.all)
            let others = found.difference(from: expected).map { "\($0)" }
            #expect(others == [], "seed \(seed), round \(round)")
            // Once nothing has changed, which comes first by what a first sync leaves.
            for _ in 0..<(round > 1 ? Int.random(in: 0...3, using: &random) : 0) {
                let owner = Int.random(in: 1...14, using: &random)
                switch Int.random(in: 0...4, using: &random) {
                case 0:
                    lists.set("/things/\(owner)", (1...Int.random(in: 1...5, using: &random)).shuffled(using: &random))
                case 1: lists.set("/things/\(owner)", nil)
                case 2: lists.fail("/things/\(owner)", [403, 500, nil].randomElement(using: &random) ?? nil)
                case 3: owners.removeAll { $0 == owner }
                default: if !owners.contains(owner) { owners.append(owner) }
                }
            }
        }
    }

    @Test("Many unchanged lists share a transaction, and their events come in order once it is committed")
    func together() async throws {
        let lists = Lists()
        let server = try Server { lists.answer($0) }
        defer { server.stop() }
        lists.set("/owners", Array(1...200))
        for owner in 1...200 { lists.set("/things/\(owner)", [owner]) }
        let mirror = try await ListMirror(of: server.url)
        try await mirror.sync("owners")
        try await mirror.sync("things")
        let told = Lock<[Int]>([])
        let path = mirror.store.path
        let unseen = Lock<[Int]>([])
        let began = ContinuousClock.now
        let summary = try await mirror.sync("things") { event in
            told.withLock { $0.append(event.id) }
            let reader = try? Connection(path: path, access: .readOnly)
            let isThere = try? reader?.int64("SELECT 1 FROM event WHERE id = ?", .integer(Int64(event.id)))
            if isThere != 1 { unseen.withLock { $0.append(event.id) } }
        }
        #expect(summary.outcome == .unchanged && summary.figures.items.unchanged == 200)
        #expect(told.withLock { $0 } == told.withLock { $0 }.sorted() && told.withLock { $0.count } == 600)
        #expect(unseen.withLock { $0 } == [])
        #expect(try mirror.rows("SELECT count(*) FROM run WHERE outcome = 'unchanged'") == ["201"])
        // A list waits 50 ms at most: where they come more slowly than that, as under a sanitizer, none shares.
        let mayBeSlow = began.duration(to: .now) > .seconds(2)
        #expect(
            try mayBeSlow
                || mirror.rows("SELECT count(DISTINCT finished_at) < 200 FROM run WHERE outcome = 'unchanged'") == ["1"]
        )
    }

    @Test(
        "A list whose 304 has a total of more items is not complete",
        arguments: [("X-Total-Count", "6"), ("Content-Range", "items 0-2/6")], [false, true])
    func saysMore(header: (String, String), oneByOne: Bool) async throws {
        let lists = Lists()
        let server = try Server { lists.answer($0) }
        defer { server.stop() }
        lists.set("/owners", [1])
        lists.set("/things/1", [1, 2, 3])
        let mirror = try await ListMirror(of: server.url, oneByOne: oneByOne)
        try await mirror.sync("owners")
        try await mirror.sync("things")
        let complete = "SELECT complete FROM feed WHERE name = 'things'"
        #expect(try mirror.rows(complete) == ["1"])
        lists.count("/things/1", [header])
        try await mirror.sync("things")
        #expect(try mirror.rows(complete) == ["0"], "\(header)")
        lists.count("/things/1", [])
        try await mirror.sync("things")
        #expect(try mirror.rows(complete) == ["1"])
    }

    @Test("A parent that is complete and has never had a row has all its lists")
    func noRows() async throws {
        let lists = Lists()
        let server = try Server { lists.answer($0) }
        defer { server.stop() }
        lists.set("/owners", [])
        let mirror = try await ListMirror(of: server.url)
        try await mirror.sync("things")
        #expect(try mirror.rows("SELECT complete FROM feed WHERE name = 'things'") == ["0"])
        try await mirror.sync("owners")
        try await mirror.sync("things")
        #expect(try mirror.rows("SELECT complete, item_count FROM feed WHERE name = 'things'") == ["1|0"])
    }

    @Test("Behind a response that says to wait, the request that waits at the host is not sent")
    func heldBack() async throws {
        let lists = Lists()
        let asked = Lock<[String]>([])
        let isBusy = Lock(false)
        let server = try Server { request in
            let isFirst = asked.withLock { asked in
                asked.append(request.path)
                return asked.count { $0 == request.path } == 1
            }
            guard request.path == "/things/5", isFirst, isBusy.withLock({ $0 }) else { return lists.answer(request) }
            return .status(429, headers: [("Retry-After", "1")])
        }
        defer { server.stop() }
        lists.set("/owners", Array(1...9))
        for owner in 1...9 { lists.set("/things/\(owner)", [owner]) }
        let mirror = try await ListMirror(of: server.url, members: ", retries: 1")
        try await mirror.sync("owners")
        try await mirror.sync("things")
        asked.withLock { $0 = [] }
        isBusy.withLock { $0 = true }
        let summary = try await mirror.sync("things")
        let paths = asked.withLock { $0 }
        let place = try #require(paths.firstIndex(of: "/things/5"))
        #expect(paths.dropFirst(place + 1).first == "/things/5", "\(paths)")
        #expect(paths.count == 10 && Set(paths).count == 9 && summary.figures.items.unchanged == 9)
    }

    @Test("A quota that a list spends keeps the next ones from being asked for, and is stored")
    func spent() async throws {
        let lists = Lists()
        let asked = Lock<[String]>([])
        let server = try Server { request in
            asked.withLock { $0.append(request.path) }
            return lists.answer(request)
        }
        defer { server.stop() }
        lists.set("/owners", Array(1...9))
        let mirror = try await ListMirror(of: server.url)
        let reset = String(mirror.clock.seconds + 3_000)
        for owner in 1...9 {
            lists.set("/things/\(owner)", [owner])
            lists.count(
                "/things/\(owner)", [("X-RateLimit-Remaining", String(50 - owner)), ("X-RateLimit-Reset", reset)])
        }
        try await mirror.sync("owners")
        try await mirror.sync("things")
        try await mirror.sync("things")
        #expect(try mirror.rows("SELECT remaining, blocked_until FROM _quota") == ["41|-"])
        lists.count("/things/5", [("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", reset)])
        asked.withLock { $0 = [] }
        let error = await #expect(throws: FeedSyncError.self) { try await mirror.sync("things") }
        #expect(error?.kind == .limited)
        #expect(asked.withLock { $0 } == (1...5).map { "/things/\($0)" })
        #expect(try mirror.rows("SELECT remaining, blocked_until IS NULL FROM _quota") == ["0|0"])
        // Requested lists are not requested again before the others.
        #expect(
            try mirror.rows("SELECT count(*) FROM run WHERE feed GLOB 'things/*' AND outcome = 'unchanged'") == ["14"])
    }

    @Test("Unchanged lists that cannot be stored fail their run, and stay as they were")
    func lost() async throws {
        let lists = Lists()
        let doomed = Lock<String?>(nil)
        let server = try Server { request in
            // The lock file is deleted in the midst of the run.
            if request.path == "/things/9", let path = doomed.withLock({ $0 }) { unlink(path) }
            return lists.answer(request)
        }
        defer { server.stop() }
        lists.set("/owners", Array(1...20))
        for owner in 1...20 { lists.set("/things/\(owner)", [owner]) }
        let mirror = try await ListMirror(of: server.url)
        try await mirror.sync("owners")
        try await mirror.sync("things")
        let known = "SELECT crawl, ranges, round_ended_at FROM _feed_part ORDER BY feed"
        let events = "SELECT feed, count(*) FROM event GROUP BY feed"
        doomed.withLock { $0 = FeedLock.path(of: mirror.store.path) }
        let error = await #expect(throws: FeedSyncError.self) { try await mirror.sync("things") }
        #expect(error?.kind == .store)
        doomed.withLock { $0 = nil }
        let summary = try await mirror.sync("things")
        #expect(summary.outcome == .unchanged && summary.reason == nil)
        #expect(try mirror.rows(known).count == 20 && mirror.rows(events).count == 21)
        #expect(try mirror.rows("PRAGMA integrity_check") == ["ok"])
    }

    @Test("An unchanged feed that cannot be stored fails its command, and stays as it was")
    func lostFeed() async throws {
        let lists = Lists()
        let doomed = Lock<String?>(nil)
        let server = try Server { request in
            // The lock file is deleted in the midst of the request.
            if let path = doomed.withLock({ $0 }) { unlink(path) }
            return lists.answer(request)
        }
        defer { server.stop() }
        lists.set("/owners", [1, 2, 3])
        let mirror = try await ListMirror(of: server.url)
        try await mirror.sync("owners")
        try await mirror.sync("things")
        let known = try mirror.all
        doomed.withLock { $0 = FeedLock.path(of: mirror.store.path) }
        let error = await #expect(throws: FeedSyncError.self) { try await mirror.sync("owners") }
        #expect(error?.kind == .store && error?.message.contains("the lock file") == true)
        #expect(try mirror.all == known)
        doomed.withLock { $0 = nil }
        let summary = try await mirror.sync("owners")
        #expect(summary.outcome == .unchanged && summary.figures.requests == 1 && summary.itemCount == 3)
        #expect(try mirror.rows("SELECT id FROM run ORDER BY id DESC LIMIT 1") == ["\(summary.run)"])
    }

    @Test(
        "A feed whose table or search index was changed by hand gets a run, which restores them",
        arguments: [
            "DROP TABLE owners", "ALTER TABLE owners DROP COLUMN again", "DROP TABLE _search_owners",
            "DROP TRIGGER _search_owners_insert",
        ])
    func changedByHand(change: String) async throws {
        let lists = Lists()
        let server = try Server { lists.answer($0) }
        defer { server.stop() }
        lists.set("/owners", [1, 2, 3])
        let mirror = try await ListMirror(
            of: server.url, ownMembers: ", columns: {id: id, mark: id, again: id}, search: [mark]")
        try await mirror.sync("owners")
        try await mirror.sync("owners")
        let tables = "SELECT type, name FROM sqlite_schema WHERE name GLOB '*owners*' ORDER BY name"
        let (rows, before) = (try mirror.rows("SELECT id, mark, again FROM owners"), try mirror.rows(tables))
        try Connection(path: mirror.store.path, access: .readWrite).execute(change)
        #expect(try mirror.rows(tables) != before || change.contains("COLUMN"))
        let summary = try await mirror.sync("owners")
        #expect(summary.figures.requests == 1 && summary.itemCount == 3)
        #expect(try mirror.rows("SELECT id, mark, again FROM owners") == rows && mirror.rows(tables) == before)
    }

    @Test(
        "The sync of an unchanged feed ends a rename that never reached the configuration, unless workers share the store"
    )
    func renameNotBegun() async throws {
        let lists = Lists()
        let server = try Server { lists.answer($0) }
        defer { server.stop() }
        lists.set("/owners", [1, 2, 3])
        let mirror = try await ListMirror(of: server.url)
        try await mirror.sync("owners")
        try Connection(path: mirror.store.path, access: .readWrite).execute("UPDATE _feed SET new_name = 'others'")
        #expect(try await mirror.sync("owners").outcome == .unchanged)
        #expect(try mirror.rows("SELECT new_name FROM _feed") == [SharedTwin.isWanted ? "others" : "-"])
    }

    @Test("A list that is due for another reason gets its own run")
    func unsettled() async throws {
        let lists = Lists()
        let server = try Server { lists.answer($0) }
        defer { server.stop() }
        lists.set("/owners", [1, 2, 3])
        for owner in 1...3 { lists.set("/things/\(owner)", [1, 2]) }
        let mirror = try await ListMirror(of: server.url)
        for _ in 1...2 {
            try await mirror.sync("owners")
            try await mirror.sync("things")
        }
        let connection = try Connection(path: mirror.store.path, access: .readWrite)
        // A run that was never closed, and a row that the page's validators say nothing of.
        try connection.execute(
            "INSERT INTO run (feed, command, started_at) VALUES ('things/2', 'sync', '2026-01-01T00:00:00.000Z')")
        try connection.execute("UPDATE _page SET etag = NULL WHERE feed = 'things/3'")
        try await mirror.sync("things")
        #expect(
            try mirror.rows("SELECT outcome FROM run WHERE feed = 'things/2' ORDER BY id DESC LIMIT 2") == [
                "unchanged", "interrupted",
            ])
        #expect(try mirror.rows("SELECT etag IS NOT NULL FROM _page WHERE feed = 'things/3'") == ["1"])
    }

    @Test("Rows that came, changed or went are found behind each run of the parent, and by that alone")
    func ahead() async throws {
        let lists = Lists()
        let server = try Server { lists.answer($0) }
        defer { server.stop() }
        lists.set("/owners", [1, 2, 3])
        for owner in 1...4 { lists.set("/things/\(owner)", [owner]) }
        let mirror = try await ListMirror(of: server.url)
        try await mirror.sync("owners")
        try await mirror.sync("things")
        let ahead = "SELECT parent_key, is_new FROM _part_ahead ORDER BY parent_key"
        #expect(try mirror.rows(ahead) == [])
        let looked = try mirror.rows("SELECT parent_state, parent_rows FROM _feed WHERE feed = 'things'")
        try await mirror.sync("things")
        #expect(try mirror.rows("SELECT parent_state, parent_rows FROM _feed WHERE feed = 'things'") == looked)
        lists.set("/owners", [2, 3, 4])
        try await mirror.sync("owners")
        let before = try await mirror.store.partOutlook(
            of: try #require(mirror.feeds.last), limit: 5, now: "2020-01-01T00:00:00.000Z")
        try await mirror.sync("things")
        #expect(before?.next.map(\.list).first == "things/4" && before?.counts == [.never: 1])
        let after = try await mirror.store.partOutlook(
            of: try #require(mirror.feeds.last), limit: 5, now: "2020-01-01T00:00:00.000Z")
        #expect(after?.counts == [:] && after?.rowCount == 3 && after?.next.count == 3)
        #expect(try mirror.rows("SELECT name FROM feed_part ORDER BY 1") == ["things/2", "things/3", "things/4"])
    }
}

extension RunSummary {
    /// The same summary of a run with another number.
    fileprivate func numbered(_ run: Int) -> RunSummary {
        RunSummary(
            run: run, outcome: outcome, figures: figures, isAtEnd: isAtEnd, reason: reason, itemCount: itemCount,
            expectedCount: expectedCount, seenCount: seenCount, notices: notices)
    }
}
