import Feeds
import SeededGenerator
import Testing

@Suite("A curl command")
struct CurlCommandTests {
    /// The feed's lines in a file.
    private func lines(_ command: String) throws -> [String] {
        let curl = try CurlCommand(command)
        var members: [FeedEntry.Member] = [.init("url", .text(curl.url))]
        if let method = curl.method { members.append(.init("method", .text(method))) }
        if !curl.query.isEmpty { members.append(.init("query", .mapping(curl.query))) }
        if !curl.headers.isEmpty { members.append(.init("headers", .mapping(curl.headers))) }
        members += curl.others
        if let body = curl.body { members.append(.init("body", body)) }
        return FeedEntry(name: "x", members: members).lines.dropFirst().map { String($0.dropFirst(4)) }
    }

    @Test(
        "A curl command is read as the shell and curl read it",
        arguments: [
            ("curl https://a.b/c", ["url: https://a.b/c"]),
            ("/usr/bin/curl  -sSL\thttps://a.b/c  # all of it", ["url: https://a.b/c"]),
            ("curl a.b/c", ["url: http://a.b/c"]),
            ("curl --url 'https://a.b/c?d=1&e=2'", ["url: https://a.b/c?d=1&e=2"]),
            (#"curl https://a.b/c\?d=1\&e=2"#, ["url: https://a.b/c?d=1&e=2"]),
            ("curl \\\n  https://a.b/c \\\r\n  -H 'A: b'", ["url: https://a.b/c", "headers: {A: b}"]),
            (#"curl "https://a.b/"'c d'e"#, ["url: https://a.b/c de"]),
            (#"curl u -H "A: \"b\" \\ \n""#, ["url: http://u", #"headers: {A: "\"b\" \\ \\n"}"#]),
            (#"curl u -H $'A: it\'s\u0021 \ud83d\ude00'"#, ["url: http://u", #"headers: {A: "it's! 😀"}"#]),
            (
                #"curl u -H "A: $B-${C}" -H 'D: $E ${F}'"#,
                ["url: http://u", #"headers: {A: "${B}-${C}", D: "$E $${F}"}"#]
            ),
            ("curl u -H 'A;' -H 'Accept:'", ["url: http://u", #"headers: {A: ""}"#]),
            ("curl u -HA:b -XPOST", ["url: http://u", "method: POST", "headers: {A: b}"]),
            ("curl u -H 'If-None-Match: x' -H 'Accept-Encoding: br'", ["url: http://u"]),
            (
                #"curl u --json '{"a": 1.50, "b": [true, null, "1"]}'"#,
                [
                    "url: http://u", "method: POST", "headers: {Accept: application/json}",
                    #"body: {a: 1.50, b: [true, null, "1"]}"#,
                ]
            ),
            (
                #"curl u -d '{"a":"${X}"}' -H 'content-type: application/json'"#,
                ["url: http://u", "method: POST", #"body: {a: "$${X}"}"#]
            ),
            (
                #"curl u --data-raw "{\"a\":\"$X\"}" -H 'Content-Type: application/vnd.x+json'"#,
                [
                    "url: http://u", "method: POST", "headers: {Content-Type: application/vnd.x+json}",
                    #"body: {a: "${X}"}"#,
                ]
            ),
            (
                "curl -G u -d a=b%20c -d 'd=1&a=2' --data-urlencode 'e=f&g'",
                ["url: http://u", "query: {a: [b c, 2], d: 1, e: f&g}"]
            ),
            ("curl u -u me:pa:ss", ["url: http://u", "auth: {basic: {user: me, password: pa:ss}}"]),
            (#"curl u -u "me:$P""#, ["url: http://u", "auth: {basic: {user: me, password: \"${P}\"}}"]),
            ("curl u --oauth2-bearer $T", ["url: http://u", "auth: {bearer: \"${T}\"}"]),
            ("curl u -A one -A two -x proxy:3128", ["url: http://u", "user_agent: two", "proxy: http://proxy:3128"]),
            ("curl u -b 'a=1; b=2' -b c=3 -e v", ["url: http://u", "headers: {Referer: v, Cookie: a=1; b=2; c=3}"]),
            ("curl -g 'u?a[]=1'", [#"url: "http://u?a[]=1""#]),
            ("curl 'http://[::1]:80/a'", [#"url: "http://[::1]:80/a""#]),
        ] as [(String, [String])])
    func taken(command: String, expected: [String]) throws {
        #expect(try lines(command) == expected)
    }

    @Test(
        "A curl command loses options without a meaning here, and lists them",
        arguments: [
            ("curl -sS --compressed u", ["-s", "-S", "--compressed"]),
            (
                "curl u -o out.json --max-time 5 --no-progress-meter",
                ["-o out.json", "--max-time 5", "--no-progress-meter"]
            ),
            ("curl u | jq '.[]'\n", ["| jq '.[]' "]), ("curl u 2>/dev/null", [">/dev/null"]),
            ("curl u -H 'Content-Length: 5' -H Accept:", ["-H 'Content-Length'", "-H 'Accept'"]),
        ])
    func ignored(command: String, expected: [String]) throws {
        let curl = try CurlCommand(command)
        #expect(curl.ignored == expected)
        #expect(curl.url == "http://u")
    }

    @Test("A JSON body that a curl command does not call JSON is recognised")
    func untyped() throws {
        #expect(try CurlCommand("curl u -d '{}'").isUntypedBody)
        #expect(try !CurlCommand("curl u -d '{}' -H 'Content-Type: application/json'").isUntypedBody)
        #expect(try !CurlCommand("curl u --json '{}'").isUntypedBody)
    }

    @Test(
        "A curl command for a request that no feed can make is refused",
        arguments: [
            ("", "--curl takes a whole curl command"), ("wget u", "--curl takes a whole curl command"),
            ("A=b curl u", "--curl takes a whole curl command"), ("curl", "has no URL"),
            ("curl -s", "has no URL"), ("curl u v", "has 2 URLs"), ("curl u?a=1&b=2", "`&` outside quotes"),
            ("curl u; rm x", "`;` outside quotes"), ("curl u || true", "`|` outside quotes"),
            ("curl u < file", "`<` outside quotes"), ("curl 'u", "a ' that is not closed"),
            ("curl \"u", "a \" that is not closed"), ("curl \"u\\", "a \" that is not closed"),
            ("curl $'u", "a ' that is not closed"), ("curl -H \"A: $(pass)\" u", "the output of another command"),
            ("curl -H `pass` u", "the output of another command"), ("curl ${A:-b}", "more than a variable"),
            ("curl 'u/[1-9]'", "several URLs"), ("curl 'u/{a,b}'", "several URLs"), ("curl u -k", "curl's -k"),
            ("curl u -sk", "curl's -k"), ("curl u --insecure", "certificates are always verified"),
            ("curl u -F a=b", "a form of several parts"), ("curl u -I", "needs a body"),
            ("curl u -d a=b", "is not JSON"), ("curl u -d @file", "names a file"), ("curl u -b jar", "names a file"),
            ("curl u -H @file", "names a file"), ("curl -G u --data-urlencode a@b", "names a file"),
            ("curl u -d '{}' -d '{}'", "is not JSON"), ("curl u -H", "-H needs a value"),
            ("curl u --header", "--header needs a value"), ("curl u -H secret", "a header without a colon"),
            ("curl u -u me", "ask for the password of me"), ("curl u --frobnicate", "--frobnicate is not known"),
            ("curl u -@", "-@ is not known"),
            ("curl u -A $UA", "must be written out"),
            ("curl u -H 'A: $'$B", "a `$` directly before a variable"),
            ("curl u -H \"A: $${B}\"", "a `$` directly before a variable"),
        ])
    func refused(command: String, message: String) {
        let problem = #expect(throws: CommandLineProblem.self) { try CurlCommand(command) }
        #expect(problem?.message.contains(message) == true, "\(problem?.message ?? "")")
        #expect(problem?.message.contains("secret") == false)
        #expect(problem?.advice.isEmpty == false)
    }

    @Test(
        "A curl command's feed is written so that it can be read again",
        arguments: ["0a:?b", "a:?b=c", "a: b", "a:", "a%\u{FFFD}", "?a", ":?"])
    func written(value: String) throws {
        let curl = try CurlCommand("curl -G u --data-urlencode 'name=\(value)'")
        let entry = FeedEntry(
            name: "x", members: [.init("url", .text("http://u")), .init("query", .mapping(curl.query))])
        // It reads what it wrote, and throws where that is not the entry.
        #expect(try !ConfigurationEditor([], file: "f").adding(entry).isEmpty)
    }

    @Test("A curl command with names that are too long for YAML is not written")
    func longNames() throws {
        let name = String(repeating: "\u{1}", count: 200)
        for command in [
            "curl -G u -d '\(name)=a'", "curl u -d '{\"a\": [{\"\(String(repeating: "b", count: 1_200))\": 1}]}'",
        ] {
            let curl = try CurlCommand(command)
            var members: [FeedEntry.Member] = [.init("query", .mapping(curl.query))]
            if let body = curl.body { members.append(.init("body", body)) }
            let entry = FeedEntry(name: "x", members: members)
            let error = #expect(throws: ConfigurationError.self) {
                try ConfigurationEditor([], file: "f").adding(entry)
            }
            #expect("\(try #require(error))".contains("is too long for the name of a member"))
        }
    }

    @Test("A curl command is read or refused, whatever it contains", arguments: 0..<300)
    func whatever(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        let pieces = [
            "curl", " ", "u", "'", "\"", "\\", "$", "{", "}", "(", "`", "$'", "\\u", "d8", "\n", "\r\n", "-H", "-d",
            "-", "--",
            "@", "=", "&", "|", ">", "2", ":", "é", "😀", "\0",
        ]
        let text =
            "curl "
            + (0..<Int.random(in: 0..<30, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
        do throws(CommandLineProblem) { #expect(try CurlCommand(text).url.isEmpty == false) } catch {
            #expect(!error.message.isEmpty)
        }
    }
}
