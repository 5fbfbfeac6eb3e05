import Concurrency
import HTTPServer
import ScriptedServer
import Testing

@Suite("Feeds that are not JSON")
struct FormatTests {
    private func response(_ text: String, _ type: String, etag: String? = nil) -> ServerResponse {
        var headers = [(name: "Content-Type", value: type)]
        if let etag { headers.append((name: "ETag", value: etag)) }
        return ServerResponse(status: 200, headers: headers, body: Array(text.utf8))
    }

    @Test("A table in CSV is added by its URL, and mirrored; a broken one changes nothing")
    func table() async throws {
        let place = try Workplace.empty()
        place.server.enqueue(
            "/things",
            [response("id;name\r\n1;\"one; two\"\r\n2;\r\n", "text/csv")])
        let run = try await place.run("add things \(place.server.url)/things")
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.hasPrefix("format      csv\n            certain: the body is CSV with a header line\n"))
        #expect(try place.text(of: "feedsync.yaml").contains("    format: csv\n"))
        #expect(try await place.run("sync things").code == 0)
        #expect(try place.query("SELECT id || coalesce(name, '-') FROM things ORDER BY id") == ["1one; two", "2-"])
        place.server.enqueue("/things", [response("id;name\n1;x\n2;y;z\n", "text/csv")])
        let broken = try await place.run("reload things")
        #expect(broken.code == 65)
        #expect(broken.errors.contains("in line 3: it has more fields than the header, which has 2"))
        #expect(try place.query("SELECT id || coalesce(name, '-') FROM things ORDER BY id") == ["1one; two", "2-"])
        try place.expectSound()
    }

    @Test("One JSON value per line is read page by page; column types make numbers of a table's texts")
    func lines() async throws {
        let place = try Workplace.empty()
        place.server.enqueue(
            "/lines", [response("{\"id\":1,\"n\":1}\n\n{\"id\":2,\"n\":2}\n", "application/x-ndjson")])
        place.server.enqueue("/table", [response("id,n\n1,07\n2,8\n", "text/csv")])
        try place.write(
            "feedsync.yaml",
            """
            feeds:
              lines: {url: "\(place.server.url)/lines"}
              table:
                url: \(place.server.url)/table
                format: csv
                key: id
                columns: {id: {path: id, type: integer}, n: {path: n, type: integer}}

            """)
        let run = try await place.run("sync")
        #expect(run.code == 0, "\(run.errors)")
        #expect(try place.query("SELECT typeof(n) || n FROM lines ORDER BY id") == ["integer1", "integer2"])
        #expect(try place.query("SELECT typeof(n) || n FROM 'table' ORDER BY id") == ["integer7", "integer8"])
        #expect(try await place.run("explain lines").output.contains("format: ndjson"))
        try place.write("feedsync.yaml", "feeds:\n  lines: {url: \"http://x\", format: cvs}\n")
        let check = try await place.run("check")
        #expect(check.code == 78 && check.errors.contains("unknown value `cvs` of `format`"))
    }
}

