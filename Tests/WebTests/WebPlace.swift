import Concurrency
import FeedSync
import Foundation
import HTTPServer
import JSON
import ScriptedServer
import StoreFile
import TemporaryFolder
import Testing
import Web

/// A folder with a store and a server of it; a test scripts its feed `things`.
final class WebPlace: Sendable {
    private let temporaryFolder: TemporaryFolder
    var folder: String { temporaryFolder.path }
    let upstream: ScriptedServer
    let feed: PagedFeed
    let web: WebServer
    let port: UInt16

    init(
        items: [String] = PagedFeed.items(1...25), columns: String = "columns: {id: id, name: name}",
        extra: String = "",
        change: @Sendable (inout WebSettings) -> Void = { _ in }
    ) async throws {
        let upstream = try ScriptedServer()
        let feed = PagedFeed(items)
        upstream.route("/things", to: feed)
        let folder = try TemporaryFolder()
        let file = folder.file("feedsync.yaml")
        try Self.configuration(upstream.url, columns, extra).write(toFile: file, atomically: true, encoding: .utf8)
        var settings = WebSettings(
            address: .tcp(host: "127.0.0.1", port: 0), options: EngineOptions(),
            configuration: { () throws(ConfigurationProblem) in
                do throws(ConfigurationError) { return try Configuration.load(file) } catch {
                    throw ConfigurationProblem(lines: error.diagnostics.map(\.description))
                }
            }, storePath: { [path = folder.file("feedsync.db")] _ in path })
        settings.configurationFiles = [file]
        change(&settings)
        (temporaryFolder, self.upstream, self.feed) = (folder, upstream, feed)
        web = try await WebServer(settings)
        guard case .tcp(_, let port) = web.address else { throw NoPort() }
        self.port = port
    }

    struct NoPort: Error {}

    static func configuration(_ url: String, _ columns: String, _ extra: String) -> String {
        """
        feeds:
          things:
            url: \(url)/things
            items: items
            key: id
            \(columns)
            pagination: {style: page, param: page, size_param: per_page, size: 10, total: total_count}
            retries: 0
            \(extra)

        """
    }

    deinit { upstream.stop() }

    /// Serves a place, and closes it after any outcome of `body`.
    static func serving(
        items: [String] = PagedFeed.items(1...25), columns: String = "columns: {id: id, name: name}",
        extra: String = "",
        change: @Sendable (inout WebSettings) -> Void = { _ in }, _ body: (WebPlace) async throws -> Void
    ) async throws {
        let place = try await WebPlace(items: items, columns: columns, extra: extra, change: change)
        do {
            try await body(place)
        } catch {
            await place.web.stop()
            throw error
        }
        await place.web.stop()
    }

    /// Serves a place whose pages may change the configuration.
    static func servingEditable(
        items: [String] = PagedFeed.items(1...25), extra: String = "", environment: [String: String] = [:],
        change: @Sendable (inout WebSettings) -> Void = { _ in }, _ body: (WebPlace) async throws -> Void
    ) async throws {
        try await serving(
            items: items, extra: extra,
            change: { settings in
                let file = settings.configurationFiles[0]
                settings.newFeedsFile = { ConfigurationFile(path: file) }
                settings.options.environment = environment
                change(&settings)
            }, body)
    }

    /// Another process's engine on the same store.
    func perform(_ command: RequestCommand, on feed: String = "things") async throws {
        let definition = try #require(try Configuration.load("\(folder)/feedsync.yaml").feed(named: feed))
        let mirror = try await FeedMirror(path: "\(folder)/feedsync.db")
        try await mirror.feed(definition).perform(command)
        await mirror.close()
    }

    /// Sends a request, and returns all data until the server closes.
    func ask(
        _ target: String, method: String = "GET", headers: [String: String] = [:], body: String = ""
    ) async throws -> Reply {
        try await Self.ask(port, target, method: method, headers: headers, body: body)
    }

    /// The body of a page as a browser gets it.
    func page(_ target: String) async throws -> String {
        let reply = try await ask(target, headers: ["Accept": "text/html"])
        #expect(reply.status == 200, "\(target): \(reply.head)")
        return reply.body
    }

