import Concurrency
import Foundation
import HTTPServer
import ScriptedServer
import Testing

@Suite("The safety of credentials and of the machine")
struct SafetyTests {
    @Test("A page cursor of a megabyte that repeats is quoted in part, on the terminal and in the store")
    func longCursor() async throws {
        let place = try Workplace([])
        let long = String(repeating: "c", count: 1_000_000)
        let count = Lock(0)
        place.server.route("/things") { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return .json(#"{"items":[{"id":\#(number)}],"next":"\#(number % 2)\#(long)"}"#)
        }
        try place.write(
            "feedsync.yaml",
            """
            feeds:
              things:
                {url: "\(place.server.url)/things", items: items, key: id, retries: 0, columns: {id: id},
                 method: POST, body: {c: null}, pagination: {style: cursor, param: c, next: next}}
            """)
        let run = try await place.run("more things --all")
        #expect(run.code == 65)
        #expect(run.errors.utf8.count < 2_000)
        let columns = ["SELECT error FROM feed", "SELECT error FROM run", "SELECT error FROM event"]
        for column in columns { #expect(try place.query(column).allSatisfy { $0.utf8.count < 2_000 }) }
    }

    @Test("A password that the upstream echoes, JSON-escaped or in base64, is neither shown nor stored")
    func echo() async throws {
        let place = try Workplace(extra: #"auth: {basic: {user: me, password: "${PASSWORD}"}}"#)
        place.server.enqueue(
            "/things",
            [
                ServerResponse(
                    status: 401,
                    body: Array(#"{"message":"w\u00f6rd-Geheim-99 d8O2cmQtR2VoZWltLTk5 is wrong"}"#.utf8))
            ])
        let run = try await place.run("reload things", environment: ["PASSWORD": "wörd-Geheim-99"])
        #expect(run.code == 77)
        let stored = try place.query("SELECT error FROM event WHERE error IS NOT NULL").joined()
        for text in [run.errors, stored] {
            #expect(text.contains("*** *** is wrong"), "\(text)")
            #expect(!text.contains("Geheim") && !text.contains("d8O2cmQ"))
        }
    }

    @Test("add makes a file for its owner alone that holds a credential as it is, and says so")
    func literalCredential() async throws {
        let place = try Workplace([])
        let mode = {
            try FileManager.default.attributesOfItem(atPath: place.path("feedsync.yaml"))[.posixPermissions] as? Int
        }
        chmod(place.path("feedsync.yaml"), 0o644)
        let open = try await place.run("add stars github.search q=language:swift")
        #expect(open.code == 0)
        #expect(try mode() == 0o644)
        #expect(!open.errors.contains("credential"))
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        let run = try await place.run("add things \(place.server.url)/things?api_key=T0ken-in-the-file")
        #expect(run.code == 0)
        #expect(run.errors.contains("now holds a credential"), "\(run.errors)")
        #expect(try mode() == 0o600)
        place.remove("feedsync.yaml")
        #expect(try await place.run("add things \(place.server.url)/things?api_key=T0ken-in-the-file").code == 0)
        #expect(try mode() == 0o600)
    }

    @Test("A secret file or a file with commands that others may write is not used")
    func writableByOthers() async throws {
        let place = try Workplace(extra: #"auth: {bearer: "${file:token}"}"#)
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        try place.write("token", "T0ken-in-a-file")
        chmod(place.path("token"), 0o666)
        let refused = try await place.run("reload things")
        #expect(refused.code == 78)
        #expect(refused.errors.contains("can be written by others; run chmod go-w"), "\(refused.errors)")
        chmod(place.path("token"), 0o600)
        #expect(try await place.run("reload things").code == 0)
        let text = try place.text(of: "feedsync.yaml").replacing(
            "${file:token}", with: "${command:echo ran >&2; echo t}")
        try place.write("commands.yaml", text)
        chmod(place.path("commands.yaml"), 0o666)
        let commands = try await place.run("reload things --config commands.yaml")
        #expect(commands.code == 78)
        #expect(commands.errors.contains("that nobody else may write"), "\(commands.errors)")
        chmod(place.path("commands.yaml"), 0o600)
        #expect(try await place.run("reload things --config commands.yaml").code == 0)
    }

    @Test(
        "A value that no request can hold changes nothing, not even which page is next",
        arguments: [#"auth: {bearer: "${BAD}"}"#, #"headers: {X-Key: "${BAD}"}"#, #"proxy: "http://${BAD}:1""#])
    func unsendable(line: String) async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...300)))
        let sound = try place.text(of: "feedsync.yaml")
        #expect(try await place.run("reload things").code == 0)
        let next = try place.query("SELECT next_page FROM feed")
        let feed = Workplace.feed("things", at: "\(place.server.url)/things", extra: line)
        try place.write("feedsync.yaml", "feeds:\n" + feed)
        let asked = place.server.requests.count
        for command in ["reload", "sync", "more"] {
            let run = try await place.run("\(command) things", environment: ["BAD": "a\nb"])
            #expect(run.code == 78, "\(run.errors)")
        }
        #expect(place.server.requests.count == asked)
        #expect(try place.query("SELECT next_page FROM feed") == next && !next.contains(""))
        try place.write("feedsync.yaml", sound)
        #expect(try await place.run("more things").code == 0)
        #expect(try place.query("SELECT next_page FROM feed") != next)
    }

    @Test("A pipe in the place of a file is waited for for 10 seconds, and not for ever")
    func pipes() async throws {
        let place = try Workplace(extra: #"auth: {bearer: "${file:secret}"}"#)
        #expect(mkfifo(place.path("secret"), 0o600) == 0)
        let began = ContinuousClock.now
        async let secret = place.run("reload things")
        async let list = place.run("add --opml secret")
        async let configuration = place.run("reload things --config secret")
        for run in try await [secret, list, configuration] {
            #expect(run.code == 78 || run.code == 65, "\(run.code) \(run.errors)")
            #expect(run.errors.contains("nothing was written to it for 10 seconds"), "\(run.errors)")
        }
        #expect(began.duration(to: .now) < .seconds(60))
        let piped = try await place.shell("exec $FEEDSYNC feeds --config <(sleep 0.2; cat feedsync.yaml)")
        #expect(piped.code == 0 && piped.output.contains("things"), "\(piped.errors)")
        #expect(try await place.run("backup secret").code == 73)
    }

    @Test("A crash leaves no core file with credentials")
    func coreFile() async throws {
        let place = try Workplace(extra: "timeout: 10m")
        let feed = PagedFeed(PagedFeed.items(1...10))
        let gate = place.server.gate()
        feed.hold(page: 1, at: gate)
        place.server.route("/things", to: feed)
        let line = "ulimit -c unlimited; exec $FEEDSYNC reload things"
        let run = try RunningCommand(
            ["-c", line], executable: URL(fileURLWithPath: "/bin/bash"), folder: place.folder,
            environment: ["HOME": place.folder, "FEEDSYNC": RunningCommand.binary.path])
        await gate.arrived()
        let limits = try String(contentsOfFile: "/proc/\(run.id)/limits", encoding: .utf8)
        let cores = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
        #expect(cores?.split(separator: " ").dropFirst(4).first == "0", "\(cores ?? "")")
        gate.open()
        #expect(await run.end().code == 0)
    }

    @Test("A proxy of the environment gets nothing that is for this machine")
    func proxy() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        // Nothing listens there.
        let run = try await place.run("reload things", environment: ["http_proxy": "http://127.0.0.1:1"])
        #expect(run.code == 0, "\(run.errors)")
    }

    @Test("SSLKEYLOGFILE is refused with a warning; a variable of our own asks for it")
    func keyLog() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        let refused = try await place.run("reload things", environment: ["SSLKEYLOGFILE": place.path("keys")])
        #expect(refused.errors.contains("$SSLKEYLOGFILE is ignored"))
        #expect(refused.code == 0)
        let asked = try await place.run("reload things", environment: ["FEEDSYNC_SSLKEYLOGFILE": place.path("keys")])
        #expect(asked.errors.isEmpty)
    }

    @Test("With too few files to open, a command says so at once", arguments: 4...16)
    func fewFiles(limit: Int) async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        let run = try await place.shell(
            "exec timeout -s KILL 30 bash -c 'ulimit -n \(limit); exec $FEEDSYNC reload things'")
        #expect(run.code == 73 || run.code == 0 && limit > 5, "\(run.code) \(run.errors)")
        if run.code == 73 { #expect(run.errors.contains("ulimit -n")) }
    }

    @Test("A command says at once that the system starts too few threads")
    func fewThreads() async throws {
        let place = try Workplace()
        // The limit does not count for root.
        let line = """
            cp $FEEDSYNC copy; chmod 755 . copy; other=
            if [ $(id -u) = 0 ]; then other="setpriv --reuid=65534 --clear-groups"; fi
            exec timeout -s KILL 30 $other prlimit --nproc=1 ./copy reload things
            """
        let run = try await place.shell(line)
        #expect(run.code == 75 && run.errors.contains("the system starts too few threads"), "\(run.code) \(run.errors)")
    }
}
