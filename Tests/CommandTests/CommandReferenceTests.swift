import HTTPServer
import ScriptedServer
import Testing

@Suite struct CommandReferenceTests {
    @Test("A command is run for a configuration that was named, but not for a ./feedsync.yaml that was found")
    func trust() async throws {
        let place = try Workplace(extra: #"auth: {bearer: "${command: touch run; echo s3cr3t}"}"#)
        place.server.enqueue("/things", [.json(#"{"items":[{"id":1}]}"#)])
        for words in ["reload things", "check"] {
            let run = try await place.run(words)
            #expect(run.code == 78)
            #expect(run.errors.hasPrefix("feedsync: feedsync.yaml:9:20: feed `things` has a `${command:…}`"))
            #expect(run.errors.hasSuffix("Try: feedsync \(words) --config feedsync.yaml  # if you trust that file\n"))
        }
        // They make no request.
        for words in ["status", "feeds", "explain things", "plan"] {
            let run = try await place.run(words)
            #expect(run.code == 0, "\(words): \(run.errors)")
        }
        #expect(!place.files.contains("run"))

        // Reading the configuration runs nothing.
        #expect(try await place.run("check --config feedsync.yaml").errors.isEmpty)
        #expect(!place.files.contains("run"))

        let reload = try await place.run("reload things --json --config feedsync.yaml")
        #expect(reload.code == 0)
        #expect(place.files.contains("run"))
        #expect(place.server.requests.last?.header("Authorization") == "Bearer s3cr3t")
        #expect(!(reload.output + reload.errors).contains("s3cr3t"))
        place.remove("run")
        #expect(try await place.run("reload things", environment: ["FEEDSYNC_CONFIG": "feedsync.yaml"]).code == 0)
        #expect(place.files.contains("run"))
    }

    @Test("A command that fails is exit 78; its errors are on stderr, and its output is not shown")
    func failing() async throws {
        let place = try Workplace(extra: #"auth: {bearer: "${command: echo s3cr3t; echo locked >&2; exit 4}"}"#)
        let run = try await place.run("reload things --config feedsync.yaml")
        #expect(run.code == 78)
        #expect(run.errors.hasPrefix("locked\n"))
        #expect(run.errors.contains("failed with status 4"))
        #expect(!(run.output + run.errors.replacing("echo s3cr3t", with: "")).contains("s3cr3t"))
        #expect(place.server.requests.isEmpty)
    }

    @Test("Ctrl-C ends a running command")
    func interrupted() async throws {
        let place = try Workplace(extra: #"auth: {bearer: "${command: echo up > fifo; tail -f /dev/null}"}"#)
        #expect(try await place.shell("mkfifo fifo").code == 0)
        let run = try place.start("reload things --config feedsync.yaml")
        // One shell reads and sends: a busy machine may take longer between two steps of a test than the command may
        // run.
        #expect(try await place.shell("cat fifo; kill -INT \(run.id)").output == "up\n")
        #expect(await run.end().code == 130)
    }
}
