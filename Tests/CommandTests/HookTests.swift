import Foundation
import HTTPServer
import ScriptedServer
import Testing

extension Workplace {
    /// Serves items at `/things`, and syncs. A configuration that the command line names may have programs run.
    func sync(_ items: String, _ words: String = "") async throws -> CommandLineRun {
        server.route("/things") { _ in .json(#"{"items":[\#(items)]}"#) }
        return try await run("sync --config feedsync.yaml \(words)")
    }
}

@Suite("on_change")
struct HookTests {
    private func place(_ hook: String) throws -> Workplace {
        let place = try Workplace([])
        try place.write(
            "feedsync.yaml",
            """
            defaults: {retries: 0, on_change: \(hook)}
            feeds:
              things:
                url: \(place.server.url)/things
                items: items
                key: id
                columns: {id: id, name: name}
                pagination: none
                sync: {mode: all}

            """)
        return place
    }

    /// A program that keeps its input and its environment in files.
    private static let keeping =
        #"{exec: [sh, -c, 'cat >> told; echo "$FEEDSYNC_FEED $FEEDSYNC_DELIVERY $FEEDSYNC_AGAIN" >> calls; test ! -e broken']}"#

    @Test("A program gets what changed as JSON lines; of a first load it gets nothing")
    func program() async throws {
        let place = try place(Self.keeping)
        #expect(try await place.sync(#"{"id":1,"name":"a"},{"id":2,"name":"b"}"#).code == 0)
        #expect(!place.files.contains("told"))
        let run = try await place.sync(#"{"id":1,"name":"A"},{"id":3,"name":"c"}"#)
        #expect(run.code == 0, "\(run.errors)")
        let told = try place.text(of: "told").split(separator: "\n")
        let changes = try await place.run("changes --since last --json --config feedsync.yaml").output.split(
            separator: "\n")
        #expect(told == changes && told.count == 3, "\(told)")
        #expect(
            told.contains {
                $0.contains(#""kind":"changed","key":1,"title":"A","before":{"name":"a"},"after":{"name":"A"}"#)
            })
        // Nothing new, no call.
        #expect(try await place.sync(#"{"id":1,"name":"A"},{"id":3,"name":"c"}"#).code == 0)
        #expect(try place.text(of: "calls").split(separator: "\n").count == 1)
    }

    @Test("Changes that a program did not take are kept, and come again under the same id with the next run")
    func again() async throws {
        let place = try place(Self.keeping)
        _ = try await place.sync(#"{"id":1,"name":"a"}"#)
        try place.write("broken", "")
        let failed = try await place.sync(#"{"id":1,"name":"b"}"#, "--quiet")
        #expect(failed.code == 69)
        #expect(
            failed.errors.contains("failed with status 1; 1 change is kept and comes again with the next run"),
            "\(failed.errors)")
        // The rows are stored all the same.
        #expect(try place.query("SELECT name FROM things") == ["b"])
        place.remove("broken")
        place.remove("told")
        #expect(try await place.sync(#"{"id":1,"name":"b"},{"id":2,"name":"new"}"#).code == 0)
        let calls = try place.text(of: "calls").split(separator: "\n").map { $0.split(separator: " ") }
        #expect(calls.map(\.last) == ["0", "1", "0"])
        #expect(calls[0][1] == calls[1][1] && calls[1][1] != calls[2][1])
        let kinds = try place.text(of: "told").split(separator: "\n").map { $0.contains(#""kind":"changed""#) }
        #expect(kinds == [true, false])
    }

    @Test("A program that cannot be found, or does not read, does no harm to the sync")
    func odd() async throws {
        for (hook, code) in [("{exec: no-such-program}", 69), ("{exec: [true]}", 0)] {
            let place = try place(hook)
            _ = try await place.sync(#"{"id":1,"name":"a"}"#)
            let text = String(repeating: "x", count: 200_000)
            let run = try await place.sync(#"{"id":1,"name":"\#(text)"}"#)
            #expect(run.code == Int32(code), "\(run.errors)")
            #expect(try place.query("SELECT length(name) FROM things") == ["200000"])
            try place.expectSound()
        }
    }

    @Test("A webhook gets what changed in a signed POST, and again until it takes it")
    func webhook() async throws {
        let place = try place("{webhook: \"http://127.0.0.1:1/\", secret: key}")
        let text = try place.text(of: "feedsync.yaml")
        try place.write(
            "feedsync.yaml", text.replacing("http://127.0.0.1:1/", with: "\(place.server.url)/hook/s3cr3t-path"))
        _ = try await place.sync(#"{"id":1,"name":"a"}"#)
        place.server.route("/hook/s3cr3t-path") { _ in .status(500) }
        let failed = try await place.sync(#"{"id":1,"name":"b"}"#)
        #expect(failed.code == 69)
        #expect(failed.errors.contains("answered with status 500; 1 change is kept"), "\(failed.errors)")
        #expect(!failed.errors.contains("s3cr3t-path"))
        place.server.route("/hook/s3cr3t-path") { _ in .status(204) }
        #expect(try await place.sync(#"{"id":1,"name":"b"}"#).code == 0)
        #expect(try await place.sync(#"{"id":1,"name":"b"}"#).code == 0)
        let posts = place.server.requests.filter { $0.path == "/hook/s3cr3t-path" }
        #expect(posts.count == 2)
        #expect(Set(posts.map { $0.header("webhook-id") }).count == 1)
        #expect(posts.map { $0.header("Feedsync-Again") } == [nil, "true"])
        for post in posts {
            let body = String(decoding: post.body, as: UTF8.self)
            #expect(body.contains(#""before":{"name":"a"},"after":{"name":"b"}"#) && body.hasSuffix("}\n"))
            let id = try #require(post.header("webhook-id"))
            let time = try #require(post.header("webhook-timestamp"))
            try place.write("signed", "\(id).\(time).\(body)")
            let signature = try await place.shell("openssl dgst -sha256 -hmac key -binary signed | base64").output
            #expect(post.header("webhook-signature").map { $0 + "\n" } == "v1,\(signature)")
        }
    }

    @Test("Commands that make no requests read a ./feedsync.yaml with a hook")
    func reading() async throws {
        let place = try place(Self.keeping)
        #expect(try await place.sync(#"{"id":1,"name":"a"}"#).code == 0)
        for command in ["status", "show things", "changes", "sql 'SELECT 1'", "explain things", "plan", "feeds"] {
            let run = try await place.shell("$FEEDSYNC \(command)")
            #expect(run.code == 0, "\(command): \(run.errors)")
        }
    }

    @Test("The hook of a ./feedsync.yaml that was only found does not run, and mistakes have their places")
    func trust() async throws {
        let found = try await place(Self.keeping).run("sync")
        #expect(
            found.code == 78
                && found.errors.contains("has an `on_change`, and what changed is told only for a file that you name"),
            "\(found.errors)")
        #expect(
            found.errors.hasSuffix("Try: feedsync sync --config feedsync.yaml  # if you trust that file\n"),
            "\(found.errors)")
        for (hook, message) in [
            ("{}", "needs either `exec` or `webhook`"),
            ("{exec: [a], webhook: \"https://example.com\"}", "needs either"),
            ("{exec: []}", "must be a program and its arguments"),
            ("{exec: [a], secret: b}", "`secret` of `on_change` is for what a `webhook` gets"),
            ("{webhook: ftp://example.com}", "must begin with `https://` or `http://`"),
            ("{excc: [a]}", "unknown member `excc`"),
        ] {
            let run = try await place(hook).run("check --config feedsync.yaml")
            #expect(run.code == 78 && run.errors.contains(message), "\(hook): \(run.errors)")
        }
    }
}
