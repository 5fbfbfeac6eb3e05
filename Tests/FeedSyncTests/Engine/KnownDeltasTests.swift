import Concurrency
import Foundation
import HTTPServer
import SQLite
import ScriptedServer
import TemporaryFolder
import Testing

@testable import FeedSync
@testable import StoreFile

/// Upstreams that say what changed as known APIs do, with the definitions of the recipe.
@Suite("The deltas of known APIs") struct KnownDeltasTests {
    /// Files by their path; nil for one that was deleted, in the order of what happened.
    private final class Log: Sendable {
        let changes = Lock([(path: String, size: Int?)]())
        let isReset = Lock(false)

        func add(_ path: String, _ size: Int?) { changes.withLock { $0.append((path, size)) } }

        /// The last changes of each path after a place.
        func since(_ place: Int) -> [(path: String, size: Int?)] {
            changes.withLock { changes in
                var seen: Set<String> = []
                return changes.dropFirst(place).reversed().filter { seen.insert($0.path).inserted }.reversed()
            }
        }

        var count: Int { changes.withLock { $0.count } }
    }

    @Test("Dropbox's next pages and changes come from another address, which gets the cursor alone")
    func dropbox() async throws {
        let log = Log()
        for number in 1...5 { log.add("/\(number).txt", number) }
        let server = try ScriptedServer()
        let page = { @Sendable (from: Int, skipped: Int, isFirst: Bool) -> ServerResponse in
            let all = log.since(from).filter { !isFirst || $0.size != nil }
            let entries = all.dropFirst(skipped).prefix(2).map { file in
                file.size.map { ##"{".tag":"file","path_lower":"\##(file.path)","size":\##($0)}"## }
                    ?? ##"{".tag":"deleted","path_lower":"\##(file.path)"}"##
            }
            let hasMore = all.count > skipped + 2
            let cursor = hasMore ? "\(from)-\(skipped + 2)-\(isFirst)" : "\(log.count)-0-false"
            return .json(
                #"{"entries":[\#(entries.joined(separator: ","))],"cursor":"\#(cursor)","has_more":\#(hasMore)}"#)
        }
        server.route("/2/files/list_folder") { request in
            String(decoding: request.body, as: UTF8.self) == #"{"path":"","recursive":true}"#
                ? page(0, 0, true) : .status(400)
        }
        server.route("/2/files/list_folder/continue") { request in
            let body = String(decoding: request.body, as: UTF8.self)
            guard body.hasPrefix(#"{"cursor":""#), body.hasSuffix(#""}"#) else { return .status(400) }
            guard !log.isReset.withLock({ $0 }) else {
                log.isReset.withLock { $0 = false }
                return .json(##"{"error":{".tag":"reset"}}"##, status: 409)
            }
            let parts = body.dropFirst(11).dropLast(2).split(separator: "-")
            guard parts.count == 3, let from = Int(parts[0]), let skipped = Int(parts[1]) else { return .status(400) }
            return page(from, skipped, parts[2] == "true")
        }
        let bench = try await KnownDelta("files", at: server, host: "https://api.dropboxapi.com")
        #expect(try await bench.sync().figures.pages == 3)
        let rows = "SELECT path_lower || size FROM files WHERE _removed_at IS NULL ORDER BY 1"
        #expect(try bench.query(rows) == (1...5).map { "/\($0).txt\($0)" })
        log.add("/2.txt", nil)
        log.add("/3.txt", 33)
        log.add("/6.txt", 6)
        #expect(try await bench.sync().figures.requests == 2)
        #expect(try bench.query(rows) == ["/1.txt1", "/3.txt33", "/4.txt4", "/5.txt5", "/6.txt6"])
        log.isReset.withLock { $0 = true }
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.query(rows) == ["/1.txt1", "/3.txt33", "/4.txt4", "/5.txt5", "/6.txt6"])
    }

    @Test("Kinto's token is the header ETag, and its next page the header Next-Page")
    func kinto() async throws {
        let log = Log()
        for number in 1...5 { log.add("n\(number)", number) }
        let server = try ScriptedServer()
        let path = "/v1/buckets/main/collections/notes/records"
        server.route(path) { request in
            let since = request.parameter("_since").flatMap { Int($0.filter { $0 != "\"" }) }
            let all = log.since(since ?? 0).filter { since != nil || $0.size != nil }
            let skipped = Int(request.parameter("_token") ?? "0") ?? 0
            let data = all.dropFirst(skipped).prefix(3).map { record in
                record.size.map { #"{"id":"\#(record.path)","last_modified":\#($0),"n":\#($0)}"# }
                    ?? #"{"id":"\#(record.path)","last_modified":9,"deleted":true}"#
            }
            var headers = [(name: "ETag", value: "\"\(log.count)\"")]
            if all.count > skipped + 3 {
                let own = since.map { "&_since=\($0)" } ?? ""
                headers.append((name: "Next-Page", value: "\(server.url)\(path)?_token=\(skipped + 3)\(own)"))
            }
            return .json(#"{"data":[\#(data.joined(separator: ","))]}"#, headers: headers)
        }
        let bench = try await KnownDelta("records", at: server, host: "https://kinto.example.com")
        #expect(try await bench.sync().figures.pages == 2)
        let rows = "SELECT id || n FROM records WHERE _removed_at IS NULL ORDER BY 1"
        #expect(try bench.query(rows) == (1...5).map { "n\($0)\($0)" })
        log.add("n2", nil)
        log.add("n3", 33)
        #expect(try await bench.sync().figures.requests == 1)
        #expect(try bench.query(rows) == ["n11", "n333", "n44", "n55"])
    }

    @Test("Matrix has a list for each room, and none at all where nothing is new")
    func matrix() async throws {
        let log = Log()
        let isLimited = Lock(false)
        for number in 1...4 { log.add("!\(number % 2):h \(number)", number) }
        let server = try ScriptedServer()
        server.route("/_matrix/client/v3/sync") { request in
            guard request.header("Authorization") == "Bearer secret" else { return .status(401) }
            let from = request.parameter("since").flatMap { Int($0.dropFirst()) } ?? 0
            let rooms = Dictionary(grouping: log.since(from)) { $0.path.split(separator: " ")[0] }
            let lists = rooms.sorted { $0.key < $1.key }.map { room, events in
                let events = events.map {
                    #"{"event_id":"$\#($0.size ?? 0)","sender":"@a:h","type":"m.room.message","origin_server_ts":1700000000000,"content":{"body":"b\#($0.size ?? 0)"}}"#
                }
                return
                    #""\#(room)":{"timeline":{"events":[\#(events.joined(separator: ","))],"limited":\#(isLimited.withLock { $0 }),"prev_batch":"p"},"state":{"events":[]}}"#
            }
            let joined = lists.isEmpty ? "" : #","rooms":{"join":{\#(lists.joined(separator: ","))}}"#
            return .json(#"{"next_batch":"s\#(log.count)"\#(joined)}"#)
        }
        let bench = try await KnownDelta("messages", at: server, host: "https://matrix.example.com")
        #expect(try await bench.sync().reason == nil)
        let rows = "SELECT room || body FROM messages WHERE _removed_at IS NULL ORDER BY event_id"
        #expect(try bench.query(rows) == ["!1:hb1", "!0:hb2", "!1:hb3", "!0:hb4"])
        let quiet = try await bench.sync()
        #expect(quiet.reason == nil && quiet.figures.requests == 1)
        log.add("!2:h 5", 5)
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.query(rows) == ["!1:hb1", "!0:hb2", "!1:hb3", "!0:hb4", "!2:hb5"])
        // A room with more news than the upstream gives.
        isLimited.withLock { $0 = true }
        log.add("!2:h 6", 6)
        #expect(try await bench.sync().reason == .upstreamIncomplete)
        #expect(try bench.query(rows).last == "!2:hb6")
    }

    @Test("WebDAV's report takes the token in XML, and says of each member whether it is there")
    func webDAV() async throws {
        let log = Log()
        for number in 1...3 { log.add("/files/\(number).txt", number) }
        let server = try ScriptedServer()
        server.route("/files/") { request in
            let body = String(decoding: request.body, as: UTF8.self)
            guard request.method == "REPORT", request.header("Content-Type") == "application/xml; charset=utf-8",
                let open = body.firstRange(of: "<d:sync-token>"), let close = body.firstRange(of: "</d:sync-token>")
            else { return .status(400) }
            let token = body[open.upperBound..<close.lowerBound]
            guard !log.isReset.withLock({ $0 }) || token.isEmpty else {
                log.isReset.withLock { $0 = false }
                return .xml("<d:error xmlns:d='DAV:'><d:valid-sync-token/></d:error>", status: 403)
            }
            let start = "urn:a&amp;b#"
            let parts = token.dropFirst(start.count).split(separator: "-").compactMap { Int($0) }
            guard token.isEmpty || token.hasPrefix(start) && parts.count == 2 else { return .status(400) }
            let (from, skipped) = token.isEmpty ? (0, 0) : (parts[0], parts[1])
            // At most two at once: the rest by the token of this response.
            let all = log.since(from).filter { from > 0 || $0.size != nil }
            let responses = all.dropFirst(skipped).prefix(2).map { file in
                let href = "<d:href>\(file.path)</d:href>"
                return file.size.map {
                    "<d:response>\(href)<d:propstat><d:prop><d:getetag>\($0)</d:getetag></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
                } ?? "<d:response>\(href)<d:status>HTTP/1.1 404 Not Found</d:status></d:response>"
            }
            let hasMore = all.count > skipped + 2
            let place = hasMore ? "\(from)-\(skipped + 2)" : "\(log.count)-0"
            let rest =
                hasMore
                ? "<d:response><d:href>/files/</d:href><d:status>HTTP/1.1 507 Insufficient Storage</d:status></d:response>"
                : ""
            return .xml(
                "<d:multistatus xmlns:d='DAV:'>\(responses.joined())\(rest)<d:sync-token>\(start)\(place)</d:sync-token></d:multistatus>",
                status: 207)
        }
        let bench = try await KnownDelta("documents", at: server, host: "https://dav.example.com")
        #expect(try await bench.sync().figures.pages == 2)
        let rows = "SELECT href || etag FROM documents WHERE _removed_at IS NULL ORDER BY 1"
        #expect(try bench.query(rows) == (1...3).map { "/files/\($0).txt\($0)" })
        log.add("/files/2.txt", nil)
        log.add("/files/4.txt", 4)
        let changes = try await bench.sync()
        #expect(changes.reason == nil && changes.figures.requests == 1)
        #expect(try bench.query(rows) == ["/files/1.txt1", "/files/3.txt3", "/files/4.txt4"])
        #expect(try await bench.sync().figures.requests == 1)
        log.isReset.withLock { $0 = true }
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.query(rows) == ["/files/1.txt1", "/files/3.txt3", "/files/4.txt4"])
        #expect(try bench.query("SELECT count(*) FROM documents WHERE href = '/files/'") == ["0"])
    }
}

extension ServerResponse {
    fileprivate static func xml(_ text: String, status: Int = 200) -> ServerResponse {
        ServerResponse(status: status, headers: [("Content-Type", "application/xml")], body: Array(text.utf8))
    }
}

/// A feed of the recipe, mirrored from a server that plays its host.
private final class KnownDelta: Sendable {
    private let folder: TemporaryFolder
    private let store: Store
    private let engine: SyncEngine

    init(_ name: String, at server: ScriptedServer, host: String) async throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../Docs/recipes/deltas.md")
        let lines = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n")
        let start = try #require(lines.firstIndex(of: "  \(name):"))
        let members = lines[(start + 1)...].prefix { $0.hasPrefix("    ") }.map { $0.dropFirst(4) }
        let yaml = members.joined(separator: "\n").replacing(host, with: server.url)
        folder = try TemporaryFolder()
        store = try await Store(path: folder.file("store.db"))
        var options = EngineBench.options
        options.environment = [
            "DROPBOX_TOKEN": "secret", "MATRIX_TOKEN": "secret", "DAV_USER": "u", "DAV_PASSWORD": "secret",
        ]
        engine = try await SyncEngine(
            feed: try FeedDefinition.parse(name: name, yaml: yaml), store: store, options: options)
    }

    @discardableResult
    func sync() async throws -> RunSummary { try await engine.perform(.sync) }

    func query(_ sql: String) throws -> [String] {
        try Connection(path: store.path, access: .readOnly).lines(sql)
    }
}
