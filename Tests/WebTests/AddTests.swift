import Editing
import FeedSync
import Foundation
import HTTPServer
import JSON
import ScriptedServer
import TemporaryFolder
import Testing
import Web

@Suite(.timeLimit(.minutes(10))) struct AddTests {
    private func send(_ place: WebPlace, _ target: String, _ fields: [String: String]) async throws -> Reply {
        try await place.send(target, fields)
    }

    /// The states of a form's steps: `+` for valid, `-` for open and not valid, nothing for closed; with the first
    /// problem.
    private func check(_ place: WebPlace, _ fields: [String: String]) async throws -> (marks: String, problem: String) {
        let reply = try await send(place, "/add/check", fields)
        guard case .object(let members)? = reply.json, case .array(let steps)? = members["steps"] else {
            Issue.record("\(reply.body)")
            return ("", "")
        }
        var (marks, problem) = ("", "")
        for case .object(let step) in steps {
            if step["right"]?.json == "true" { marks += "+" } else if step["open"]?.json == "true" { marks += "-" }
            if case .string(let text)? = step["problem"], problem.isEmpty { problem = text }
        }
        return (marks, problem)
    }

    @Test("A step opens only when the one before is right, and each says what is wrong with it")
    func steps() async throws {
        try await WebPlace.servingEditable(environment: ["TOKEN": "x", "EMPTY": ""]) { place in
            let url = "https://api.example.com/things"
            let cases: [(fields: [String: String], marks: String, problem: String)] = [
                ([:], "-", ""), (["source": url], "-", ""),
                (["name": "1st"], "-", "not a letter followed by"), (["name": "things"], "-", "already exists"),
                (["name": "feed"], "-", "table `feed`"), (["name": "THINGS"], "-", "taken by the feed `things`"),
                (["name": "new"], "+-", ""),
                (["name": "new", "source": "ftp://a.example/"], "+-", "http"),
                (["name": "new", "source": "https://"], "+-", "`"),
                (["name": "new", "source": "github.serch"], "+-", "did you mean github.search?"),
                (["name": "new", "source": "https://user:secret@a.example/"], "+-", "a user or password in it"),
                (["name": "new", "source": url], "+++-", ""),
                (["name": "new", "source": "github.search"], "+++-", ""),
                (["name": "new", "source": "github.repo"], "++-", "owner"),
                (["name": "new", "source": "github.repo", "parameters": "owner=a\nrepo=b"], "+++-", ""),
                (
                    ["name": "new", "source": "github.repo", "parameters": "owner=a\nrepoo=b"], "++-",
                    "did you mean repo?"
                ),
                (["name": "new", "source": url, "parameters": "size"], "++-", "unexpected argument: size"),
                (["name": "new", "source": url, "headers": "Accept"], "++-", "`Name: value`"),
                (
                    ["name": "new", "source": url, "headers": "Authorization: Bearer abc"], "++-",
                    "do not type a secret here"
                ),
                (["name": "new", "source": url, "parameters": "api_key=abc"], "++-", "do not type a secret here"),
                (["name": "new", "source": url, "headers": "Authorization: Bearer ${TOKEN}"], "++-", "TOKEN"),
                (
                    ["name": "new", "source": url, "headers": "X: ${file:/nowhere/at/all}"], "++-",
                    "a file is never read"
                ),
                (["name": "new", "source": url, "headers": "X: ${command: id}"], "++-", "command"),
            ]
            for (fields, marks, problem) in cases {
                let found = try await check(place, fields)
                #expect(found.marks == marks, "\(fields): \(found.problem)")
                #expect(
                    problem.isEmpty ? found.problem.isEmpty : found.problem.contains(problem), "\(fields): \(found)")
            }
            #expect(place.upstream.requests.isEmpty)
        }
    }

    @Test(
        "A typed feed reads no file, runs no command, and sends a variable only to a server that has it already"
    )
    func references() async throws {
        let environment = ["TOKEN": "secret-of-the-owner", "OTHER": "another-secret"]
        let header = "headers: {X-Trial: \"${TOKEN}\"}"
        try await WebPlace.servingEditable(extra: header, environment: environment) { place in
            let own = "\(place.upstream.url)/things"
            let foreign = own.replacing("127.0.0.1", with: "localhost")
            let cases: [(fields: [String: String], isTaken: Bool)] = [
                (["source": own, "headers": "X: ${TOKEN}"], true), (["source": own, "parameters": "k=${TOKEN}"], true),
                (["source": foreign, "headers": "X: ${TOKEN}"], false),
                (["source": foreign, "parameters": "k=${TOKEN}"], false), (["source": "\(foreign)?k=${TOKEN}"], false),
                (["source": own, "headers": "X: ${OTHER}"], false),
                (["source": own, "parameters": "k=${OTHER}"], false),
                (["source": own, "headers": "X: ${HOME}"], false), (["source": "http://${TOKEN}/"], false),
                (["source": own, "headers": "X: ${file:/etc/hostname}"], false),
                (["source": own, "parameters": "k=${file:/etc/hostname}"], false),
                (["source": "\(own)?k=${file:/etc/hostname}"], false),
                (["source": own, "headers": "X: ${command: id}"], false),
                (["source": own, "headers": "X: $${TOKEN}"], true),
            ]
            for (fields, isTaken) in cases {
                let before = place.upstream.requests.count
                let all = fields.merging(["name": "new"]) { $1 }
                let look = try await send(place, "/add/look", all)
                #expect((look.status == 200) == isTaken, "\(fields): \(look.status) \(look.body.prefix(300))")
                #expect(isTaken || place.upstream.requests.count == before, "\(fields)")
                guard !isTaken else { continue }
                #expect(try await send(place, "/add", all).status == 422)
            }
        }
    }

    @Test("A typed feed is looked at, written into the configuration as by `add`, and its first page stored")
    func added() async throws {
        try await WebPlace.servingEditable { place in
            let fields = ["name": "new", "source": "\(place.upstream.url)/things", "as": "page"]
            let look = try await send(place, "/add/look", fields)
            #expect(look.status == 200)
            #expect(look.body.contains("data-right=\"true\""))
            #expect(look.body.contains("10 items on the first page"))
            let count = place.upstream.requests.count
            let added = try await send(place, "/add", fields)
            #expect(added.status == 303)
            #expect(added.header("Location") == "/list/new")
            // An examined URL is not examined again.
            #expect(place.upstream.requests.count == count + 1)
            #expect(try await place.ask("/feeds/new/items").list("id").count == 25)
            let text = try String(contentsOfFile: "\(place.folder)/feedsync.yaml", encoding: .utf8)
            #expect(
                text.contains(
                    """
                      new:
                        url: \(place.upstream.url)/things
                        items: items
                        key: id
                        pagination:
                          style: page
                          param: page
                          total: total_count
                          size_param: per_page
                          size: 100
                          first: 1

                    """))
            // A name that is taken by now is told, and nothing is written.
            let again = try await send(place, "/add", fields)
            #expect(again.status == 422)
            #expect(again.body.contains("already exists"))
        }
    }

    @Test("Without scripts the form is one page, which says what is wrong, shows a look, and adds")
    func plain() async throws {
        try await WebPlace.servingEditable { place in
            place.upstream.route("/none") { _ in .json(#"{"message":"hello"}"#) }
            place.upstream.route("/login") { _ in .status(401) }
            let page = try await place.ask("/add")
            #expect(page.body.contains("<fieldset id=\"step-look\""))
            #expect(!page.body.contains("disabled"))
            func fields(_ path: String, _ others: [String: String] = [:]) -> [String: String] {
                ["name": "new", "source": "\(place.upstream.url)\(path)"].merging(others) { $1 }
            }
            for (path, problem) in [("/none", "items"), ("/login", "401"), ("/missing", "404")] {
                let reply = try await send(place, "/add", fields(path))
                #expect(reply.status == 422)
                #expect(reply.body.contains(problem), "\(path)")
                #expect(reply.body.contains("value=\"\(place.upstream.url)\(path)\""))
            }
            let secret = try await send(place, "/add", fields("/things", ["headers": "Authorization: Bearer abcdef"]))
            #expect(secret.status == 422)
            #expect(secret.body.contains("do not type a secret here"))
            #expect(!secret.body.contains("abcdef"))
            let look = try await send(place, "/add", fields("/things", ["do": "look"]))
            #expect(look.status == 200)
            #expect(look.body.contains("certainty certain"))
            #expect(try await place.ask("/feeds/new").status == 404)
            let added = try await send(place, "/add", fields("/things"))
            #expect(added.status == 303)
            #expect(try await place.ask("/feeds/new").status == 200)
        }
    }

    @Test("A typed secret is not written back into the page, in any field")
    func secrets() async throws {
        try await WebPlace.servingEditable { place in
            let (url, secret) = ("http://a.example/things", "hunter2secret")
            let cases: [[String: String]] = [
                ["source": "\(url)?api_key=\(secret)"], ["source": "\(url)?size=1&token=\(secret)"],
                ["source": "http://user:\(secret)@a.example/things"], ["source": "http://\(secret)@a.example"],
                ["source": "a.example/things?api_key=\(secret)"], ["source": "user:\(secret)@a.example/things"],
                ["source": url, "parameters": "size=1\napi_key=\(secret)"],
                ["source": url, "headers": "Authorization: Bearer \(secret)"],
                ["source": url, "headers": "Authorization Bearer \(secret)"],
            ]
            // Also where the step before is not right.
            for (name, fields) in ["new", "", "1st"].flatMap({ name in cases.map { (name, $0) } }) {
                let reply = try await send(place, "/add", fields.merging(["name": name]) { $1 })
                #expect(reply.status == 422)
                #expect(!reply.body.contains(secret), "\(name) \(fields)")
            }
            let filled = try await place.ask("/add?name=new&source=http://a.example/?api_key%3D\(secret)")
            #expect(!filled.body.contains(secret))
            // The other fields stay as they were typed.
            let others = [
                "name": "1st", "source": "\(url)?api_key=${KEY}&size=7", "parameters": "page=2",
                "headers": "Authorization: Bearer ${TOKEN}",
            ]
            let kept = try await send(place, "/add", others)
            for part in ["${KEY}", "size=7", "page=2", "Bearer ${TOKEN}"] {
                #expect(kept.body.contains(part), "\(part)")
            }
        }
    }

    @Test("A later draft of the same page takes the place of an earlier one, whose request is cancelled")
    func latest() async throws {
        try await WebPlace.servingEditable { place in
            let gate = place.upstream.gate()
            place.upstream.route("/slow") { _ in
                gate.wait()
                return .status(500)
            }
            func fields(_ path: String) -> [String: String] {
                ["name": "new", "source": "\(place.upstream.url)\(path)", "as": "a"]
            }
            async let slow = send(place, "/add/look", fields("/slow"))
            await gate.arrived()
            let later = try await send(place, "/add/look", fields("/things"))
            #expect(later.body.contains("data-right=\"true\""))
            #expect(try await slow.status == 204)
            gate.open()
        }
    }

    @Test("A new feed goes on with the items of a removed one only if that is wanted")
    func removed() async throws {
        try await WebPlace.servingEditable { place in
            try await place.perform(.reload)
            try "feeds: {}\n".write(toFile: "\(place.folder)/feedsync.yaml", atomically: true, encoding: .utf8)
            var problem = ""
            // Until the server has seen that the file changed.
            while !problem.contains("the store has 10 items of it") {
                problem = try await check(place, ["name": "things"]).problem
            }
            #expect(try await check(place, ["name": "things", "goes_on": "1"]).marks == "+-")
        }
    }

    @Test("A server that only reads has no form")
    func readOnly() async throws {
        try await WebPlace.servingEditable(change: { $0.isReadOnly = true }) { place in
            #expect(try await place.ask("/add").status == 404)
            #expect(try await send(place, "/add", ["name": "x"]).status == 404)
            let kept = try await send(place, "/search/things/keep", ["name": "x", "q": "item"])
            #expect(kept.status == 404)
            let page = try await place.ask("/")
            #expect(!page.body.contains("/add"))
        }
    }

    @Test("A change needs the page's token")
    func token() async throws {
        try await WebPlace.servingEditable { place in
            for path in ["/add", "/add/check", "/add/look", "/add/demo"] {
                let reply = try await place.ask(path, method: "POST", body: "name=x")
                #expect(reply.status == 403, "\(path)")
            }
        }
    }

    @Test("Without a configuration, the demo's feeds can be added, whose upstream is the server itself")
    func demo() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("feedsync.yaml")
        try await WebPlace.serving(
            change: { settings in
                settings.configuration = { () throws(ConfigurationProblem) in
                    guard FileManager.default.fileExists(atPath: file) else { return nil }
                    do throws(ConfigurationError) { return try Configuration.load(file) } catch {
                        throw ConfigurationProblem(lines: error.diagnostics.map(\.description))
                    }
                }
                settings.storePath = { $0 == nil ? nil : folder.file("feedsync.db") }
                settings.configurationFiles = [file]
                settings.newFeedsFile = { ConfigurationFile(path: file) }
            }
        ) { place in
            let page = try await place.ask("/")
            #expect(page.body.contains("href=\"/add\""))
            #expect(page.body.contains("action=\"/add/demo\""))
            #expect(try await send(place, "/add/demo", [:]).status == 303)
            #expect(try await place.ask("/feeds").list("name") == ["\"repositories\"", "\"anchors\""])
            #expect(try await place.ask("/feeds/repositories/items?limit=1000").list("id").count == 100)
            #expect(try await place.post("/feeds/anchors/more").status == 200)
            let after = try await place.ask("/")
            #expect(!after.body.contains("/add/demo"))
        }
    }
}
