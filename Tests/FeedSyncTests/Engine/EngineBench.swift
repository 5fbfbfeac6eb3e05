import Foundation
import HTTP
import SQLite
import ScriptedServer
import TemporaryFolder
import Testing

@testable import FeedSync
@testable import StoreFile
@testable import Upstream

/// An upstream, a feed on it, and an engine that mirrors it into a store of its own.
final class EngineBench: Sendable {
    let server: ScriptedServer
    let upstream: PagedFeed
    let folder: TemporaryFolder
    let definition: FeedDefinition
    let store: Store
    let engine: SyncEngine
    /// The companion that commits first, for engines with a store in PostgreSQL.
    let twin: SharedTwin?

    static let paging = "pagination: {style: page, param: page, size_param: per_page, size: 10, total: total_count}"
    static let columns = "items: items\nkey: id\ncolumns: {id: id, name: name}"

    init(
        _ items: [String] = PagedFeed.items(1...35), members: String = "", paging: String = EngineBench.paging,
        columns: String = EngineBench.columns, retries: Int = 0, upstream: PagedFeed? = nil
    ) async throws {
        server = try ScriptedServer()
        self.upstream = upstream ?? PagedFeed(items, perPage: 10)
        let upstream = self.upstream
        server.route("/things", to: upstream)
        folder = try TemporaryFolder()
        // A page that a gate holds comes when the test lets it, however long a busy machine takes for that.
        let timeout = members.contains("timeout:") ? "" : "timeout: 10m\n"
        definition = try Self.definition(
            "url: \(server.url)/things\n\(columns)\n\(paging)\nretries: \(retries)\n\(timeout)\(members)")
        store = try await Store(path: folder.file("store.db"))
        twin = try await SharedTwin.of(store, feeds: ["things", "lists", "first"])
        engine = try await SyncEngine(feed: definition, store: store, options: Self.options)
    }

    deinit {
        twin?.check()
        server.stop()
    }

    static func definition(_ yaml: String) throws -> FeedDefinition {
        try FeedDefinition.parse(name: "things", yaml: yaml)
    }

    static var options: EngineOptions { EngineOptions(client: Client(userAgent: "feedsync-tests")) }

    /// Another engine on the same store, as another process would have it: a changed definition, or the same.
    func another(_ definition: FeedDefinition? = nil, options: EngineOptions = EngineBench.options) async throws
        -> SyncEngine
    {
        let store = try await Store(path: store.path)
        try await twin?.attach(to: store)
        return try await SyncEngine(feed: definition ?? self.definition, store: store, options: options)
    }

    @discardableResult
    func reload() async throws -> RunSummary { try await engine.perform(.reload) }

    @discardableResult
    func more(_ command: RequestCommand = .nextPage) async throws -> RunSummary { try await engine.perform(command) }

    @discardableResult
    func sync() async throws -> RunSummary { try await engine.perform(.sync) }

    /// Waits until so many items are stored: the next page is requested before that.
    func stored(_ count: Int) async throws {
        for await _ in engine.refreshStatus where try feed("item_count") == "\(count)" { return }
    }

    /// The error of a command that must fail.
    func failure(_ command: RequestCommand, _ engine: SyncEngine? = nil) async throws -> FeedSyncError {
        do throws(FeedSyncError) {
            let summary = try await (engine ?? self.engine).perform(command)
            throw FeedSyncError(.bug, "the command succeeded: \(summary)")
        } catch {
            return error
        }
    }

    /// The numbers of the pages that are requested meanwhile.
    func requests(_ body: () async throws -> Void) async throws -> [Int] {
        let before = upstream.requestedPages.count
        try await body()
        return Array(upstream.requestedPages.dropFirst(before))
    }

    /// One query's rows, as text joined by `|`, as `sqlite3` prints them.
    func query(_ sql: String) throws -> [String] {
        try Connection(path: store.path, access: .readOnly).lines(sql)
    }

    /// The names in feed order.
    var names: [String] {
        get throws { try query("SELECT name FROM things ORDER BY _generation DESC, _position") }
    }

    /// The names of the upstream's first `count` items.
    func upstreamNames(_ count: Int) -> [String] {
        upstream.items.prefix(count).map { item in
            let object = try? JSONSerialization.jsonObject(with: Data(item.utf8)) as? [String: Any]
            return object?["name"] as? String ?? ""
        }
    }

    var log: [String] {
        get throws {
            try query("SELECT status || iif(error IS NULL, '', '!' || (error ->> 'kind')) FROM event ORDER BY id")
        }
    }

    func feed(_ columns: String) throws -> String {
        try query("SELECT \(columns) FROM feed WHERE name = 'things'").first ?? "no feed"
    }
}

extension Connection {
    /// One query's rows, as text joined by `|`, as `sqlite3` prints them; `null` stands for NULL.
    func lines(_ sql: String, null: String = "") throws -> [String] {
        try all(sql) { row in (0..<row.columnCount).map { row.text(at: $0) ?? null }.joined(separator: "|") }
    }
}

/// The first place at which a log does not read `{ header | footer }` with every begin closed once; nil if it does.
func grammarFault(_ log: [String]) -> String? {
    var open: String?
    var previous: String?
    for (index, entry) in log.enumerated() {
        let status = String(entry.prefix { $0 != "!" })
        let isFine =
            switch status {
            case "beginHeader", "beginFooter": open == nil
            case "endHeader": open == "beginHeader"
            case "endFooter": open == "beginFooter"
            case "noMoreData": open == "beginFooter" || (open == nil && previous == "endHeader")
            default: false
            }
        guard isFine else { return "\(entry) at \(index) of \(log)" }
        open = status.hasPrefix("begin") ? status : nil
        previous = status
    }
    return open.map { "\($0) is open at the end of \(log)" }
}
