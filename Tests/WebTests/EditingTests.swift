import Editing
import FeedSync
import Foundation
import HTTPServer
import JSON
import ScriptedServer
import Testing

@testable import Web

/// Feeds that are paused, renamed, edited and removed over HTTP.
@Suite(.timeLimit(.minutes(10))) struct EditingTests {
    private static let html = ["Accept": "text/html"]

    @Test("A paused feed is not due, and resuming gives the configuration back as it was")
    func pause() async throws {
        try await WebPlace.servingEditable(extra: "# mine") { place in
            try await place.perform(.sync)
            let before = try place.configuration
            let paused = try await place.send("/feeds/things/pause")
            #expect(paused.status == 200 && paused.member("name") == "\"things\"")
            #expect(try place.configuration.contains("    paused: true\n"))
            #expect(try await place.ask("/metrics").body.contains("feedsync_due{feed=\"things\"} 0"))
            #expect(try await place.ask("/status", headers: Self.html).body.contains(">paused<"))
            #expect(try await place.send("/feeds/things/pause").status == 200)
            #expect(try await place.send("/feeds/things/sync").member("outcome") == "\"unchanged\"")
            #expect(try await place.send("/feeds/things/resume").status == 200)
            #expect(try place.configuration == before)
        }
    }

    @Test("A renamed feed keeps its items, and a name that cannot be is refused with the reason")
    func rename() async throws {
        try await WebPlace.servingEditable { place in
            try await place.perform(.sync)
            for (name, status) in [("", 422), ("things", 422), ("7up", 422), ("event", 422)] {
                let before = try place.configuration
                let reply = try await place.send("/feeds/things/rename", ["name": name])
                #expect(reply.status == status, "\(name): \(reply.body)")
                #expect(reply.header("Content-Type") == "application/problem+json")
                #expect(try place.configuration == before)
            }
            let reply = try await place.send("/feeds/things/rename", ["name": "others"])
            #expect(reply.status == 200 && reply.member("name") == "\"others\"", "\(reply.body)")
            #expect(try place.configuration.contains("  others:\n"))
            #expect(try await place.ask("/feeds/others/items?limit=1000").list("id").count == 25)
            #expect(try await place.ask("/feeds/things").status == 404)
            #expect(try await place.send("/feeds/others/sync").member("outcome") == "\"unchanged\"")
        }
    }

    @Test("A removed feed keeps its items, and the undo gives back the very lines")
    func remove() async throws {
        try await WebPlace.servingEditable(extra: "every: 1h  # mine") { place in
            try await place.perform(.sync)
            let before = try place.configuration
            let state = "/list/things/state"
            #expect(try await place.ask(state, headers: Self.html).body.contains(" data-commands=\"true\""))
            let removed = try await place.send("/feeds/things/remove")
            #expect(removed.member("item_count") == "25")
            #expect(!(try await place.ask(state, headers: Self.html).body.contains("data-commands")))
            #expect(!(try place.configuration.contains("things")))
            #expect(try await place.send("/feeds/things/reload").status == 409)
            let overview = try await place.ask("/?removed=things", headers: Self.html).body
            #expect(overview.contains("things was removed") && overview.contains("Undo the removal"))
            #expect(overview.contains("Not in the configuration any more.") && overview.contains(">1 removed<"))
            let list = try await place.ask("/list/things", headers: Self.html).body
            #expect(list.contains("state removed") && list.contains("Not in the configuration any more."))
            #expect(!list.contains("fresh"))
            #expect(try await place.ask("/settings/things", headers: Self.html).body.contains("Undo the removal"))
            #expect(try await place.send("/feeds/things/restore").status == 200)
            #expect(try place.configuration == before)
            #expect(try await place.send("/feeds/things/restore").status == 422)
            #expect(try await place.ask("/feeds/things/items?limit=1000").list("id").count == 25)
            #expect(try await place.send("/feeds/nothing/restore").status == 404)
        }
    }

    @Test("A removal is undone beside what was added since")
    func restoreBesideOthers() async throws {
        try await WebPlace.servingEditable { place in
            _ = try await place.send("/feeds/things/remove")
            let other = "feeds:\n  other: {url: \"\(place.upstream.url)/things\", key: id}\n"
            try other.write(toFile: "\(place.folder)/feedsync.yaml", atomically: true, encoding: .utf8)
            #expect(try await place.send("/feeds/things/restore").status == 200)
            #expect(try await place.ask("/feeds").list("name").sorted() == ["\"other\"", "\"things\""])
        }
    }

    @Test("A definition is checked, shown as a difference, and written with every other byte kept")
    func edit() async throws {
        let extra = "every: 1h  # mine\n  other: {url: \"http://127.0.0.1:1/\", key: id}"
        try await WebPlace.servingEditable(extra: extra) { place in
            let before = try place.configuration
            let source = try await place.ask("/feeds/things/definition")
            #expect(source.header("Content-Type") == "text/yaml; charset=utf-8")
            #expect(source.body.hasPrefix("things:\n  url: ") && source.body.hasSuffix("every: 1h  # mine\n"))
            let new = source.body.replacing("every: 1h", with: "every: 2h")
            let checked = try await place.send("/feeds/things/definition", ["text": new])
            #expect(checked.member("is_written") == "false", "\(checked.body)")
            #expect(checked.body.contains(#"-   every: 1h  # mine\n+   every: 2h  # mine\n"#))
            #expect(try place.configuration == before)
            // Forms send line breaks of their own.
            let form = ["text": new.replacing("\n", with: "\r\n"), "do": "write"]
            let written = try await place.send("/feeds/things/definition", form)
            #expect(written.member("is_written") == "true", "\(written.body)")
            #expect(try place.configuration == before.replacing("every: 1h", with: "every: 2h"))
            let late = try await place.send("/feeds/things/definition", form.merging(["base": "\"x\""]) { $1 })
            #expect(late.status == 422 && late.body.contains("changed meanwhile"))
        }
    }

    @Test("A definition that the feed cannot have is refused with the reason, and nothing is written")
    func wrongDefinitions() async throws {
        try await WebPlace.servingEditable { place in
            let before = try place.configuration
            let source = try await place.ask("/feeds/things/definition").body
            for (text, problem) in [
                ("", "must begin with `things:`"), ("other: {url: x}", "must begin with `things:`"),
                (source.replacing("retries: 0", with: "retrys: 0"), "did you mean `retries`?"),
                (source.replacing("retries: 0", with: "retries: many"), "retries"), (source + "  - x\n", ""),
                (source.replacing("http://", with: "ftp://"), "http"),
            ] {
                let reply = try await place.send("/feeds/things/definition", ["text": text, "do": "write"])
                #expect(reply.status == 422, "\(text)")
                #expect(problem.isEmpty || reply.body.contains(problem), "\(reply.body)")
            }
            #expect(try place.configuration == before)
        }
    }

    @Test("An edited definition names no file, command, further variable or program, and leads no credential elsewhere")
    func references() async throws {
        let extra = """
            auth: {bearer: "${file:secret}"}
                headers: {X-Trial: "${TOKEN}"}
            """
        let environment = ["TOKEN": "x", "OTHER": "y", "HOME": "/root"]
        try await WebPlace.servingEditable(extra: extra, environment: environment) { place in
            let source = try await place.ask("/feeds/things/definition").body
            #expect(source.contains("${file:secret}"))
            let isTaken: [(String, Bool)] = [
                (source + "  every: 1h\n", true), (source + "  query: {k: \"${TOKEN}\"}\n", true),
                (source.replacing("X-Trial", with: "X-Other"), true),
                (source + "  query: {k: \"${OTHER}\"}\n", false),
                (source + "  query: {k: \"${file:/etc/hostname}\"}\n", false),
                (source + "  query: {k: \"${command: id}\"}\n", false),
                (source.replacing("127.0.0.1", with: "localhost"), false),
                (source.replacing("${file:secret}", with: "${file:other}"), false),
                (
                    source.replacing(
                        "auth: {bearer: \"${file:secret}\"}", with: "auth: {header: {X: \"${file:secret}\"}}"), false
                ),
                (source.replacing("auth: {bearer: \"${file:secret}\"}\n", with: "retries: 0\n"), false),
                (source + "  proxy: http://localhost:1\n", false), (source + "  ca: /etc/passwd\n", false),
                (source + "  client_certificate: /etc/passwd\n", false),
                (source + "  on_change: {exec: [id]}\n", false),
                (source + "  on_change: {webhook: \"http://localhost:1/\"}\n", false),
            ]
            for (text, isTaken) in isTaken {
                let reply = try await place.send("/feeds/things/definition", ["text": text])
                #expect(reply.status == (isTaken ? 200 : 422), "\(text): \(reply.body)")
            }
            #expect(place.upstream.requests.isEmpty)
        }
    }

    @Test("A definition with a credential written out is shown to nobody, and the page says so")
    func literalCredential() async throws {
        try await WebPlace.servingEditable(extra: "auth: {bearer: secret-of-the-owner}") { place in
            for target in ["/feeds/things/definition", "/settings/things"] {
                let reply = try await place.ask(target, headers: Self.html)
                #expect(!reply.body.contains("secret-of-the-owner"))
                #expect(reply.body.contains("credential is written out"))
            }
            let reply = try await place.send("/feeds/things/definition", ["text": "things: {url: x}", "do": "write"])
            #expect(reply.status == 422 && !reply.body.contains("secret-of-the-owner"))
        }
    }

    @Test(
        "A feed is changed only by those who may, and the page says why others may not",
        arguments: [(true, true, "read-only"), (false, false, "changes no configuration")])
    func obstacles(isReadOnly: Bool, mayAdd: Bool, reason: String) async throws {
        try await WebPlace.servingEditable(change: { settings in
            settings.isReadOnly = isReadOnly
            if !mayAdd { settings.newFeedsFile = nil }
        }) { place in
            let before = try place.configuration
            for action in ["pause", "resume", "rename", "definition", "remove", "restore"] {
                let reply = try await place.send("/feeds/things/\(action)", ["name": "x", "text": "things: {}"])
                #expect(reply.status == 403, "\(action)")
            }
            let page = try await place.ask("/settings/things", headers: Self.html)
            #expect(page.status == 200 && page.body.contains(reason))
            #expect(!page.body.contains("<textarea") && !page.body.contains("Remove the feed"))
            #expect(try await place.ask("/feeds/things/definition").status == 403)
            #expect(try place.configuration == before)
        }
    }

    @Test("A page says why a stranger, a list of a feed and a removed feed can change nothing")
    func reasons() async throws {
        try await WebPlace.servingEditable(change: { settings in
            settings.access.token = { "0123456789abcdef" }
            settings.access.wrongTokenPause = .zero
        }) { place in
            try await place.perform(.sync)
            let page = try await place.ask("/settings/things", headers: Self.html)
            #expect(page.status == 200 && page.body.contains("Sign in to change this feed."))
            for text in ["<textarea", "Remove the feed", "Rename", "Pause", "Sync now"] {
                #expect(!page.body.contains(text), "\(text)")
            }
            let lines = try await place.ask("/feeds/things/definition")
            #expect(lines.status == 401 && lines.body.contains("Authorization: Bearer TOKEN"))
            let referer = ["Referer": "http://127.0.0.1:\(place.port)/settings/things"]
            #expect(
                try await place.ask("/login", headers: referer).body.contains("name=\"to\" value=\"/settings/things\""))
            let foreign = ["Referer": "http://evil.example/settings/things"]
            #expect(!(try await place.ask("/login", headers: foreign).body.contains("name=\"to\"")))
            let token = ["Authorization": "Bearer 0123456789abcdef"]
            #expect(try await place.ask("/feeds/things/definition", headers: token).status == 200)
            let removed = try await place.ask("/feeds/things/remove", method: "POST", headers: token)
            #expect(removed.status == 200)
            let orphan = try await place.ask("/settings/things", headers: Self.html.merging(token) { $1 })
            #expect(orphan.body.contains("Not in the configuration any more."))
            #expect(!orphan.body.contains("<textarea") && orphan.body.contains("Undo the removal"))
            let stranger = try await place.ask("/settings/things", headers: Self.html)
            #expect(stranger.body.contains("Not in the configuration any more."))
            #expect(!stranger.body.contains("Sign in to change"))
        }
    }

    @Test("The forms of the page lead on to it, and show what was typed where that cannot be used")
    func forms() async throws {
        try await WebPlace.servingEditable { place in
            try await place.perform(.sync)
            let token = try await place.token()
            let page = try await place.ask("/settings/things", headers: Self.html).body
            for text in ["Sync now", "Pause", "Rename", "Remove the feed", "things:\n  url: ", "format=ndjson"] {
                #expect(page.contains(text), "\(text)")
            }
            func send(_ action: String, _ fields: [String: String] = [:]) async throws -> Reply {
                let all = fields.merging(["token": token]) { $1 }
                return try await place.send("/feeds/things/\(action)", all, headers: Self.html)
            }
            #expect(try await send("pause").header("Location") == "/settings/things")
            #expect(try await place.ask("/settings/things", headers: Self.html).body.contains("Resume"))
            #expect(try await send("resume").status == 303)
            let refused = try await send("rename", ["name": "7up"])
            #expect(refused.status == 422 && refused.body.contains("value=\"7up\""))
            #expect(refused.body.contains("class=\"notice\""))
            let lines = try await send("definition", ["text": "things:\r\n  urll: x\r\n"])
            #expect(lines.body.contains("things:\n  urll: x") && !lines.body.contains("\u{FFFD}"))
            let text = "things: {url: \"\(place.upstream.url)/things\", key: id}"
            let checked = try await send("definition", ["text": text])
            #expect(checked.status == 200 && checked.body.contains("<ins>+ things: {url:"))
            #expect(checked.body.contains("value=\"write\""))
            #expect(
                try await send("definition", ["text": text, "do": "write"]).header("Location") == "/settings/things")
            #expect(try place.configuration.contains(text))
            #expect(try await send("remove").header("Location") == "/?removed=things")
            #expect(try await send("restore").header("Location") == "/list/things")
        }
    }

    @Test(
        "The difference of two texts has the lines of both, in their order",
        arguments: [
            ("a\nb\nc", "a\nc", "  a\n- b\n  c\n"), ("a", "a\n\n", "  a\n"), ("", "a", "+ a\n"),
            ("a\r\nb", "a\nx\nb", "  a\n+ x\n  b\n"), ("a\nb", "c\nd", "- a\n- b\n+ c\n+ d\n"), ("", "", ""),
        ])
    func differences(old: String, new: String, diff: String) {
        let found = LineDiff(from: old, to: new)
        #expect(found.text == diff)
        #expect(found.isEmpty == !diff.contains { "+-".contains($0) })
    }
}
