import Foundation
import HTTPServer
import ScriptedServer
import Testing

@Suite("on_change for people")
struct HookMessageTests {
    private func place(_ hook: String) throws -> Workplace {
        let place = try Workplace([])
        try place.write(
            "feedsync.yaml",
            """
            defaults: {retries: 0}
            feeds:
              things:
                url: \(place.server.url)/things
                items: items
                key: id
                pagination: none
                sync: {mode: all}
                show: {title: name, link: page}
                on_change:
            \(hook.replacing("URL", with: place.server.url).split(separator: "\n").map { "      \($0)\n" }.joined())
            """)
        return place
    }

    private static func thing(_ id: Int, _ name: String) -> String {
        #"{"id":\#(id),"name":"\#(name)","page":"https://example.com/\#(id)"}"#
    }

    /// The answers of the receivers' own servers to a request, by what their documentation asks for.
    enum Receiver: String, CaseIterable, Sendable {
        /// https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
        case slack
        /// https://discord.com/developers/docs/resources/webhook#execute-webhook
        case discord
        /// https://developers.mattermost.com/integrate/webhooks/incoming
        case mattermost
        /// https://docs.ntfy.sh/publish
        case ntfy
        /// https://spec.matrix.org/v1.11/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid
        case matrix

        /// The lines of the documentation.
        var hook: String {
            get throws {
                let text = try String(
                    contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(
                        path: "../../Docs/changes.md"), encoding: .utf8)
                let title = try #require(text.range(of: "\n# \(rawValue)\n"))
                let lines = text[title.upperBound...].split(separator: "\n", omittingEmptySubsequences: false)
                    .prefix { !$0.isEmpty && !$0.hasPrefix("#") && !$0.hasPrefix("```") }
                return lines.dropFirst().map { $0.dropFirst(2) }.joined(separator: "\n")
            }
        }

        func answer(_ request: ServerRequest) -> ServerResponse {
            let json = (try? JSONSerialization.jsonObject(with: Data(request.body))) as? [String: Any]
            let isJSON = request.header("Content-Type") == "application/json"
            let isRight =
                switch self {
                case .slack, .mattermost:
                    request.method == "POST" && isJSON && (json?["text"] as? String)?.isEmpty == false
                        && (json?["text"] as? String ?? "").count <= 40_000
                case .discord:
                    request.method == "POST" && isJSON
                        && (1...2_000).contains((json?["content"] as? String)?.count ?? 0)
                        && (json?["allowed_mentions"] as? [String: [String]]) == ["parse": []]
                case .ntfy:
                    request.method == "POST" && (1...4_096).contains(request.body.count)
                        && String(bytes: request.body, encoding: .utf8) != nil && json == nil
                case .matrix:
                    request.method == "PUT" && request.header("Authorization") == "Bearer t0ken"
                        && request.path.hasPrefix(
                            "/_matrix/client/v3/rooms/!room:example.org/send/m.room.message/things-")
                        && json?["msgtype"] as? String == "m.text" && (json?["body"] as? String)?.isEmpty == false
                        && request.body.count < 65_536
                }
            return isRight ? (self == .discord ? .status(204) : .json("{}")) : .json(#"{"error":"bad"}"#, status: 400)
        }

        func text(_ request: ServerRequest) -> String? {
            guard self != .ntfy else { return String(decoding: request.body, as: UTF8.self) }
            let json = (try? JSONSerialization.jsonObject(with: Data(request.body))) as? [String: Any]
            return (json?["text"] ?? json?["content"] ?? json?["body"]) as? String
        }
    }

