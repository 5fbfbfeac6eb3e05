import Foundation
import HTTP
import HTTPServer
import ScriptedServer
import TemporaryFolder
import Testing

@testable import FeedSync
@testable import Upstream

@Suite("A reference to a command")
struct CommandReferenceTests {
    /// A feed with a command's output as its bearer token, and the engine that has the bench's folder for it.
    private func engine(
        _ command: String, on bench: EngineBench, options: EngineOptions, name: String = "things"
    ) async throws -> SyncEngine {
        let text = command.replacing("'", with: "''")
        let definition = try FeedDefinition.parse(
            name: name,
            yaml:
                "url: \(bench.server.url)/things\n\(EngineBench.columns)\npagination: none\nauth: {bearer: '${command: \(text)}'}",
            allowsCommands: true)
        return try await SyncEngine(feed: definition, store: bench.store, options: options)
    }

    private func options(_ bench: EngineBench, timeLimit: Duration = .seconds(30)) -> EngineOptions {
        var options = EngineBench.options
        options.folder = bench.folder.path
        options.environment = ["PATH": "/usr/bin:/bin", "NAME": "s3cr3t"]
        options.commands = CommandSecrets(timeLimit: timeLimit)
        return options
    }

    @Test(
        "A command's output is its value, run in the configuration's folder with its environment and no input",
        arguments: [
            ("echo $NAME", "s3cr3t"), ("printf 'two\\n\\n'", "two"), ("cat token", "from file"),
            ("cat; echo end", "end"), ("awk '{print $2}' token", "file"), ("pwd -P | wc -l", "1"),
            ("exit 0; :", nil),
        ] as [(String, String?)])
    func value(command: String, token: String?) async throws {
        let bench = try await EngineBench()
        try Data("from file\n".utf8).write(to: URL(filePath: bench.folder.file("token")))
        let engine = try await engine(command, on: bench, options: options(bench))
        guard let token else {
            #expect(try await bench.failure(.reload, engine).message.contains("printed nothing"))
            return
        }
        _ = try await engine.perform(.reload)
        #expect(bench.server.requests.map { $0.header("Authorization") } == ["Bearer \(token)"])
        for table in try bench.query("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'things'") {
            #expect(try !bench.query("SELECT * FROM \"\(table)\"").joined().contains("s3cr3t"))
        }
    }

    @Test("A command runs once, however many pages and feeds refer to it")
    func once() async throws {
        let bench = try await EngineBench()
        let options = options(bench)
        let command = "echo x >> runs; echo token"
        let one = try await engine(command, on: bench, options: options)
        let two = try await engine(command, on: bench, options: options, name: "others")
        async let first = one.perform(.allPages)
        async let second = two.perform(.allPages)
        _ = try await (first, second)
        _ = try await one.perform(.reload)
        #expect(try String(contentsOfFile: bench.folder.file("runs"), encoding: .utf8) == "x\n")
    }

    @Test(
        "A command without a value is an error in the configuration, without its output",
        arguments: [
            ("echo s3cr3t; exit 3", "failed with status 3"), ("kill -TERM $$", "was killed by signal 15"),
            ("true", "printed nothing"), ("printf '\\377'", "did not print valid UTF-8"),
            ("head -c 70000 /dev/zero", "printed more than 64 KiB"), ("no-such-program", "failed with status 127"),
        ])
    func failing(command: String, problem: String) async throws {
        let bench = try await EngineBench()
        let error = try await bench.failure(.reload, engine(command, on: bench, options: options(bench)))
        #expect(error.kind == .configuration)
        #expect(error.message == "feed:6:16: the command `\(command)` \(problem)")
        #expect(bench.server.requests.isEmpty)
        #expect(try bench.log.isEmpty)
    }

    @Test(
        "A command that takes too long is ended, with all its children", .timeLimit(.minutes(1)),
        arguments: ["tail -f /dev/null", "tail -f /dev/null & wait", "exec >/dev/null; tail -f /dev/null"])
    func tooLong(command: String) async throws {
        let bench = try await EngineBench()
        let options = options(bench, timeLimit: .milliseconds(50))
        let fifo = bench.folder.file("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        let pipe = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        let error = try await bench.failure(
            .reload, engine("exec 3<>fifo; \(command)", on: bench, options: options))
        #expect(error.kind == .configuration)
        #expect(error.message.hasSuffix("did not finish within 50ms"))
        // The pipe ends with the last process that has it open.
        #expect(fcntl(pipe, F_SETFL, 0) == 0)
        let rest = await withCheckedContinuation { continuation in
            Thread {
                let file = FileHandle(fileDescriptor: pipe, closeOnDealloc: true)
                continuation.resume(returning: file.readDataToEndOfFile())
            }.start()
        }
        #expect(rest.isEmpty)
    }

    /// All data from a named pipe until its last writer has closed it.
    private func text(ofFIFO path: String) async -> String? {
        await withCheckedContinuation { continuation in
            Thread {
                let data = FileHandle(forReadingAtPath: path)?.readDataToEndOfFile()
                continuation.resume(returning: data.map { String(decoding: $0, as: UTF8.self) })
            }.start()
        }
    }

    @Test("A command is ended when the run is stopped, and may run again")
    func stopped() async throws {
        let bench = try await EngineBench()
        let options = options(bench)
        let fifo = bench.folder.file("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        // The first run tells that it is there, and waits for ever; the second prints a token.
        let command = "test -e again && echo token && exit; touch again; echo up > fifo; tail -f /dev/null"
        let engine = try await engine(command, on: bench, options: options)
        let run = Task { try await bench.failure(.reload, engine) }
        let told = await text(ofFIFO: fifo)
        #expect(told == "up\n")
        run.cancel()
        #expect(try await run.value.kind == .cancelled)
        _ = try await engine.perform(.reload)
        #expect(bench.server.requests.map { $0.header("Authorization") } == ["Bearer token"])
    }

    @Test("A reference to a command is in no preset")
    func presets() throws {
        #expect(try Preset.all.allSatisfy { !$0.yaml.contains("${command") })
    }

    @Test(
        "A reference to a command is refused in a configuration that was only found, wherever it is",
        arguments: [
            "auth: {bearer: '${command: x}'}", "query: {q: '${command: x}'}", "headers: {X-Y: '${command: x}'}",
            "method: POST\n    body: {a: [{b: '${command: x}'}]}",
            "auth: {oauth2: {token_url: 'https://a.b', client_id: '${command: x}', client_secret: s}}",
            "preset: github.repo\n    with: {owner: '${command: x}', repo: r}",
        ])
    func refused(member: String) throws {
        let url = member.hasPrefix("preset") ? "" : "url: https://a.b\n    "
        let text = "feeds:\n  x:\n    \(url)key: id\n    columns: {id: id}\n    \(member)\n"
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration.parse(Array(text.utf8), file: "feedsync.yaml")
        }
        let diagnostic = try #require(error?.diagnostics.first)
        #expect(diagnostic.description.contains("only for a file that you name"))
        #expect(diagnostic.position.line > 1)
        _ = try Configuration.parse(Array(text.utf8), file: "feedsync.yaml", allowsCommands: true)
    }
}
