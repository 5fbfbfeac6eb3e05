import FeedSync
import HTTPServer
import ScriptedServer
import Testing

@Suite("A body in CSV")
struct TableFormatTests {
    private let bench = BodyBench(format: .csv)

    @Test(
        "A body in CSV becomes objects with the header's names",
        arguments: [
            ("a,b\n1,2\n", #"[{"a":"1","b":"2"}]"#),
            ("a,b\r\n1,2\r\n3,4", #"[{"a":"1","b":"2"},{"a":"3","b":"4"}]"#),
            ("a,b\r1,2\r3,4\r", #"[{"a":"1","b":"2"},{"a":"3","b":"4"}]"#),
            ("\u{FEFF}a\n1\n", #"[{"a":"1"}]"#),
            ("a;b\n1,5;x\n", #"[{"a":"1,5","b":"x"}]"#),
            ("a\tb\n1 \t\"x\ty\"\n", #"[{"a":"1 ","b":"x\ty"}]"#),
            ("a|b\n1|2\n", #"[{"a":"1","b":"2"}]"#),
            ("\"a,x;y\";b\n1;2\n", #"[{"a,x;y":"1","b":"2"}]"#),
            ("a,b\n\"two\nlines\",\"say \"\"x\"\"\"\n", #"[{"a":"two\nlines","b":"say \"x\""}]"#),
            ("a,b\n,\"\"\n", #"[{"a":null,"b":""}]"#),
            ("a,b,c\n1\n2,3\n", #"[{"a":"1"},{"a":"2","b":"3"}]"#),
            ("a,b,c\n1\n2,3", #"[{"a":"1"},{"a":"2","b":"3"}]"#),
            ("\n\na\n\n1\n\n", #"[{"a":"1"}]"#),
            ("a,a,,,a_2\n1,2,3,4,5\n", #"[{"a":"1","a_3":"2","column":"3","column_2":"4","a_2":"5"}]"#),
            ("a,b\n1,\n", #"[{"a":"1","b":null}]"#),
            ("a,b\n5\" disk,x\n", #"[{"a":"5\" disk","b":"x"}]"#),
            (" a , b\n1,2\n", #"[{"a":"1","b":"2"}]"#),
            ("a,b\n", "[]"),
            ("sep=;\na;b,c\n1;2\n", #"[{"a":"1","b,c":"2"}]"#),
            ("\"sep=|\"\r\na|b\r\n1|2\r\n", #"[{"a":"1","b":"2"}]"#),
            ("# Export\n# of 2026, all\na,b\n1,2\n", #"[{"a":"1","b":"2"}]"#),
            ("# a,b\n1,2\n", ##"[{"# a":"1","b":"2"}]"##),
            ("#a,b\n1,2\n", ##"[{"#a":"1","b":"2"}]"##),
            ("# Export\n#a,b\n1,2\n", ##"[{"#a":"1","b":"2"}]"##),
            ("#a\n1\n", ##"[{"#a":"1"}]"##),
            ("a,b\n1,2,\n3,4,", #"[{"a":"1","b":"2"},{"a":"3","b":"4"}]"#),
            ("[a],[b]\n1,2\n", #"[{"[a]":"1","[b]":"2"}]"#),
            // Words in a last line without a separator are no row, unless others lack fields or have words, too.
            ("a,b\n1,2\nError: query timed out\n\n", #"[{"a":"1","b":"2"},"Error: query timed out"]"#),
            ("a,b\n1\n2\n", #"[{"a":"1"},{"a":"2"}]"#),
            ("a,b\n1,2\n3\n", #"[{"a":"1","b":"2"},{"a":"3"}]"#),
            ("a,b\nx y,2\nz y\n", #"[{"a":"x y","b":"2"},{"a":"z y"}]"#),
            // The last row may be cut off.
            ("a,b\n1,2\n\n3", #"[{"a":"1","b":"2"},"3"]"#),
            ("a;b;c\n1;2;3\n4;\"x\"", #"[{"a":"1","b":"2","c":"3"},"4;x"]"#),
            ("a,b,c\n1,2,3\n4,", #"[{"a":"1","b":"2","c":"3"},"4,"]"#),
        ])
    func reads(_ text: String, _ expected: String) throws {
        #expect(try bench.json(text) == expected)
    }

    @Test(
        "A broken body in CSV is an error with its line",
        arguments: [
            ("a,b\n1,2\n\n1,2,3\n", "in line 4: it has more fields than the header, which has 2"),
            ("# x\na,b\n1,2,,\n", "in line 3: it has more fields than the header, which has 2"),
            ("a,b\n\"x\ny\",2\n\"open\n,\n", "in line 4: the quotes that open here are not closed"),
            ("a,b\n1,\"x\"y\n", "in line 2: something follows after the closing quote of a field"),
            ("a,b\n\n3", "in line 3: the only row has 1 of 2 fields, and its line has no end"),
            ("a,b,c\n1,\"x\"", "in line 2: the only row has 2 of 3 fields, and its line has no end"),
            ("", "it has no header line"),
            ("Service temporarily unavailable\n", "not a header: Service temporarily unavailable"),
            ("Unavailable", "it is one line of text, not a header: Unavailable"),
            ("<html><body>Down</body></html>", "HTML or XML, not a table: <html><body>Down</body></html>"),
            ("\n <html>\n<p>Down, sorry</p>\n", "it is HTML or XML, not a table: <html> <p>Down, sorry</p>"),
            (#"{"error":"slow down","code":9}"#, #"it is JSON, not a table: {"error":"slow down","code":9}"#),
            ("[]", "it is JSON, not a table: []"),
            (String(repeating: ",", count: 1_000), "in line 1: the header has more than 1000 columns"),
            (
                "a,b\n" + String(repeating: ",", count: 1_000_000),
                "in line 2: it has more fields than the header, which has 2"
            ),
        ])
    func refuses(_ text: String, _ problem: String) throws {
        let message = try #require(try bench.failure(text))
        #expect(message.hasSuffix(problem), "\(message)")
    }

    @Test(
        "A header without rows has the columns of the key, or it is an error",
        arguments: [
            ("id,name\n", true), ("a,id\n", true), ("id\n", true), ("id", true), ("name\n", false),
            ("Slow down\n", false),
        ])
    func keyInHeader(_ text: String, isTable: Bool) throws {
        let bench = BodyBench(format: .csv, key: [try Path("id")])
        #expect((try bench.failure(text) == nil) == isTable)
        // Rows say by themselves that they have no key.
        #expect(try bench.failure("\(text)\n1\n") == nil)
    }

    @Test(
        "A table of one column that has no rows yet is an empty list from the first sync on, if the key is that column")
    func empty() async throws {
        let bench = try await EngineBench(paging: "pagination: none", columns: "format: csv\nkey: id")
        bench.server.enqueue("/things", [.json("id\n"), .json("id\n7\n")])
        try await bench.sync()
        #expect(try bench.feed("item_count, complete") == "0|1")
        try await bench.sync()
        #expect(try bench.feed("item_count, complete") == "1|1")
    }

    @Test("A short last row without a line's end is left out, and nothing is removed then")
    func footer() async throws {
        let bench = try await EngineBench(paging: "pagination: none", columns: "format: csv\nkey: id")
        let bodies = ["id,name\n1,a\n2,b\n3,c\n", "id,name\n1,a\n2", "id,name\n1,a\n2,b\n3"]
        bench.server.enqueue("/things", bodies.map { .json($0) } + [.json("id,name\nTotal")])
        try await bench.sync()
        #expect(try bench.feed("item_count, complete") == "3|1")
        for _ in 1...2 {
            let run = try await bench.sync()
            #expect(run.figures.items.removed == 0)
            #expect(try bench.feed("item_count, complete") == "3|0")
        }
        await #expect(throws: FeedSyncError.self) { try await bench.sync() }
    }

    @Test(
        "A header without rows has a column of the feed, if the feed has no key among them",
        arguments: [("currency,rate\n", true), ("day,rate\n", true), ("Slow down, please\n", false), ("ok", false)])
    func columnInHeader(_ text: String, isTable: Bool) throws {
        var bench = BodyBench(format: .csv, key: [.itemHash])
        bench.columns = try ["currency", "rate"].map { ColumnDefinition(name: $0, path: try Path($0)) }
        #expect((try bench.failure(text) == nil) == isTable)
    }

    @Test("A body in CSV is read in the encoding of a byte order mark or the header")
    func encodings() throws {
        var bench = bench
        #expect(try bench.failure([0x61, 0x0A, 0xE9, 0x0A])?.contains("in line 2: a byte is not UTF-8") == true)
        #expect(try bench.json([0xFF, 0xFE, 0x61, 0, 0x0A, 0, 0xE9, 0]) == #"[{"a":"é"}]"#)
        bench.type = "text/csv; header=present; charset=\"ISO-8859-1\""
        #expect(try bench.json([0x61, 0x0A, 0xE9, 0x80]) == #"[{"a":"é€"}]"#)
        bench.type = "text/csv; charset=koi8-r"
        #expect(try bench.json([0x61, 0x0A, 0xC1]) == #"[{"a":"а"}]"#)
        bench.type = "text/csv; charset=x-nobody"
        #expect(try bench.failure("a\n1\n")?.contains("the encoding `x-nobody` is not known") == true)
        bench.type = "text/csv; charset=utf-16le"
        #expect(try bench.failure([0x61, 0, 0x0A, 0, 0x62])?.contains("in line 2: it ends within a character") == true)
    }

    @Test("A body in CSV may have fields of any length, whatever their content")
    func longField() throws {
        let text = String(repeating: "é\u{1}x", count: 40_000)
        #expect(
            try BodyBench(format: .csv).json("a\n\"\(text)\"\n")
                == JSONValue.array([.object(["a": .string(text)])]).json)
    }

    @Test("A body in CSV may not become much longer than it is")
    func bomb() throws {
        let name = String(repeating: "c", count: 1 << 20)
        let message = try #require(
            try BodyBench(format: .csv).failure("\(name)\n" + String(repeating: "1\n", count: 80)))
        #expect(message.hasPrefix("the response cannot be read as CSV with a header line: it becomes more than 7"))
        #expect(message.hasSuffix(" bytes of JSON"))
    }
}
