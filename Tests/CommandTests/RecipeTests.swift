import Concurrency
import Foundation
import HTTPServer
import ScriptedServer
import Testing

/// The recipes in Docs/recipes, run as they stand there.
@Suite struct RecipeTests {
    @Test("windows.md's commands print what it says")
    func windows() async throws {
        let day: Int64 = 86_400
        let now = Int64(Date().timeIntervalSince1970)
        let list = TimedList(
            Dictionary(uniqueKeysWithValues: (1...90).map { ($0, now - Int64($0) * day + 60) }), now: now,
            notation: .days)
        let recipe = try Recipe("windows")
        let place = try recipe.place()
        place.server.route("/v1/orders") { request in
            let answer = list.answer(request)
            return answer.status == 200
                ? .json("{\"orders\":\(String(decoding: answer.body, as: UTF8.self))}") : answer
        }
        try await recipe.expectAsWritten(at: place)
    }

    @Test("deltas.md's commands print what it says, and each of its definitions can be read")
    func deltas() async throws {
        let list = ChangeLogList(.parameter, items: 25)
        let recipe = try Recipe("deltas")
        let place = try recipe.place()
        place.server.route("/calendar/events") { list.answer($0, at: place.server.url) }
        try await recipe.expectAsWritten(at: place) {
            list.edit { state in
                state.set(3, "three")
                state.remove(7)
                state.set(99, "new")
            }
        }
        try place.write("all.yaml", "feeds:\n" + recipe.blocks("yaml").dropFirst().joined())
        let check = try await place.run("check --config all.yaml")
        #expect(check.code == 0, "\(check.errors)")
    }

