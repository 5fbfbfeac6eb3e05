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
}

/// A page of Docs/recipes: its first block of YAML is the configuration, its sessions are typed one after the other.
private struct Recipe {
    private let text: String

    init(_ name: String) throws {
        text = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(
                path: "../../Docs/recipes/\(name).md"), encoding: .utf8)
    }

    /// A folder with the recipe's configuration, whose host is the test's server.
    func place() throws -> Workplace {
        let place = try Workplace([])
        let yaml = try #require(blocks("yaml").first)
        try place.write("feedsync.yaml", yaml.replacing("https://api.example.com", with: place.server.url))
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
                printed += "\(line)\n\(run.output)\(run.errors)"
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
