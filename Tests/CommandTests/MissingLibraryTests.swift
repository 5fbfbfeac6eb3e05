import Foundation
import HTTPServer
import ScriptedServer
import Testing

@Suite("A machine that lacks a library")
struct MissingLibraryTests {
    /// An environment in which the library is found, but is not a library.
    private func environment(breaking library: String, in place: Workplace) throws -> [String: String] {
        try FileManager.default.createDirectory(atPath: place.path("libraries"), withIntermediateDirectories: true)
        try place.write("libraries/\(library)", "no library\n")
        return ["LD_LIBRARY_PATH": place.path("libraries")]
    }

    @Test("The error without libcurl names its package, and the feed stays unchanged")
    func curl() async throws {
        let place = try Workplace()
        let environment = try environment(breaking: "libcurl.so.4", in: place)
        let reload = try await place.run("reload things", environment: environment)
        #expect(reload.code == 69)
        #expect(reload.errors.contains("things: libcurl cannot be loaded: "))
        #expect(reload.errors.contains("libcurl.so.4"))
        #expect(reload.errors.contains("\nTry: install libcurl; on Debian: apt-get install libcurl4\n"))
        #expect(place.server.requests.isEmpty)
        let events = try await place.run("events things --json")
        #expect(events.code == 0)
        #expect(events.output.isEmpty)
    }

    @Test(
        "The commands that request nothing run without libcurl",
        arguments: ["--version", "status", "feeds", "presets", "plan", "check"])
    func offline(command: String) async throws {
        let place = try Workplace()
        let environment = try environment(breaking: "libcurl.so.4", in: place)
        let run = try await place.run(command, environment: environment)
        #expect(run.code == 0)
        #expect(run.errors.isEmpty)
    }

    @Test("The error without libpq names its package for a store in PostgreSQL")
    func postgreSQL() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        #expect(try await place.run("reload things").code == 0)
        let environment = try environment(breaking: "libpq.so.5", in: place)
        let run = try await place.run("store copy feedsync.db postgres:///x", environment: environment)
        #expect(run.code == 73)
        #expect(run.errors.contains("libpq cannot be loaded: ") && run.errors.contains("apt-get install libpq5"))
    }

    @Test("The error without libexpat names its package for a feed in XML, and feeds in JSON work")
    func expat() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        place.server.route("/rss") { _ in
            ServerResponse(
                headers: [], body: Array("<rss version='2.0'><channel><item><guid>1</guid></item></channel></rss>".utf8)
            )
        }
        let environment = try environment(breaking: "libexpat.so.1", in: place)
        #expect(try await place.run("reload things", environment: environment).code == 0)
        try place.write("xml.yaml", "feeds: {news: {url: \"\(place.server.url)/rss\", retries: 0}}")
        let run = try await place.run("sync --config xml.yaml", environment: environment)
        #expect(run.errors.contains("libexpat cannot be loaded (Debian's package is libexpat1): "), "\(run.errors)")
    }

    @Test("The error without the web server's library names its package for the demo")
    func server() async throws {
        let place = try Workplace()
        let environment = try environment(breaking: "libmicrohttpd.so.12", in: place)
        let run = try await place.run("demo", environment: environment)
        #expect(run.code == 69)
        #expect(run.errors.contains("libmicrohttpd cannot be loaded (Debian's package is libmicrohttpd12): "))
    }
}
