import Foundation
import HTTPServer
import ScriptedServer
import Testing

@Suite("The response at which a run failed")
struct FailedResponseTests {
    @Test("The failed response is shown by explain --response: status, header, body, and the error")
    func shown() async throws {
        let place = try Workplace()
        let none = try await place.run("explain things --response")
        #expect(none.code == 0)
        #expect(none.output.isEmpty)
        #expect(none.errors.contains("no run of things failed at a response"))
        place.server.enqueue("/things", [.html("<html><title>Sign in</title>\n<p>please</p></html>\n")])
        #expect(try await place.run("reload things").code == 65)
        let run = try await place.run("explain things --response")
        #expect(run.code == 0)
        let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines[0].contains(", run 1: expected JSON, but got HTML with the title \"Sign in\""))
        #expect(lines.contains("200 OK, from \(place.server.url)/things?per_page=100&page=1"))
        #expect(lines.contains("Content-Type: text/html; charset=utf-8"))
        #expect(run.output.hasSuffix("\n\n<html><title>Sign in</title>\n<p>please</p></html>\n"))
    }

    @Test("The newest one is kept, whatever its status, also when the feed does well again")
    func newest() async throws {
        let place = try Workplace()
        place.server.enqueue(
            "/things",
            [
                .json("[1,2]"), .json(#"{"message":"no such list"}"#, status: 404),
                .json(#"{"items":[{"id":1}]}"#),
            ])
        for code: Int32 in [65, 69, 0] { #expect(try await place.run("reload things").code == code) }
        let run = try await place.run("explain things --response --json")
        let list = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]]
        let document = list?.first
        #expect(document?["http_status"] as? Int == 404)
        #expect(document?["body"] as? String == #"{"message":"no such list"}"#)
        #expect(document?["run"] as? Int == 2)
        #expect((document?["error"] as? [String: Any])?["kind"] as? String == "rejected")
    }

    @Test("A failure without a response leaves the one that is kept, and remove --data drops it")
    func dropped() async throws {
        let place = try Workplace()
        place.server.enqueue("/things", [.json("[1,2]"), ServerResponse(delivery: .reset)])
        #expect(try await place.run("reload things").code == 65)
        #expect(try await place.run("reload things").code == 69)
        #expect(try await place.run("explain things --response").output.hasSuffix("\n[1,2]\n"))
        #expect(try await place.run("remove things --data --yes").code == 0)
        #expect(try place.query("SELECT count(*) FROM _response") == ["0"])
    }

    @Test("Of a body 64 KiB are kept, secrets masked also where it is cut; the header's, too")
    func bounded() async throws {
        let place = try Workplace(extra: #"auth: {bearer: "${TOKEN}"}"#)
        let secret = "S3cret-Value-9"
        // The secret lies across the place of the cut.
        let body = "{" + String(repeating: "x", count: 65_525 - secret.utf8.count) + secret + " and " + secret + secret
        place.server.enqueue(
            "/things",
            [.json(body, headers: [(name: "Set-Cookie", value: "a=Cookie-1"), (name: "X-Echo", value: secret)])])
        #expect(try await place.run("reload things", environment: ["TOKEN": secret]).code == 65)
        let run = try await place.run("explain things --response", environment: ["TOKEN": secret])
        #expect(run.output.contains("*** and ***"), "\(run.output.suffix(100))")
        #expect(run.output.contains("Set-Cookie: ***\n") && run.output.contains("X-Echo: ***\n"))
        #expect(run.errors.contains("note: the first 65 kB of 65 kB"), "\(run.errors)")
        let stored = try place.query("SELECT body || headers || error || url FROM _response").joined()
        for part in ["S3cret", "Value-9", "Cookie-1"] { #expect(!stored.contains(part) && !run.output.contains(part)) }
    }

    @Test("A page in a format that cannot be read, and one whose items are not found, are kept")
    func others() async throws {
        let place = try Workplace(["csv", "open"])
        try place.write(
            "feedsync.yaml",
            """
            feeds:
              csv: {url: "\(place.server.url)/csv", format: csv, key: id}
              open: {url: "\(place.server.url)/open"}
            """)
        place.server.enqueue("/csv", [.json("id,\"name\n1,\"x")])
        place.server.enqueue("/open", [.json(#"{"about":"nothing"}"#)])
        for feed in ["csv", "open"] {
            let run = try await place.run("reload \(feed)")
            #expect(run.code == 65 || run.code == 78, "\(run.errors)")
            #expect(try place.query("SELECT http_status FROM _response WHERE feed = '\(feed)'") == ["200"])
        }
    }
}
