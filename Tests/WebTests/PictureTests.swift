import Concurrency
import FeedSync
import Foundation
import HTTP
import HTTPServer
import ScriptedServer
import TemporaryFolder
import Testing

@testable import Web

@Suite(.timeLimit(.minutes(10))) struct PictureTests {
    static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Array("picture".utf8)

    private static func answer(_ bytes: [UInt8], _ type: String = "image/png", _ headers: [(String, String)] = [])
        -> ServerResponse
    {
        ServerResponse(headers: [("Content-Type", type)] + headers.map { (name: $0.0, value: $0.1) }, body: bytes)
    }

    /// A place whose only item has a picture at a URL.
    private func serving(_ url: (WebPlace) -> String, _ body: (WebPlace) async throws -> Void) async throws {
        try await WebPlace.serving(
            extra: "show: {title: id, picture: name}",
            change: { $0.pictureFolder = $0.configurationFiles[0].replacing("feedsync.yaml", with: "cache/pictures") }
        ) { place in
            let url = url(place)
            place.feed.edit { $0 = [#"{"id":1,"name":"\#(url)"}"#] }
            try await place.perform(.reload)
            try await body(place)
        }
    }

    @Test("A picture of the feed's own origin comes from this server, and is fetched once")
    func shown() async throws {
        try await serving({ "\($0.upstream.url)/1.png" }) { place in
            place.upstream.route("/1.png") { _ in Self.answer(Self.png, "text/html") }
            let page = try await place.ask("/list/things")
            let source = try #require(page.body.firstMatch(of: /src="(\/picture\/things[^"]*)"/)?.1)
            #expect(!page.body.contains("src=\"http"))
            let target = source.replacing("&amp;", with: "&")
            let first = try await place.ask(String(target))
            #expect(first.status == 200)
            #expect(first.header("Content-Type") == "image/png")
            #expect(first.body.hasSuffix("picture"))
            let tag = try #require(first.header("ETag"))
            let second = try await place.ask(String(target), headers: ["If-None-Match": tag])
            #expect(second.status == 304)
            #expect(place.upstream.requests.count { $0.path == "/1.png" } == 1)
            // Only what stands in the column is fetched, and only of items that there are.
            for target in ["/picture/things?key=2", "/picture/nothing?key=1", "/picture/things"] {
                let reply = try await place.ask(target)
                #expect(reply.status == 404, "\(target)")
            }
            let files = try FileManager.default.contentsOfDirectory(atPath: "\(place.folder)/cache/pictures")
            #expect(files.count == 1)
        }
    }

    @Test("Rows that were found on the feed's server have pictures, and a text that was not searched for has none")
    func found() async throws {
        try await WebPlace.serving(
            extra: "show: {title: id, picture: name}\n    search: {param: q}",
            change: { $0.pictureFolder = $0.configurationFiles[0].replacing("feedsync.yaml", with: "cache/pictures") }
        ) { place in
            place.upstream.route("/1.png") { _ in Self.answer(Self.png, "image/png") }
            let url = "\(place.upstream.url)/1.png"
            place.feed.edit { $0 = [#"{"id":1,"name":"\#(url)"}"#] }
            let headers = [
                "X-FeedSync-Token": try await place.token(), "Content-Type": "application/x-www-form-urlencoded",
            ]
            let page = try await place.ask("/search/things", method: "POST", headers: headers, body: "q=otter&as=a")
            let source = try #require(page.body.firstMatch(of: /src="(\/picture\/things[^"]*)"/)?.1)
            let target = String(source).replacing("&amp;", with: "&")
            #expect(try await place.ask(target).header("Content-Type") == "image/png")
            for none in [target.replacing("q=otter", with: "q=heron"), "/picture/things?key=1"] {
                #expect(try await place.ask(none).status == 404)
            }
        }
    }

    @Test(
        "A picture whose bytes are of no picture is not shown, whatever its type, nor requested again soon",
        arguments: ["<svg xmlns='http://www.w3.org/2000/svg'/>", "<html>", "", "GIF", "RIFFxxxxWAVE"])
    func noPicture(body: String) async throws {
        try await serving({ "\($0.upstream.url)/1.png" }) { place in
            place.upstream.route("/1.png") { _ in Self.answer(Array(body.utf8)) }
            for _ in 1...2 {
                let reply = try await place.ask("/picture/things?key=1")
                #expect(reply.status == 404)
            }
            // A browser would draw that one is broken.
            let drawn = try await place.ask("/picture/things?key=1", headers: ["Sec-Fetch-Dest": "image"])
            #expect(drawn.status == 200 && drawn.header("Content-Type") == "image/gif")
            #expect(place.upstream.requests.count { $0.path == "/1.png" } == 1)
        }
    }

    @Test("The bytes tell the kinds of pictures")
    func types() {
        let avif = [0, 0, 0, 0x20] + Array("ftypavif".utf8)
        let cases: [([UInt8], PictureType?)] = [
            (Self.png, .png), ([0xFF, 0xD8, 0xFF, 0xE0], .jpeg), (Array("GIF89a…".utf8), .gif),
            (Array("GIF87a".utf8), .gif), (Array("RIFF\u{1}\u{2}\u{3}\u{4}WEBPVP8 ".utf8), .webp), (avif, .avif),
            ([0, 0, 0, 0x20] + Array("ftypheic".utf8), nil), (Array("<svg".utf8), nil), ([], nil), ([0x89], nil),
        ]
        for (bytes, type) in cases { #expect(PictureType(of: bytes) == type) }
    }

    @Test("Nothing of this machine is fetched for a feed from elsewhere, redirects included")
    func otherOrigin() async throws {
        let other = try ScriptedServer()
        defer { other.stop() }
        let target = other.url
        other.route("/1.png") { _ in Self.answer(Self.png) }
        for path in ["/away", "/1.png"] {
            try await serving({ path == "/away" ? "\($0.upstream.url)/away" : "\(target)/1.png" }) { place in
                place.upstream.route("/away") { _ in .status(302, headers: [("Location", "\(target)/1.png")]) }
                let reply = try await place.ask("/picture/things?key=1")
                #expect(reply.status == 404)
            }
        }
        #expect(other.requests.isEmpty)
    }

    @Test(
        "Only http and https are fetched",
        arguments: [
            "file:///etc/passwd", "javascript:alert(1)", "ftp://127.0.0.1/x", "data:image/png;base64,AA==", "//x",
        ])
    func schemes(url: String) async throws {
        try await serving({ _ in url }) { place in
            let page = try await place.ask("/list/things")
            #expect(!page.body.contains("/picture/"))
            let reply = try await place.ask("/picture/things?key=1")
            #expect(reply.status == 404)
        }
    }

    private struct Bench {
        private let parent: TemporaryFolder
        let folder: String
        let server: ScriptedServer
        let now = Lock(Int64(Date().timeIntervalSince1970))
        let pictures: Pictures
        let origin: Origin

        init(_ limits: PictureLimits = PictureLimits()) throws {
            parent = try TemporaryFolder()
            folder = parent.file("pictures")
            server = try ScriptedServer()
            origin = try WebURL(server.url).origin
            pictures = Pictures(
                in: folder, client: Client(userAgent: "test"), limits: limits,
                clock: WallClock { [now] in now.withLock { $0 } * 1_000 })
        }

        func ask(_ path: String) async -> [UInt8]? {
            await pictures.picture(at: "\(server.url)\(path)", of: origin)?.bytes
        }
    }

    @Test(
        "After a day the server is asked with the validators that it gave, and while it fails the old picture is shown")
    func validators() async throws {
        let bench = try Bench()
        defer { bench.server.stop() }
        bench.server.enqueue(
            "/1.png",
            [
                Self.answer(
                    Self.png, "image/png", [("ETag", "\"a\""), ("Last-Modified", "Sat, 21 Nov 2026 02:20:11 GMT")]),
                .status(304), .status(500), Self.answer(Self.png + [1]),
            ])
        #expect(await bench.ask("/1.png") == Self.png)
        bench.now.withLock { $0 += 86_399 }
        #expect(await bench.ask("/1.png") == Self.png)
        #expect(bench.server.requests.count == 1)
        bench.now.withLock { $0 += 2 }
        #expect(await bench.ask("/1.png") == Self.png)
        #expect(bench.server.requests.last?.header("If-None-Match") == "\"a\"")
        #expect(bench.server.requests.last?.header("If-Modified-Since") == "Sat, 21 Nov 2026 02:20:11 GMT")
        bench.now.withLock { $0 += 90_000 }
        #expect(await bench.ask("/1.png") == Self.png)
        #expect(await bench.ask("/1.png") == Self.png)
        #expect(bench.server.requests.count == 3)
        bench.now.withLock { $0 += 601 }
        #expect(await bench.ask("/1.png") == Self.png + [1])
    }

    @Test("All pictures together take no more than their bound, and the oldest go first")
    func bounded() async throws {
        var limits = PictureLimits()
        (limits.mostOfOne, limits.mostBytes) = (1_000, 3_000)
        let bench = try Bench(limits)
        defer { bench.server.stop() }
        for number in 1...6 {
            bench.server.route("/\(number).png") { _ in Self.answer(Self.png + [UInt8](repeating: 0, count: 700)) }
            #expect(await bench.ask("/\(number).png")?.count == 715)
        }
        bench.server.route("/large.png") { _ in Self.answer(Self.png + [UInt8](repeating: 0, count: 2_000)) }
        #expect(await bench.ask("/large.png") == nil)
        let files = try FileManager.default.contentsOfDirectory(atPath: bench.folder)
        let size = try files.map { name in
            try FileManager.default.attributesOfItem(atPath: "\(bench.folder)/\(name)")[.size] as? Int ?? 0
        }.reduce(0, +)
        #expect(size <= 3_000)
        #expect(files.count >= 3)
        let mode = try FileManager.default.attributesOfItem(atPath: bench.folder)[.posixPermissions] as? Int
        #expect(mode == 0o700)
    }

    @Test("A picture that the server was not asked for in 30 days is not shown, also where it does not answer now")
    func tooOld() async throws {
        let bench = try Bench()
        defer { bench.server.stop() }
        bench.server.enqueue("/1.png", [Self.answer(Self.png), .status(500), .status(500), Self.answer(Self.png)])
        #expect(await bench.ask("/1.png") == Self.png)
        bench.now.withLock { $0 += 29 * 86_400 }
        #expect(await bench.ask("/1.png") == Self.png)
        bench.now.withLock { $0 += 2 * 86_400 }
        for _ in 1...2 { #expect(await bench.ask("/1.png") == nil) }
        bench.now.withLock { $0 += 601 }
        #expect(await bench.ask("/1.png") == Self.png)
    }

    @Test("Pictures that are too old are deleted while the server runs, and no folder is made for that")
    func trimmed() async throws {
        let bench = try Bench()
        defer { bench.server.stop() }
        await bench.pictures.trim()
        #expect(!FileManager.default.fileExists(atPath: bench.folder))
        bench.server.route("/1.png") { _ in Self.answer(Self.png) }
        #expect(await bench.ask("/1.png") == Self.png)
        func count() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: bench.folder).count }
        for (days, left) in [(29, 1), (2, 0)] {
            bench.now.withLock { $0 += Int64(days) * 86_400 }
            await bench.pictures.trim()
            #expect(try count() == left)
        }
    }

    @Test("A server that begins deletes pictures that are too old, before anybody asks for one")
    func trimmedAtStart() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("old.picture")
        try Data().write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -31 * 86_400)], ofItemAtPath: file)
        try await WebPlace.serving(change: { $0.pictureFolder = folder.path }) { _ in
            try await until { !FileManager.default.fileExists(atPath: file) }
        }
    }

    @Test("Simultaneous requests for a picture share one request, and a host gets one at a time")
    func shared() async throws {
        let bench = try Bench()
        defer { bench.server.stop() }
        let busy = Lock((now: 0, most: 0))
        for number in 1...4 {
            bench.server.route("/\(number).png") { _ in
                busy.withLock { busy in
                    busy.now += 1
                    busy.most = max(busy.most, busy.now)
                }
                defer { busy.withLock { $0.now -= 1 } }
                return Self.answer(Self.png)
            }
        }
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<20 { group.addTask { await bench.ask("/\(number % 4 + 1).png") == Self.png } }
            for await isRight in group { #expect(isRight) }
        }
        #expect(bench.server.requests.count == 4)
        #expect(busy.withLock { $0.most } == 1)
    }
}
