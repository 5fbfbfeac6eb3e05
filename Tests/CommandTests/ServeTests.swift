import Foundation
import HTTPServer
import Platform
import ScriptedServer
import Testing

@Suite(.timeLimit(.minutes(10))) struct ServeTests {
    /// A server that runs, and the port where it listens.
    private func serve(
        _ place: Workplace, _ options: String = "", port: String = "0", before: String = ":"
    ) async throws -> (run: RunningCommand, port: String) {
        _ = try await place.shell("rm -f said.txt")
        // A shell writes what it says of itself to a file, where it can be read while it runs.
        let run = try RunningCommand(
            [
                "-c", "\(before); exec \"$0\" serve --listen 127.0.0.1:\(port) \(options) 2> said.txt",
                RunningCommand.binary.path,
            ],
            executable: URL(fileURLWithPath: "/bin/sh"), folder: place.folder,
            environment: ["HOME": place.folder, "PATH": "/usr/bin:/bin"])
        let said = try await place.shell("until grep -q 'serving on' said.txt; do sleep 0.01; done; cat said.txt")
            .output
        let port = said.split(separator: ":").last { $0.contains("/;") }?.prefix { $0 != "/" } ?? ""
        return (run, String(port))
    }

    @Test(
        "The server runs until it is stopped, by Ctrl-C or by kill",
        arguments: [(Int32(SIGINT), Int32(130)), (Int32(SIGTERM), Int32(143))])
    func stopped(signal: Int32, code: Int32) async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        let (run, port) = try await serve(place)
        #expect(try await place.shell("curl -s http://127.0.0.1:\(port)/health").output.contains("\"ok\":true"))
        run.send(signal)
        #expect(await run.end().code == code)
        #expect(try place.query("PRAGMA integrity_check") == ["ok"])
    }

    @Test("The server's health reports a replaced store", arguments: ["", "--read-only"])
    func replacedStore(options: String) async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        #expect(try await place.run("reload things").code == 0)
        let (run, port) = try await serve(place, options)
        let health = "curl -s -w '%{http_code}' http://127.0.0.1:\(port)/health"
        #expect(try await place.shell(health).output.hasSuffix("200"))
        #expect(try await place.shell("mv feedsync.db old.db; $FEEDSYNC reload things").code == 0)
        let told = try await place.shell(health).output
        #expect(told.hasSuffix("503") && told.contains("feedsync.db was deleted, moved or replaced"), "\(told)")
        run.send(SIGTERM)
        #expect(await run.end().code == 143)
    }

    @Test("More connections than there may be files leave enough for the server's work")
    func manyConnections() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        let (run, port) = try await serve(place, "--no-token", before: "ulimit -n 128")
        let answers = try await place.shell(
            """
            exec 3<>/dev/tcp/127.0.0.1/\(port)
            ask() { printf '%s HTTP/1.1\\r\\nHost: 127.0.0.1:\(port)\\r\\n%s\\r\\n' "$1" "$2" >&3; }
            ask 'GET /session'
            until [[ $line == *token* ]]; do read -r -u 3 line; done
            token=${line#*token\\":\\"}
            for n in {1..200}; do exec {file}<>/dev/tcp/127.0.0.1/\(port); done
            for n in 1 2 3; do
                ask 'POST /feeds/things/sync' "X-FeedSync-Token: ${token%%\\"*}"$'\\r\\n'$'Content-Length: 0\\r\\n'
                until [[ $line == HTTP* ]]; do read -r -u 3 line; done
                echo "$line"
                line=
            done
            """)
        #expect(answers.output == String(repeating: "HTTP/1.1 200 OK\r\n", count: 3), "\(answers.errors)")
        run.send(SIGTERM)
        #expect(await run.end().code == 143)
    }

    @Test("With --sync, feeds are synced when they are due")
    func syncs() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        let (run, port) = try await serve(place, "--sync")
        let items = try await place.shell(
            "until curl -s http://127.0.0.1:\(port)/feeds | grep -q '\"item_count\":3'; do sleep 0.05; done; echo there"
        )
        #expect(items.output == "there\n")
        run.send(SIGINT)
        #expect(await run.end().code == 130)
    }

    @Test("The server prints that `on_change` failed, though the command on the feed succeeded")
    func hookFails() async throws {
        let place = try Workplace([])
        try place.write(
            "feedsync.yaml",
            """
            feeds:
              things: {url: "\(place.server.url)/things", items: items, key: id, on_change: {exec: [sh, -c, exit 3]}}

            """)
        let list = PagedFeed(PagedFeed.items(1...3))
        place.server.route("/things", to: list)
        #expect(try await place.run("sync --config feedsync.yaml").code == 0)
        list.items = PagedFeed.items(1...4)
        let (run, port) = try await serve(place, "--config feedsync.yaml")
        let answer = try await place.shell(
            """
            curl -s -X POST -H "Authorization: Bearer $(cat .local/state/feedsync/serve.token)" \
                http://127.0.0.1:\(port)/feeds/things/sync
            """)
        #expect(answer.output.contains(#""inserted":1"#), "\(answer)")
        let said = try place.text(of: "said.txt")
        #expect(said.contains("things: on_change") && said.contains("1 change is kept"), "\(said)")
        run.send(SIGTERM)
        #expect(await run.end().code == 143)
    }

    @Test("A server without a configuration says how to add the first feed, and shows it as soon as it is added")
    func beginning() async throws {
        let place = try Workplace.withoutConfiguration()
        let (run, port) = try await serve(place)
        #expect(try await place.shell("curl -s http://127.0.0.1:\(port)/").output.contains("feedsync add"))
        #expect(try await place.run("add things \(place.server.url)/things").code == 0)
        let shown = try await place.shell(
            "until curl -s http://127.0.0.1:\(port)/ | grep -q /list/things; do sleep 0.05; done; echo there")
        #expect(shown.output == "there\n")
        run.send(SIGTERM)
        #expect(await run.end().code == 143)
    }

    @Test(
        "Invalid settings of the server are refused before anything listens",
        arguments: [
            ("serve --listen nowhere", "HOST:PORT or unix:PATH"), ("serve --listen 0.0.0.0:8420", "--token-file"),
            ("serve --listen 127.0.0.1:0 --token-file short.txt", "holds no token"),
            ("serve --listen 127.0.0.1:0 --token-file open.txt", "can be read or written by others"),
            ("serve --listen 127.0.0.1:0 --token-file empty.txt", "holds no token"),
            ("serve --listen 127.0.0.1:0 --token-file none.txt", "none.txt cannot be read"),
            ("serve --listen 0.0.0.0:0 --no-token", "--token-file"),
            ("serve --listen 127.0.0.1:0 --no-token --token-file short.txt", "exclude each other"),
            ("serve --sync --read-only", "cannot be used together"),
        ])
    func refused(words: String, part: String) async throws {
        let place = try Workplace()
        for (name, text) in [("short", "secret\n"), ("open", "0123456789abcdef\n"), ("empty", "\n0123456789abcdef\n")] {
            try place.write("\(name).txt", text)
            chmod("\(place.folder)/\(name).txt", name == "open" ? 0o640 : 0o600)
        }
        let run = try await place.run(words)
        #expect(run.code == 64)
        #expect(run.errors.contains(part), "\(run.errors)")
    }

    @Test("A command needs the token of a file that only its owner reads, or a session that the printed address begins")
    func token() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        let (run, port) = try await serve(place)
        let done = try await place.shell(
            """
            stat -c %a .local/state/feedsync/serve.token
            url=http://127.0.0.1:\(port)
            post() { curl -s -o /dev/null -w '%{http_code}\\n' -X POST "$@" $url/feeds/things/reload; }
            post; curl -s $url/session | grep -c '"token":null'
            post -H "Authorization: Bearer $(cat .local/state/feedsync/serve.token)"
            link=$(grep -o 'http://[^ ]*open?code=[0-9a-f]*' said.txt)
            curl -s -o /dev/null -w '%{http_code}\\n' -c jar "$link"
            token=$(curl -s -b jar $url/session | sed 's/.*"token":"//; s/".*//')
            post -b jar -H "X-FeedSync-Token: $token"
            curl -s -o /dev/null -w '%{http_code}\\n' "$link"
            """)
        #expect(done.output == "600\n401\n1\n200\n303\n200\n403\n", "\(done.output) \(done.errors)")
        #expect(try place.text(of: "said.txt").contains("a wrong token, from 127.0.0.1"))
        run.send(SIGTERM)
        #expect(await run.end().code == 143)
    }

    @Test("A session that somebody signed out of is refused after a restart, and another one goes on")
    func signOut() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        let script = """
            url=http://127.0.0.1:PORT
            token() { curl -s -b $1 $url/session | sed 's/.*"token":"//; s/".*//'; }
            post() { curl -s -o /dev/null -w '%{http_code}\n' -X POST -b $1 -H "X-FeedSync-Token: $(token $1)" $url$2; }
            """
        let (run, port) = try await serve(place)
        let before = try await place.shell(
            script.replacing("PORT", with: "\(port)") + """

                curl -s -o /dev/null -c jar "$(grep -o 'http://[^ ]*open?code=[0-9a-f]*' said.txt)"
                curl -s -o /dev/null -c other -d "token=$(cat .local/state/feedsync/serve.token)" $url/login
                post jar /feeds/things/reload; post other /feeds/things/reload; post jar /logout
                cat .local/state/feedsync/serve.signed-out | wc -l; stat -c %a .local/state/feedsync/serve.signed-out
                """)
        #expect(before.output == "200\n200\n303\n1\n600\n", "\(before.output) \(before.errors)")
        run.send(SIGTERM)
        #expect(await run.end().code == 143)
        let (again, _) = try await serve(place, port: port)
        let after = try await place.shell(
            script.replacing("PORT", with: "\(port)")
                + "\npost jar /feeds/things/reload; post other /feeds/things/reload")
        #expect(after.output == "401\n200\n", "\(after.output) \(after.errors)")
        again.send(SIGTERM)
        _ = await again.end()
    }

    @Test(
        "--no-token says aloud what everybody on the machine may do",
        arguments: [("--no-token", "send commands and add feeds"), ("--no-token --read-only", "read the store")])
    func noToken(options: String, deeds: String) async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        let (run, _) = try await serve(place, options)
        #expect(try place.text(of: "said.txt").contains("everybody on this machine can \(deeds)\n"))
        #expect(!(try place.text(of: "said.txt").contains("code=")))
        run.send(SIGTERM)
        _ = await run.end()
    }

    @Test("--open shows it in the browser that BROWSER names")
    func open() async throws {
        let place = try Workplace()
        // The shell writes the program: a file that this process had open for writing may still be so in a child that
        // another test is starting, and then it is too busy to be run.
        let browser = #"printf '#!/bin/sh\nprintf %%s "$1" > new\nmv new asked.txt\n' > browser; chmod +x browser"#
        let (run, port) = try await serve(place, "--open", before: "\(browser); export BROWSER=./browser")
        let asked = try await place.shell("until [ -e asked.txt ]; do sleep 0.01; done; cat asked.txt").output
        #expect(asked.wholeMatch(of: #/http://127\.0\.0\.1:\d+/open\?code=[0-9a-f]{32}/#) != nil, "\(asked)")
        #expect(asked.contains(":\(port)/"))
        run.send(SIGTERM)
        #expect(await run.end().code == 143)
    }

    @Test("A port that is taken is exit 69, which says so")
    func taken() async throws {
        let place = try Workplace()
        let run = try await place.run("serve --listen \(place.server.url.dropFirst(7))")
        #expect(run.code == 69)
        #expect(run.errors.contains("Address already in use"))
    }

    @Test("The server listens at a path of the file system, which is removed with it")
    func unix() async throws {
        let place = try Workplace()
        let run = try RunningCommand(
            ["serve", "--listen", "unix:serve.sock"], folder: place.folder,
            environment: ["HOME": place.folder, "PATH": "/usr/bin:/bin"])
        let health = try await place.shell(
            "until [ -S serve.sock ]; do sleep 0.01; done; curl -s --retry 20 --retry-connrefused --retry-delay 0 --unix-socket serve.sock http://localhost/health"
        )
        #expect(health.output.contains("\"ok\":true"))
        run.send(SIGTERM)
        #expect(await run.end().code == 143)
        #expect(!place.files.contains("serve.sock"))
    }
}