    @Test("The lines of the documentation for each receiver make messages that it takes", arguments: Receiver.allCases)
    func receivers(_ receiver: Receiver) async throws {
        let hook = try receiver.hook
        let url = try #require(hook.firstMatch(of: /webhook: "?(https:\/\/[^\/]+)(\/[^"\s]*)/))
        let place = try place(hook.replacing(String(url.1), with: "URL"))
        place.server.answerOthers(receiver.answer)
        let environment = ["MATRIX_TOKEN": "t0ken"]
        place.server.route("/things") { _ in .json(#"{"items":[\#(Self.thing(1, "a"))]}"#) }
        #expect(try await place.run("sync --config feedsync.yaml", environment: environment).code == 0)
        #expect(place.server.requests.allSatisfy { $0.path == "/things" })
        let odd = #"<!channel> & \"b\"\n"#
        let many = (10..<400).map { Self.thing($0, "item \($0)") }.joined(separator: ",")
        for items in [Self.thing(1, "A") + "," + Self.thing(2, odd), Self.thing(2, odd) + "," + many] {
            place.server.route("/things") { _ in .json(#"{"items":[\#(items)]}"#) }
            let run = try await place.run("sync --config feedsync.yaml", environment: environment)
            #expect(run.code == 0, "\(run.errors)")
        }
        let texts = place.server.requests.filter { $0.path != "/things" }.compactMap(receiver.text)
        try #require(texts.count == 2, "\(texts)")
        let name = receiver == .slack ? #"&lt;!channel&gt; &amp; "b""# : #"<!channel> & "b""#
        let lines = texts[0].split(separator: "\n").map(String.init)
        #expect(
            lines.count == 2 && lines.contains { $0.contains(name) && $0.hasSuffix("https://example.com/2") },
            "\(lines)")
        // A message for people says how much more there is, in a size that everybody takes.
        let last = try #require(texts[1].split(separator: "\n").last)
        #expect(last.wholeMatch(of: /and 3\d\d more/) != nil, "\(last)")
    }

    @Test("A program gets the text as a mail, whose headers no item can add to")
    func mail() async throws {
        let place = try place(
            """
            exec: [sh, -c, cat >> mail]
            message: "{kind} {title} ({key}) {changes}"
            body: "Subject: {count} in {feed}\\n\\n{message}\\n"
            """)
        _ = try await place.sync(Self.thing(1, "a") + "," + Self.thing(3, "c"))
        #expect(try await place.sync(Self.thing(1, "b") + "," + Self.thing(2, #"x\nBcc: y"#)).code == 0)
        #expect(
            try place.text(of: "mail")
                == "Subject: 3 in things\n\nnew x Bcc: y (2)\nchanged b (1) name: a → b\nremoved c (3)\n")
    }

    @Test("A name in a message that is not a column is an error with the nearest one")
    func unknown() async throws {
        let place = try place("exec: [sh, -c, cat >> told]\nmessage: \"{nmae}\"")
        _ = try await place.sync(Self.thing(1, "a"))
        let run = try await place.sync(Self.thing(1, "b"))
        #expect(run.code == 78)
        #expect(
            run.errors.contains("`{nmae}` in `message` is not a column of things; did you mean `{name}`?"),
            "\(run.errors)"
        )
        #expect(!place.files.contains("told"))
    }

    @Test("Changes wait for others as long as `batch` says, and then come at once")
    func batch() async throws {
        let place = try place("exec: [sh, -c, cat >> told]\nmessage: \"{title}\"\nbatch: 10m")
        _ = try await place.sync(Self.thing(1, "a"))
        #expect(try await place.sync(Self.thing(1, "b")).code == 0)
        #expect(!place.files.contains("told"))
        // Nothing failed.
        #expect(try await place.run("status --fail --config feedsync.yaml").code == 0)
        try place.execute("UPDATE _change SET at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-1 hour')")
        #expect(try await place.sync(Self.thing(1, "b") + "," + Self.thing(2, "c")).code == 0)
        #expect(try place.text(of: "told") == "b\nc\n")
    }

    @Test("A hook gets the columns that changed, too, and again until it takes them")
    func columns() async throws {
        for (message, expected) in [
            ("message: \"{title}\"", "things: no item has `name` any more; new in the items: `label`\n"),
            ("", #""kind":"gone","column":"name","before":"text","after":null"#),
        ] {
            let place = try place("exec: [sh, -c, \"cat >> told; test ! -e broken\"]\n\(message)")
            _ = try await place.sync(Self.thing(1, "a"))
            let renamed = #"{"id":1,"label":"a","page":"https://example.com/1"}"#
            try place.write("broken", "")
            #expect(try await place.sync(renamed).code == 69)
            place.remove("broken")
            for _ in 1...2 { #expect(try await place.sync(renamed).code == 0) }
            let told = try place.text(of: "told")
            #expect(told.components(separatedBy: expected).count == 2, "\(told)")
            let note = try await place.run("changes --config feedsync.yaml").errors
            #expect(note == "feedsync: note: 2 changes of columns: feedsync changes --schema --config feedsync.yaml\n")
        }
    }

    @Test("A hook that fails shows in status and doctor until it takes what changed")
    func failing() async throws {
        let place = try place("exec: [sh, -c, test ! -e broken]")
        _ = try await place.sync(Self.thing(1, "a"))
        #expect(try await place.run("status --fail --config feedsync.yaml").code == 0)
        try place.write("broken", "")
        #expect(try await place.sync(Self.thing(1, "b"), "--quiet").code == 69)
        let words = "on_change failed; what changed is kept, and comes with the next run"
        let status = try await place.run("status --fail --config feedsync.yaml")
        #expect(status.code == 1 && status.output.contains(words), "\(status.output)")
        let doctor = try await place.run("doctor --config feedsync.yaml")
        #expect(doctor.code == 1 && doctor.output.contains("things: \(words)"), "\(doctor.output)")
        place.remove("broken")
        #expect(try await place.sync(Self.thing(1, "b")).code == 0)
        #expect(try await place.run("status --fail --config feedsync.yaml").code == 0)
    }

    @Test("Mistakes in what a hook is to get have their places")
    func mistakes() async throws {
        for (hook, message) in [
            ("exec: [a]\nmethod: PUT", "`method` of `on_change` is for what a `webhook` gets"),
            ("exec: [a]\nheaders: {A: b}", "`headers` of `on_change` is for what a `webhook` gets"),
            ("webhook: URL/hook\nmethod: GET", "unknown value `GET` of `method`"),
            ("webhook: URL/hook\nbatch: 0s", "must be from 1s to 7d"),
            ("webhook: URL/hook\nmessage: [a]", "must be text, not a list"),
        ] {
            let run = try await place(hook).run("check --config feedsync.yaml")
            #expect(run.code == 78 && run.errors.contains(message), "\(hook): \(run.errors)")
        }
    }
}
