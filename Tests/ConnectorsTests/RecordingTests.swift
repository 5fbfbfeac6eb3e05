import Feeds
import Testing

@testable import Connectors

@Suite struct RecordingTests {
    /// An entry of a HAR file.
    private static func entry(
        _ url: String, _ body: String, type: String = "application/json", method: String = "GET",
        headers: [(String, String)] = [], answer: [(String, String)] = [], status: Int = 200, encoding: String? = nil
    ) -> String {
        let fields = { (all: [(String, String)]) in
            JSONValue.array(all.map { .object(["name": .string($0.0), "value": .string($0.1)]) })
        }
        var content: JSONObject = ["mimeType": .string(type), "size": .number("\(body.utf8.count)")]
        if !body.isEmpty { content["text"] = .string(body) }
        if let encoding { content["encoding"] = .string(encoding) }
        return JSONValue.object([
            "request": .object(["method": .string(method), "url": .string(url), "headers": fields(headers)]),
            "response": .object([
                "status": .number("\(status)"), "headers": fields(answer), "content": .object(content),
            ]),
        ]).json
    }

    private static func items(_ ids: ClosedRange<Int>, id: String = "id") -> String {
        "[\(ids.map { "{\"name\":\"item \($0)\",\"\(id)\":\"id-\($0)\"}" }.joined(separator: ","))]"
    }

    private func recording(_ entries: [String]) throws -> Recording {
        let text = "{\"log\":{\"version\":\"1.2\",\"entries\":[\(entries.joined(separator: ","))]}}"
        return try Recording(Array(text.utf8), source: "browser.har")
    }

    private static let host = "https://api.example.com"

    @Test(
        "Recorded pages show how a list is paged",
        arguments: [
            // Nothing but the requests says it.
            (
                [
                    entry("\(host)/a?page=1&size=2", items(1...2)), entry("\(host)/a?page=2&size=2", items(3...4)),
                ], "\(host)/a?size=2 $ id {style: page, param: page, first: 1}"
            ),
            (
                [entry("\(host)/a?page=3", items(5...6)), entry("\(host)/a?page=2", items(3...4))],
                "\(host)/a $ id {style: page, param: page, first: 1}"
            ),
            (
                [entry("\(host)/a?page=0", items(1...2)), entry("\(host)/a?page=1", items(3...4))],
                "\(host)/a $ id {style: page, param: page, first: 0}"
            ),
            (
                [entry("\(host)/a", items(1...2)), entry("\(host)/a?start=2", items(3...4))],
                "\(host)/a $ id {style: offset, param: start}"
            ),
            // The second request has a value of the first response.
            (
                [
                    entry("\(host)/a?q=x", #"{"rows":\#(items(1...2)),"state":{"go_on":"abc=="}}"#),
                    entry("\(host)/a?q=x&resume=abc%3D%3D", #"{"rows":\#(items(3...4)),"state":{"go_on":null}}"#),
                ], "\(host)/a?q=x rows id {style: cursor, param: resume, next: state.go_on}"
            ),
            (
                [entry("\(host)/a", items(1...2)), entry("\(host)/a?older=id-2", items(3...4))],
                "\(host)/a $ id {style: keyset, param: older, from: id}"
            ),
            (
                [
                    entry("\(host)/a", items(1...2), answer: [("X-More", "tok-1")]),
                    entry("\(host)/a?more=tok-1", items(3...4)),
                ], "\(host)/a $ id {style: cursor, param: more, header: X-More}"
            ),
            // The page says it itself.
            (
                [entry("\(host)/a", #"{"data":\#(items(1...2)),"links":{"next":"/a?page=2"}}"#)],
                "\(host)/a data id {style: next_url, next: links.next}"
            ),
            (
                [
                    entry("\(host)/a", #"{"data":\#(items(1...2)),"next":"/b/2"}"#),
                    entry("\(host)/b/2", #"{"data":\#(items(3...4)),"next":null}"#),
                ], "\(host)/a data id {style: next_url, next: next}"
            ),
            // Nothing says it, so it is left to be found.
            ([entry("\(host)/a?kind=3", items(1...2))], "\(host)/a?kind=3 $ id -"),
        ])
    func paged(entries: [String], expected: String) throws {
        let lists = try recording(entries).collections
        #expect(lists.map { "\($0.path) \($0.items) \($0.key ?? "-") \($0.pagination ?? "-")" } == [expected])
    }

    @Test("Requests with other filters are other lists, and the same request again is none")
    func filters() throws {
        let lists = try recording([
            Self.entry("\(Self.host)/a?kind=3", Self.items(1...2)),
            Self.entry("\(Self.host)/a?kind=4", Self.items(3...4)),
            Self.entry("\(Self.host)/a?kind=3", Self.items(1...2)),
        ]).collections
        #expect(lists.map(\.path) == ["\(Self.host)/a?kind=3", "\(Self.host)/a?kind=4"])
    }

    @Test("Credentials become references, and are nowhere in what is written or printed")
    func secrets() throws {
        let headers = [
            ("authorization", "Bearer s3cret-1"), ("Cookie", "sid=s3cret-2"), ("X-Api-Key", "s3cret-3"),
            ("User-Agent", "Browser"), ("Accept", "application/vnd.api+json"), (":path", "/a"),
        ]
        let recording = try recording([
            Self.entry("\(Self.host)/a?access_token=s3cret-4&page=1", Self.items(1...2), headers: headers),
            Self.entry("\(Self.host)/a?access_token=s3cret-5&page=2", Self.items(3...4), headers: headers),
        ])
        let result = try recording.translation(of: ["/a"], given: [])
        let lines = result.feeds.flatMap(\.entry.lines)
        #expect(
            lines == [
                "  a:", "    url: https://api.example.com/a", #"    query: {access_token: "${ACCESS_TOKEN}"}"#,
                #"    headers: {Cookie: "${COOKIE}", X-Api-Key: "${X_API_KEY}", Accept: application/vnd.api+json}"#,
                #"    auth: {bearer: "${TOKEN}"}"#, "    items: $", "    key: id",
                "    pagination: {style: page, param: page, first: 1}",
            ])
        let printed = recording.collections.map { "\($0)" }.joined() + "\(recording.leftOut)\(result)"
        #expect(!printed.replacing("s3cret", with: "").isEmpty)
        #expect(!lines.joined().contains("s3cret"))
        #expect(!recording.collections.map { "\($0)" }.joined().contains("s3cret"))
        let given = try recording.translation(of: ["/a"], given: [(name: "token", value: "${MY_TOKEN}")])
        #expect(given.feeds[0].entry.lines.contains(#"    auth: {bearer: "${MY_TOKEN}"}"#))
    }

    @Test("Bodies in Base64 are read, feeds get their preset, and what was not recorded is named")
    func kinds() throws {
        let rss = "<rss version=\"2.0\"><channel><item><guid>1</guid></item></channel></rss>"
        let recording = try recording([
            Self.entry("\(Self.host)/a", "W3siaWQiOjF9LHsiaWQiOjJ9XQ==", encoding: "base64"),
            Self.entry("\(Self.host)/news", rss, type: "application/rss+xml"),
            Self.entry("\(Self.host)/none?token=s3cret", "", answer: []),
            Self.entry("\(Self.host)/broken", "[{]"), Self.entry("\(Self.host)/page", "<html>", type: "text/html"),
            Self.entry("\(Self.host)/gone", Self.items(1...2), status: 404),
            Self.entry("\(Self.host)/search", Self.items(1...2), method: "POST"),
            Self.entry("\(Self.host)/one", #"{"id":1,"name":"x"}"#),
            Self.entry("data:text/plain,x", Self.items(1...2)), "7", "{}",
        ])
        #expect(recording.collections.map(\.path) == ["\(Self.host)/a", "\(Self.host)/news"])
        #expect(
            recording.leftOut.map { "\($0.stream): \($0.fault.problem)" } == [
                "\(Self.host)/search: it is requested by POST; feedsync add --curl takes such a request"
            ])
        let news = try recording.translation(of: ["/news"], given: []).feeds.flatMap(\.entry.lines)
        #expect(news == ["  news:", "    preset: rss", "    url: \(Self.host)/news"])
    }

    @Test("A body that was not saved is named")
    func missing() throws {
        let entry = Self.entry("\(Self.host)/a?token=s3cret", "").replacing("\"size\":0", with: "\"size\":100")
        let leftOut = try recording([entry]).leftOut
        #expect(leftOut.map(\.stream) == ["\(Self.host)/a"])
        #expect(leftOut.first?.fault.problem == "its body was not recorded; save the HAR file with content")
    }

    @Test("A text that is not a HAR file is refused, and so is a list that is not in it")
    func refused() throws {
        for (text, problem) in [
            ("[", "browser.har: this is not JSON"),
            ("{}", "browser.har: this is not a HAR file: it has no `log.entries`"),
        ] {
            let error = #expect(throws: ConnectorError.self) { try Recording(Array(text.utf8), source: "browser.har") }
            #expect(error?.messages.first?.hasPrefix(problem) == true)
        }
        let recording = try recording([Self.entry("\(Self.host)/things", Self.items(1...2))])
        let error = #expect(throws: ConnectorError.self) {
            try recording.translation(of: ["/thing?token=s3cret"], given: [])
        }
        #expect(error?.messages == ["browser.har has no list at /thing; did you mean /things?"])
    }
}
