import BodyFormats
import Feeds
import HTTP
import Testing

@Suite("A list whose elements are no objects")
struct PlainListTests {
    struct Case: Sendable {
        let body: String
        /// The body as it is read; nil where it stays as it is.
        let expected: String?
        var items: String?
        var names: [String] = []
        var key: [String] = []
    }

    @Test(
        "Scalars and rows become objects, if these can have the feed's key",
        arguments: [
            Case(
                body: #"["a", "b"]"#, expected: #"[{"value":"a","position":0},{"value":"b","position":1}]"#),
            Case(body: "\u{FEFF}[\"a\"]", expected: #"[{"value":"a","position":0}]"#),
            Case(body: #"[1, null, true]"#, expected: #"[{"value":1,"position":0},{"value":true,"position":2}]"#),
            Case(
                body: #"{"ok":{"tags":[9]},"tags":["a"]}"#,
                expected: #"{"ok":{"tags":[9]},"tags":[{"value":"a","position":0}]}"#, items: "tags", key: ["value"]),
            Case(
                body: #"{"x":["]\"}",{"y":[1]}],"d":{"tags":[1]}}"#,
                expected: #"{"x":["]\"}",{"y":[1]}],"d":{"tags":[{"value":1,"position":0}]}}"#, items: "d.tags"),
            // A key that they do not have; objects among them; nothing; something else.
            Case(body: #"["a"]"#, expected: nil, key: ["id"]),
            Case(body: #"["a",{"id":1}]"#, expected: nil), Case(body: #"[null,{"id":1}]"#, expected: nil),
            Case(body: "[]", expected: nil), Case(body: #"[{"id":[1]}]"#, expected: nil),
            Case(body: #"{"tags":["a"]}"#, expected: nil), Case(body: #"["a","#, expected: nil),
            Case(body: #""a""#, expected: nil), Case(body: "", expected: nil), Case(body: "[", expected: nil),
            Case(body: #"{"tags":{"a":1}}"#, expected: nil, items: "tags"),
            // Rows.
            Case(
                body: #"[["id","name"],[1,"x"],[2,null]]"#,
                expected: #"[{"id":1,"name":"x"},{"id":2,"name":null}]"#),
            Case(
                body: #"[["NAME","POP"],["Alabama","4779736"],["Alaska"]]"#,
                expected: #"[{"NAME":"Alabama","POP":"4779736"},{"NAME":"Alaska"}]"#, key: ["NAME"]),
            Case(
                body: #"[[1,"x",true],[2,"y",false]]"#, expected: #"[{"a":1,"b":"x"},{"a":2,"b":"y"}]"#,
                names: ["a", "b"], key: ["a"]),
            Case(body: #"[["A","b"],[1,2]]"#, expected: #"[{"a":1,"b":2}]"#, names: ["a", "b"]),
            Case(body: #"{"rows":[[1,2]]}"#, expected: #"{"rows":[{"a":1,"b":2}]}"#, items: "rows", names: ["a", "b"]),
            // No header, or one without the key.
            Case(body: #"[[1,"x"],[2,"y"]]"#, expected: nil), Case(body: #"[["a","b"]]"#, expected: nil),
            Case(body: #"[["a","a"],[1,2]]"#, expected: nil), Case(body: #"[["a",""],[1,2]]"#, expected: nil),
            Case(body: #"[["a","b"],[1,2]]"#, expected: nil, key: ["id"]), Case(body: #"[[1],2]"#, expected: nil),
            Case(body: #"[["2026-01-01","4"],["2026-01-02","5"]]"#, expected: nil),
        ])
    func objects(of example: Case) throws {
        let reader = BodyReader(
            .json, items: try example.items.map { ItemsRule(path: try Path($0)) }, rowNames: example.names,
            key: try example.key.map { try Path($0) })
        let read = try reader.read(try BodyBench().response(Array(example.body.utf8)))
        #expect(try read.map { try JSONValue(parsing: $0.body.bytes).json } == example.expected)
    }

    @Test("A row with more elements than its header is an error")
    func tooLong() throws {
        let message = try BodyBench(format: .json).failure(#"[["a","b"],[1,2],[1,2,3]]"#)
        #expect(
            message?.contains("row 3 has more elements than the first one, which has 2") == true, "\(message ?? "")")
    }
}

@Suite("A stream of server-sent events")
struct EventStreamTests {
    @Test(
        "Each event becomes an item with its id, name and data",
        arguments: [
            ("data: {\"a\":1}\n\n", #"[{"id":null,"event":"message","data":{"a":1}}]"#),
            (
                ": hello\r\n\r\nid: 7\r\nevent: add\r\ndata: one\r\ndata: two\r\n\r\ndata:3\r\n\r\n",
                #"[{"id":"7","event":"add","data":"one\ntwo"},{"id":"7","event":"message","data":3}]"#
            ),
            ("event: x\n\nretry: 5\ndata\n\n", #"[{"id":null,"event":"message","data":""}]"#),
            ("id: 1\rdata: x\r\rdata: cut off\n", #"[{"id":"1","event":"message","data":"x"}]"#),
            ("", "[]"),
        ])
    func events(text: String, expected: String) throws {
        #expect(try BodyBench(format: .events).json(text) == expected)
    }
}

@Suite("A JSON text sequence")
struct JSONSequenceTests {
    private let bench = BodyBench(type: "application/geo+json-seq")

    @Test(
        "Each record of a JSON text sequence is an element",
        arguments: [
            ("\u{1E}{\"id\":1}\n\u{1E}{\n\"id\":2}\n", #"[{"id":1},{"id":2}]"#),
            ("\u{1E}\n\u{1E}7\n", #"[{"value":7,"position":0}]"#),
            ("", "[]"),
        ])
    func records(text: String, expected: String) throws {
        #expect(try bench.json(text) == expected)
    }

    @Test("A broken record is an error with its number")
    func broken() throws {
        let message = try #require(try bench.failure("\u{1E}{\"id\":1}\n\u{1E}{\"id\":"))
        #expect(message.contains("cannot be read as a JSON text sequence: record 2: "), "\(message)")
    }

    @Test("A record separator tells the format")
    func found() throws {
        #expect(FeedFormat(of: try BodyBench(type: "text/plain").response(Array("\u{1E}{}\n".utf8))) == .jsonSequence)
    }
}