extension FormatTests {
    @Test("A page without a line is the end of a feed of lines")
    func noLines() async throws {
        let place = try Workplace.empty()
        place.server.route("/lines") { request in
            let isFirst = request.parameter("page") ?? "1" == "1"
            return response(isFirst ? "{\"id\":1}\n{\"id\":2}\n" : "", "application/x-ndjson")
        }
        let members = "format: ndjson, key: id, pagination: {style: page}"
        try place.write("feedsync.yaml", "feeds: {lines: {url: \"\(place.server.url)/lines\", \(members)}}\n")
        let run = try await place.run("sync")
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.contains("2 items, fresh"))
    }

    private func atom(_ ids: ClosedRange<Int>, next: String? = nil, title: String = "t") -> String {
        let entries = ids.map {
            "<entry><id>urn:\($0)</id><title>\(title)\($0)</title><updated>2026-01-01T00:00:0\($0)Z</updated></entry>"
        }
        return "<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title>"
            + (next.map { "<link rel='next' href='\($0)'/>" } ?? "") + entries.joined() + "</feed>"
    }

    @Test("An Atom feed is added by its URL, read to its last page, and asked for conditionally after that")
    func atomFeed() async throws {
        let place = try Workplace.empty()
        let type = "application/atom+xml"
        let first = Lock(response(atom(4...6, next: "/blog?page=2"), type, etag: "\"a\""))
        place.server.route("/blog") { request in
            guard request.parameter("page") == nil else {
                return ServerResponse(
                    headers: [(name: "Content-Type", value: type)], body: Array(atom(1...3).utf8))
            }
            let response = first.withLock { $0 }
            let etag = response.headers.first { $0.name == "ETag" }?.value
            return request.header("If-None-Match") == etag ? .status(304) : response
        }
        let run = try await place.run("add blog \(place.server.url)/blog")
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.contains("format      atom\n"))
        let file = try place.text(of: "feedsync.yaml")
        #expect(file.contains("    preset: atom\n    url: \(place.server.url)/blog\n"))
        #expect(try await place.run("sync blog").code == 0)
        let titles = "SELECT title FROM blog ORDER BY id"
        #expect(try place.query(titles) == ["t1", "t2", "t3", "t4", "t5", "t6"])
        let before = place.server.requests.count
        #expect(try await place.run("reload blog").code == 0)
        #expect(place.server.requests.count == before + 1)
        #expect(place.server.requests.last?.header("If-None-Match") == "\"a\"")
        first.withLock { $0 = response(atom(4...7, next: "/blog?page=2", title: "new"), type, etag: "\"b\"") }
        #expect(try await place.run("sync blog").code == 0)
        #expect(try place.query(titles) == ["t1", "t2", "t3", "new4", "new5", "new6", "new7"])
        first.withLock { $0 = response("<html><title>Log in</title></html>", "text/html") }
        let broken = try await place.run("reload blog")
        #expect(broken.code == 65 && broken.errors.contains("it is HTML"))
        #expect(try place.query(titles).count == 7)
        try place.expectSound("blog")
    }
}

extension FormatTests {
    @Test("Lists of texts and of rows are added by their URL, and stored")
    func plainLists() async throws {
        let place = try Workplace.empty()
        place.server.route("/words") { _ in .json(#"["one","two"]"#) }
        place.server.route("/states") { _ in .json(#"[["name","pop"],["Alabama","477"],["Alaska","71"]]"#) }
        place.server.route("/candles") { _ in .json(#"{"result":[[1,5.5],[2,6.5]]}"#) }
        for name in ["words", "states"] {
            let run = try await place.run("add \(name) \(place.server.url)/\(name)")
            #expect(run.code == 0, "\(run.errors)")
        }
        let file = try place.text(of: "feedsync.yaml")
        try place.write(
            "feedsync.yaml",
            file
                + "  candles: {url: \"\(place.server.url)/candles\", items: result, key: time, columns: [time, price]}\n"
        )
        let run = try await place.run("sync")
        #expect(run.code == 0, "\(run.errors)")
        #expect(try place.query("SELECT position || value FROM words ORDER BY position") == ["0one", "1two"])
        #expect(try place.query("SELECT name || pop FROM states ORDER BY name") == ["Alabama477", "Alaska71"])
        #expect(try place.query("SELECT time || ' ' || price FROM candles ORDER BY time") == ["1 5.5", "2 6.5"])
    }

    @Test("A stream of events is ended after so many, and removes nothing")
    func eventStream() async throws {
        let place = try Workplace.empty()
        let gate = Gate()
        let next = Lock(1)
        place.server.route("/events") { _ in
            let first = next.withLock { first in
                defer { first += 3 }
                return first
            }
            let text = (first..<first + 3).map { "id: \($0)\ndata: {\"n\":\($0)}\n\n" }.joined()
            return ServerResponse(
                status: 200, headers: [("Content-Type", "text/event-stream")], body: Array("\(text): more\n".utf8),
                delivery: .paused(after: text.utf8.count) { gate.wait() })
        }
        defer { gate.open() }
        try place.write(
            "feedsync.yaml",
            "feeds: {events: {url: \"\(place.server.url)/events\", format: sse, key: id, stream: {count: 3, time: 1h}}}\n"
        )
        for _ in 1...2 {
            let run = try await place.run("sync events")
            #expect(run.code == 0, "\(run.errors)")
        }
        #expect(
            try place.query("SELECT count(*) || ' ' || max(data_n) FROM events WHERE _removed_at IS NULL") == ["6 6"])
        #expect(try place.query("SELECT DISTINCT reason FROM run") == ["upstream_incomplete"])
    }
}
