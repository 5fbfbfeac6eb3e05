import ScriptedServer
import Testing

@Suite struct AddHARTests {
    /// A HAR file of the first two pages of `/things`, as a browser requests them.
    private func archive(_ place: Workplace) -> String {
        let entries = [1, 2].map { page in
            let items = PagedFeed.items((page * 10 - 9)...(page * 10)).joined(separator: ",")
            let text = "{\"items\":[\(items)]}".replacing("\"", with: "\\\"")
            return """
                {"request":{"method":"GET","url":"\(place.server.url)/things?page=\(page)","headers":[{"name":"Cookie","value":"sid=s3cret"}]},
                "response":{"status":200,"headers":[],"content":{"mimeType":"application/json","size":9,"text":"\(text)"}}}
                """
        }
        return "{\"log\":{\"version\":\"1.2\",\"entries\":[\(entries.joined(separator: ","))]}}"
    }

    @Test("A list that was recorded is printed, added without its credentials, and mirrored as a whole")
    func mirrored() async throws {
        let place = try Workplace.withoutConfiguration()
        try place.write("browser.har", archive(place))
        let list = try await place.run("add --har browser.har")
        #expect(
            list.output
                == "path\titems\tkey\tpagination\tsign_in\tneeds\tsummary\n\(place.server.url)/things\titems\tid\t{style: page, param: page, first: 1}\theader Cookie\t[]\t2 pages recorded\n"
        )
        let add = try await place.run("add --har browser.har /things")
        #expect(add.output == "added 1 feed to feedsync.yaml\nSet: COOKIE\nNext: feedsync sync\n")
        #expect(
            try place.text(of: "feedsync.yaml") == """
                feeds:
                  things:
                    url: \(place.server.url)/things
                    auth: {header: {Cookie: "${COOKIE}"}}
                    items: items
                    key: id
                    pagination: {style: page, param: page, first: 1}

                """)
        let again = try await place.run("add --har browser.har /things")
        #expect(again.output == "added 0 feeds to feedsync.yaml; already there: 1\nNext: feedsync sync\n")
        let rows = try await place.shell(
            "COOKIE=x \"$FEEDSYNC\" sync --quiet && \"$FEEDSYNC\" sql 'SELECT count(*) FROM things'")
        #expect(rows.output == "count(*)\n25\n", "\(rows.errors)")
    }

    @Test(
        "--har says what is wrong with its words and its file",
        arguments: [
            ("none.har", 64, "none.har cannot be read: No such file or directory"),
            ("other.har", 65, "other.har: this is not a HAR file: it has no `log.entries`"),
            ("empty.har", 65, "empty.har: no response is a list of objects"),
            ("browser.har /thing", 64, "browser.har has no list at /thing; did you mean /things?"),
            ("browser.har /things --set cooky=1", 64, "nothing that was chosen has a credential cooky"),
        ] as [(String, Int32, String)])
    func faults(words: String, code: Int32, message: String) async throws {
        let place = try Workplace.withoutConfiguration()
        try place.write("browser.har", archive(place))
        try place.write("other.har", "{}")
        try place.write("empty.har", #"{"log":{"entries":[]}}"#)
        let run = try await place.run("add --har \(words)")
        #expect(run.code == code, "\(run.errors)")
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(!run.errors.contains("s3cret"))
        #expect(!place.files.contains("feedsync.yaml"))
    }
}