    /// Sends a request to the server at a port of this machine.
    static func ask(
        _ port: UInt16, _ target: String, method: String = "GET", headers: [String: String] = [:], body: String = ""
    ) async throws -> Reply {
        var head = "\(method) \(target) HTTP/1.1\r\nConnection: close\r\n"
        let all = ["Host": "127.0.0.1:\(port)"].merging(headers) { $1 }
        for (name, value) in all { head += "\(name): \(value)\r\n" }
        if !body.isEmpty { head += "Content-Length: \(body.utf8.count)\r\n" }
        let connection = try RawConnection(port: port)
        connection.send(head + "\r\n" + body)
        return try Reply(await connection.readAll())
    }

    /// The token that a change is sent with.
    func token() async throws -> String {
        let session = try await ask("/session").json
        guard case .object(let members) = session, case .string(let token)? = members["token"] else { return "" }
        return token
    }

    func post(_ target: String) async throws -> Reply {
        try await ask(target, method: "POST", headers: ["X-FeedSync-Token": try await token()])
    }

    /// Sends a form, as a script of a page does; with `token` among the fields, as a page without scripts.
    func send(_ target: String, _ fields: [String: String] = [:], headers: [String: String] = [:]) async throws -> Reply
    {
        var all = headers.merging(["Content-Type": "application/x-www-form-urlencoded"]) { $1 }
        if fields["token"] == nil { all["X-FeedSync-Token"] = try await token() }
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-._~")
        let body = fields.map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")" }
        return try await ask(target, method: "POST", headers: all, body: body.joined(separator: "&"))
    }

    /// The text of the configuration.
    var configuration: String {
        get throws { try String(contentsOfFile: "\(folder)/feedsync.yaml", encoding: .utf8) }
    }
}

/// The answer of a server.
struct Reply: Sendable {
    let status: Int
    let head: String
    let body: String

    init(_ text: String) throws {
        // By bytes, and only of the head: a body may have many megabytes.
        let bytes = text.utf8
        var end = bytes.startIndex
        while end < bytes.endIndex, !bytes[end...].starts(with: "\r\n\r\n".utf8) { end = bytes.index(after: end) }
        head = String(Substring(bytes[..<end]))
        body = String(Substring(bytes[end...].dropFirst(4)))
        status = Int(head.dropFirst(9).prefix(3)) ?? 0
    }

    func header(_ name: String) -> String? {
        head.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
            .map { String($0.dropFirst(name.count + 2)) }
    }

    /// The address of the next page of a list; nil if this is the last.
    var next: String? { link("next") }

    /// The address that the `Link` field has for a relation.
    func link(_ relation: String) -> String? {
        header("Link")?.components(separatedBy: ", ").first { $0.hasSuffix("; rel=\"\(relation)\"") }
            .map { String($0.dropFirst().prefix { $0 != ">" }) }
    }

    var json: JSONValue? { try? JSONValue(parsing: body.trimmingCharacters(in: .whitespacesAndNewlines)) }

    /// The values of a member of each object of a list.
    func list(_ member: String) -> [String] {
        guard case .array(let elements)? = json else { return [] }
        return elements.compactMap { if case .object(let members) = $0 { members[member]?.json } else { nil } }
    }

    func member(_ name: String) -> String? {
        guard case .object(let members)? = json else { return nil }
        return members[name]?.json
    }
}

extension RawConnection {
    /// The data received until it contains a text. It is read on a thread of its own.
    func read(until mark: String) async -> String { await read { $0.range(of: Data(mark.utf8)) != nil } }

    /// The data received until the server closes.
    func readAll() async -> String { await read { _ in false } }

    private func read(_ isEnough: @escaping @Sendable (Data) -> Bool) async -> String {
        await withCheckedContinuation { continuation in
            Thread {
                var bytes = Data()
                while !isEnough(bytes),
                    case .success(let more) = self.read(upTo: 65_536),
                    !more.isEmpty
                { bytes += more }
                continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
            }.start()
        }
    }
}