    @Test("sign-in.md's commands print what it says, and each of its definitions can be read")
    func signIn() async throws {
        let recipe = try Recipe("sign-in")
        let place = try recipe.place()
        let server = place.server
        server.route("/oauth/token") { request in
            let body = String(decoding: request.body, as: UTF8.self)
            let number = server.requests(for: "/oauth/token").count
            let isRight = body == "grant_type=refresh_token&refresh_token=first" && number == 1
            return .json(
                #"{"access_token":"a-\#(number)","refresh_token":"r-\#(number)"}"#, status: isRight ? 200 : 400)
        }
        server.route("/notes") { request in
            let isFirst = request.parameter("page") == nil
            let items = (isFirst ? 1...20 : 21...25).map { "{\"id\":\($0)}" }.joined(separator: ",")
            guard request.header("Authorization") == "Bearer a-1" else { return .status(401) }
            return .json(#"{"notes":[\#(items)]\#(isFirst ? #","next_page":2"# : "")}"#)
        }
        try await recipe.expectAsWritten(at: place)
        for (number, block) in recipe.blocks("yaml").dropFirst().enumerated() {
            try place.write("\(number).yaml", "feeds:\n  x:\n    url: https://a.example/x\n    key: id\n\(block)")
            let check = try await place.run("check --config \(number).yaml")
            #expect(check.code == 0, "\(check.errors)")
        }
    }

    @Test("openapi.md's commands print what it says")
    func openAPI() async throws {
        let recipe = try Recipe("openapi")
        let place = try recipe.place(named: "openapi.yaml")
        let archive = try #require(recipe.blocks("json").first)
        try place.write("browser.har", archive.replacing(Recipe.host, with: place.server.url))
        place.server.route("/v1/visits") { request in
            let names = request.query.map { "\($0.name)=\($0.value)" }.sorted().joined(separator: "&")
            guard request.header("Authorization") == "Bearer 6f1c" else { return .status(401) }
            switch names {
            case "clinic=3&page=1": return .json(#"{"visits":[{"id":1,"pet":"1-1"},{"id":2,"pet":"2-1"}]}"#)
            case "clinic=3&page=2": return .json(#"{"visits":[{"id":3,"pet":"2-2"}]}"#)
            default: return .json(#"{"visits":[]}"#)
            }
        }
        place.server.route("/v1/owners") { request in
            guard request.header("X-Api-Key") == "secret" else { return .status(401) }
            let (page, size) = (Int(request.parameter("page") ?? "") ?? 1, Int(request.parameter("limit") ?? "") ?? 10)
            let ids = (1...120).dropFirst((page - 1) * size).prefix(size)
            return .json("[\(ids.map { "{\"id\":\($0),\"name\":\"owner \($0)\"}" }.joined(separator: ","))]")
        }
        for owner in 1...120 {
            place.server.route("/v1/owners/\(owner)/pets") { request in
                let isFirst = request.parameter("pageToken") == nil
                let pets = owner > 2 ? [] : isFirst ? [1, 2] : [3]
                let items = pets.map { "{\"id\":\"\(owner)-\($0)\",\"name\":\"pet \($0)\"}" }.joined(separator: ",")
                let next = isFirst && owner <= 2 ? #","nextPageToken":"t""# : ""
                return .json("{\"pets\":[\(items)]\(next)}")
            }
        }
        try await recipe.expectAsWritten(at: place)
    }

    @Test("xml.md's commands print what it says, and its other lists are read, too")
    func xml() async throws {
        let recipe = try Recipe("xml")
        let place = try recipe.place()
        place.server.route("/bucket") { request in
            guard request.parameter("list-type") == "2" else { return .status(400) }
            let isFirst = request.parameter("continuation-token") == nil
            let objects = (isFirst ? 1...20 : 21...25).map { number in
                let key = String(format: "a/%02d.txt", number)
                let day = String(format: "%02d", number)
                return
                    "<Contents><Key>\(key)</Key><LastModified>2026-11-\(day)T12:00:00.000Z</LastModified><Size>\(number * 100)</Size></Contents>"
            }.joined()
            let next = isFirst ? "<NextContinuationToken>1/x+y=</NextContinuationToken>" : ""
            guard isFirst || request.parameter("continuation-token") == "1/x+y=" else { return .status(400) }
            return .xml(
                "<ListBucketResult xmlns='http://s3.amazonaws.com/doc/2006-03-01/'><IsTruncated>\(isFirst)</IsTruncated>\(objects)\(next)</ListBucketResult>"
            )
        }
        try await recipe.expectAsWritten(at: place)

        place.server.route("/oai") { request in
            let token = request.parameter("resumptionToken")
            let names = request.query.map(\.name).sorted()
            // As the protocol has it: the token is an exclusive argument.
            guard names == (token == nil ? ["metadataPrefix", "verb"] : ["resumptionToken", "verb"]) else {
                return .xml("<OAI-PMH><error code='badArgument'/></OAI-PMH>")
            }
            let page = Int(token ?? "1") ?? 1
            let records = (page * 10 - 9...page * 10).map { number in
                let status = number == 7 ? " status='deleted'" : ""
                return """
                    <record><header\(status)><identifier>oai:\(number)</identifier><datestamp>2026-11-01</datestamp></header>
                    <metadata><oai_dc:dc xmlns:oai_dc='urn:dc'><dc:title xmlns:dc='urn:d'>Book \(number)</dc:title></oai_dc:dc></metadata></record>
                    """
            }.joined()
            let next = page < 3 ? "\(page + 1)" : ""
            return .xml(
                "<OAI-PMH><ListRecords>\(records)<resumptionToken cursor='\(page * 10 - 10)'>\(next)</resumptionToken></ListRecords></OAI-PMH>"
            )
        }
        place.server.route("/sitemap.xml") { _ in .xml("<urlset><url><loc>https://a.example/</loc></url></urlset>") }
        let others = recipe.blocks("yaml").dropFirst().joined()
            .replacing("https://library.example.org", with: place.server.url)
            .replacing("https://www.example.org", with: place.server.url)
        try place.write("others.yaml", "feeds:\n\(others)")
        let sync = try await place.run("--config others.yaml --store others.db sync --quiet")
        #expect(sync.code == 0, "\(sync.errors)")
        let queries = ["SELECT count(*), count(_removed_at), min(title) FROM records", "SELECT loc FROM pages"]
        let asked = queries.map { "\"$FEEDSYNC\" --store others.db sql '\($0)'" }.joined(separator: " && ")
        let rows = try await place.shell(asked)
        #expect(
            rows.output
                == "count(*)\tcount(_removed_at)\tmin(title)\n29\t0\tBook 1\nloc\nhttps://a.example/\n", "\(rows)")
    }
}

extension ServerResponse {
    fileprivate static func xml(_ text: String) -> ServerResponse {
        ServerResponse(status: 200, headers: [("Content-Type", "application/xml")], body: Array(text.utf8))
    }
}

/// A page of Docs/recipes: its first block of YAML is the configuration, its sessions are typed one after the other.
private struct Recipe {
    private let text: String

    init(_ name: String) throws {
        text = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(
                path: "../../Docs/recipes/\(name).md"), encoding: .utf8)
    }

    /// The host of a recipe, whose part the test's server plays.
    static let host = "https://api.example.com"

    /// A folder with the recipe's first block of YAML, its configuration, whose host is the test's server.
    func place(named file: String = "feedsync.yaml") throws -> Workplace {
        let place = try Workplace.empty()
        let yaml = try #require(blocks("yaml").first)
        try place.write(file, yaml.replacing(Self.host, with: place.server.url))
        return place
    }

    /// Runs each session, and expects what it prints; `change` is called between two of them.
    func expectAsWritten(at place: Workplace, change: () -> Void = {}) async throws {
        let sessions = blocks("console")
        try #require(!sessions.isEmpty)
        for session in sessions {
            var printed = ""
            for line in session.split(separator: "\n") where line.hasPrefix("$ ") {
                let run = try await place.shell("feedsync() { \"$FEEDSYNC\" \"$@\"; }; \(line.dropFirst(2))")
                let told = (run.output + run.errors).replacing(place.server.url, with: Self.host)
                printed += "\(line)\n\(told)"
            }
            #expect(printed == session)
            change()
        }
    }

    /// The contents of the page's fenced blocks of a language.
    func blocks(_ language: String) -> [String] {
        text.components(separatedBy: "```\(language)\n").dropFirst().map {
            String($0.components(separatedBy: "```")[0])
        }
    }
}
