import FeedSync
import Feeds
import HTTP
import HTTPServer
import JSON
import Platform
import Text

@testable import Web

/// A request in short form: `METHOD TARGET`, lines of fields, an empty line, a body. `PAGETOKEN` is a
/// placeholder for the token that pages send.
///
/// It is sent to a server that takes commands, and to one that wants a token and is read-only. Neither may trap, answer
/// with anything but HTTP, HTML or JSON, or reveal or do anything without authorization.
@Sendable func requests(_ bytes: [UInt8]) {
    wait {
        for server in FuzzedServer.all { await server.take(bytes) }
    }
}

private struct FuzzedServer: Sendable {
    static let all: [FuzzedServer] = {
        let made = Room<[FuzzedServer]>()
        wait {
            do { made.value = try await make() } catch { fatalError("\(error)") }
        }
        return made.value ?? []
    }()
    static let token = "open-sesame"
    /// Texts that no stranger may see, and that no page may contain as markup.
    static let treasure = "treasure"
    static let markup = "<fuzz"

    let site: Site
    let wantsToken: Bool

    private static func make() async throws -> [FuzzedServer] {
        let folder = "/dev/shm/feedsync-fuzz-\(getpid())-web"
        for suffix in ["", "-wal", "-shm", "-lock"] { unlink("\(folder)/feedsync.db\(suffix)") }
        mkdir(folder, 0o700)
        let upstream = try Server { request in
            let page = request.parameter("page").flatMap { Int($0) } ?? 1
            let items = (1...10).map { number in
                let id = (page - 1) * 10 + number
                return #"{"id":"k\#(id)","name":"\#(treasure) \#(markup) \#(id)","s":"a\#(id % 3)&","at":null}"#
            }
            return .json(#"{"items":[\#(page < 4 ? items.joined(separator: ",") : "")]}"#)
        }
        let text = """
            feeds:
              things:
                url: \(upstream.url)/things
                items: items
                key: id
                section: s
                search: [name]
                raw: true
                columns: {id: id, name: name, s: s, at: {path: at, type: timestamp}}
                pagination: {style: page, param: page}
                retries: 0
              empty: {url: "http://127.0.0.1:1/", items: items, key: id, retries: 0}
            """
        let configuration = try Configuration.parse(Array(text.utf8), file: "feedsync.yaml")
        let path = "\(folder)/feedsync.db"
        let mirror = try await FeedMirror(path: path)
        if let things = configuration.feed(named: "things") { _ = try await mirror.feed(things).perform(.sync) }
        await mirror.close()
        // A command is a run that fails at once from here on.
        upstream.stop()
        var servers: [FuzzedServer] = []
        for wantsToken in [false, true] {
            var settings = WebSettings(
                address: .tcp(host: "127.0.0.1", port: 8080), options: EngineOptions(),
                configuration: { configuration }, storePath: { _ in path })
            if wantsToken { settings.access.token = { FuzzedServer.token } }
            settings.access.isPrivate = wantsToken
            settings.access.wrongTokenPause = .zero
            settings.isReadOnly = wantsToken
            let shelf = Shelf(settings)
            try await shelf.open()
            let pictures = Pictures(in: nil, client: Client(userAgent: "fuzz"))
            let site = Site(settings, shelf, EventHub(), pictures, address: settings.address)
            servers.append(FuzzedServer(site: site, wantsToken: wantsToken))
        }
        return servers
    }

    func take(_ bytes: [UInt8]) async {
        let request = request(bytes)
        let before = try? await site.shelf.served.pages?.mark()
        let answer = await answer(request)
        let after = try? await site.shelf.served.pages?.mark()
        check(answer, to: request)
        let knows = knows(request)
        if !mayAsk(request) {
            precondition(![200, 304].contains(answer.status) || isOpen(request), "a stranger got \(answer.status)")
            precondition(!contains(answer.body, Self.treasure), "a stranger was told what is stored")
        }
        if request.method != "POST" || !knows { precondition(before == after, "something was changed") }
        if answer.status == 200, request.method == "GET" { await checkLink(of: answer, to: request) }
    }

    private func answer(_ request: ServerRequest) async -> ServerResponse {
        switch await site.answer(request) {
        case .whole(let response): return response
        case .stream(let head, let stream):
            stream.begin(wake: {})
            for _ in 0..<3 {
                if case .bytes(let bytes) = stream.next() { precondition(!bytes.isEmpty) }
            }
            stream.end()
            return head
        }
    }

    /// The conditions on every answer.
    private func check(_ answer: ServerResponse, to request: ServerRequest) {
        let statuses = [200, 204, 303, 304, 400, 401, 403, 404, 405, 409, 421, 422, 502, 503]
        precondition(statuses.contains(answer.status), "\(request.method) \(request.rawPath): \(answer.status)")
        for (name, value) in answer.headers {
            precondition(!name.isEmpty && (name + value).utf8.allSatisfy { $0 >= 32 && $0 != 127 }, "\(name): \(value)")
        }
        precondition(answer.headers.contains { $0.name == "Content-Security-Policy" })
        let type = answer.headers.first { $0.name == "Content-Type" }?.value ?? ""
        if type.hasPrefix("text/html") { precondition(!contains(answer.body, Self.markup), "markup that is not ours") }
        if type.hasPrefix("application/json"), !answer.body.isEmpty {
            precondition((try? JSONValue(parsing: Array(answer.body.dropLast()))) != nil, "no JSON")
        }
        precondition(answer.status != 304 || answer.body.isEmpty)
    }

    /// A page of items is followed by others.
    private func checkLink(of answer: ServerResponse, to request: ServerRequest) async {
        guard let link = answer.headers.first(where: { $0.name == "Link" })?.value,
            let end = link.firstIndex(of: ">")
        else { return }
        let target = String(link[link.index(after: link.startIndex)..<end])
        // Two slashes would name another host.
        precondition(target.hasPrefix("/") && !target.hasPrefix("//"), "the Link leads to \(target)")
        var next = ServerRequest(target: target, headers: request.headers)
        next.headers.removeAll { $0.name.lowercased() == "if-none-match" }
        let following = await self.answer(next)
        precondition(following.status == 200, "the Link of \(request.rawPath) leads to \(following.status)")
        let (keys, others) = (Self.keys(answer.body), Self.keys(following.body))
        precondition(Set(keys).isDisjoint(with: others) && Set(keys).count == keys.count, "\(keys), then \(others)")
    }

    private static func keys(_ body: [UInt8]) -> [String] {
        guard case .array(let items)? = try? JSONValue(parsing: Array(body.dropLast())) else { return [] }
        return items.compactMap { if case .object(let members) = $0 { members["id"]?.json } else { nil } }
    }

    private func request(_ bytes: [UInt8]) -> ServerRequest {
        let text = String(decoding: bytes, as: UTF8.self)
            .split(separator: "PAGETOKEN", omittingEmptySubsequences: false).joined(separator: site.door.openPageToken)
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        // Control characters, and what parts the words, do not get that far.
        let words = (lines.popFirst() ?? "").split(separator: " ").map { $0.filter { $0 > " " } }
        var headers: [(name: String, value: String)] = []
        while let line = lines.popFirst(), !line.isEmpty {
            let parts = line.split(separator: ":", maxSplits: 1).map {
                String($0.filter { $0 >= " " }.drop { $0 == " " })
            }
            if parts.count == 2 { headers.append((parts[0], parts[1])) }
        }
        return ServerRequest(
            method: words.first ?? "", target: words.dropFirst().first ?? "", headers: headers,
            body: Array(lines.joined(separator: "\n").utf8))
    }

    /// True if any part of a request is a token.
    private func knows(_ request: ServerRequest) -> Bool {
        let all = request.headers.map(\.value) + [String(decoding: request.body, as: UTF8.self)]
        return all.contains { $0.contains(wantsToken ? Self.token : site.door.openPageToken) || $0.contains("%") }
    }

    private func mayAsk(_ request: ServerRequest) -> Bool {
        let hosts = request.headers.filter { $0.name.lowercased() == "host" }
        guard hosts.count == 1, let host = hosts.first?.value.lowercased() else { return false }
        // It may call itself by any name of this machine.
        guard host.hasSuffix("8080"), !host.contains("example") else { return false }
        return !wantsToken || knows(request)
    }

    /// The answer to requests without a token.
    private func isOpen(_ request: ServerRequest) -> Bool {
        wantsToken
            && (["login", "open", "assets"].contains(request.path.split(separator: "/").first ?? ""))
    }
}

private func contains(_ bytes: [UInt8], _ word: String) -> Bool {
    String(decoding: bytes, as: UTF8.self).lowercased().contains(word)
}

private final class Room<Value>: @unchecked Sendable {
    // Sendable: written by the task that `wait` waits for.
    var value: Value?
}
