import HTTPServer
import PostgreSQLServer
import ScriptedServer
import Testing

/// `add` of a feed with a list for each row of another.
@Suite struct AddForEachTests {
    /// A folder with a feed of four issues: the comments of the first cannot be had, those of the second are none.
    private func place() async throws -> Workplace {
        let place = try Workplace([])
        let url = place.server.url
        try place.write(
            "feedsync.yaml", "defaults: {retries: 0}\nfeeds:\n  issues: {url: \"\(url)/issues\", key: id}\n")
        place.server.route("/issues") { _ in
            .json(
                "[\((1...4).map { #"{"id":\#($0),"number":\#($0 * 10),"owner":"o\#($0)","name":"n","all":"\#(url)/issues/\#($0 * 10)/comments"}"# }.joined(separator: ","))]"
            )
        }
        place.server.route("/issues/20/comments") { _ in .json(#"{"comments":[]}"#) }
        for number in [30, 40] {
            place.server.route("/issues/\(number)/comments") { request in
                let page = Int(request.parameter("page") ?? "1") ?? 1
                let items = (1...3).map { #"{"uuid":"\#(number)-\#(page)-\#($0)","text":"t"}"# }.joined(separator: ",")
                return .json(#"{"comments":[\#(page < 3 ? items : "")]}"#)
            }
        }
        return place
    }

    @Test("A column in the URL makes a list for each row; the list of a row shows what they are like")
    func added() async throws {
        let place = try await place()
        #expect(try await place.run("sync").code == 0)
        let run = try await place.run("add comments \(place.server.url)/issues/{issues.number}/comments")
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.errors.contains("looking at comments/3, the list of a row of issues"), "\(run.errors)")
        #expect(
            run.output.contains("added comments to feedsync.yaml, with a list for each row of issues\n"),
            "\(run.output)")
        let text = try place.text(of: "feedsync.yaml")
        #expect(
            text.hasSuffix(
                """
                  comments:
                    for_each: issues
                    url: "\(place.server.url)/issues/{issues.number}/comments"
                    items: comments
                    key: uuid
                    pagination: {style: page, param: page, first: 1}

                """), "\(text)")
        #expect(try await place.run("sync comments").code == 0)
        #expect(
            try place.query("SELECT issues_id || ' ' || count(*) FROM comments GROUP BY issues_id") == ["3 6", "4 6"])
    }

    @Test("The rows are found in a store in PostgreSQL, too")
    func shared() async throws {
        let place = try await place()
        try place.write(
            "feedsync.yaml", "store: \(PostgreSQLServer.database())\n" + place.text(of: "feedsync.yaml"))
        #expect(try await place.run("sync").code == 0)
        let run = try await place.run("add comments \(place.server.url)/issues/{issues.number}/comments")
        #expect(run.code == 0 && run.output.contains("a list for each row of issues\n"), "\(run.errors)")
    }

    @Test("A fault of the feed or the column is reported with advice; nothing is requested or written")
    func refused() async throws {
        let place = try await place()
        let text = try place.text(of: "feedsync.yaml")
        let url = place.server.url
        let early = try await place.run("add comments \(url)/issues/{issues.number}/comments")
        #expect(early.code == 78 && early.errors.contains("issues has no rows yet"), "\(early.errors)")
        #expect(early.errors.contains("feedsync sync issues"), "\(early.errors)")
        #expect(try await place.run("sync").code == 0)
        let count = place.server.requests.count
        for (words, problem) in [
            ("\(url)/{isues.number}", "does not exist; did you mean issues?"),
            ("\(url)/{issues.numbr}", "the items of `issues` have no column `numbr`; did you mean `number`?"),
            ("{isues.all}", "does not exist; did you mean issues?"),
            ("\(url)/c of={issue.number}", "does not exist; did you mean issues?"),
        ] {
            let run = try await place.run("add comments \(words)")
            #expect(run.code == 64 && run.errors.contains(problem), "\(run.errors)")
        }
        #expect(place.server.requests.count == count)
        #expect(try place.text(of: "feedsync.yaml") == text)
    }

    @Test("A URL may be whole in a column; columns may be in parameters, and in those of a preset")
    func elsewhere() async throws {
        let place = try await place()
        #expect(try await place.run("sync").code == 0)
        let whole = try await place.run("add all {issues.all} --key uuid")
        #expect(whole.code == 0, "\(whole.errors)")
        place.server.route("/search") { _ in .json(#"[{"id":1},{"id":2}]"#) }
        let query = try await place.run("add found \(place.server.url)/search of={issues.number}")
        #expect(query.code == 0, "\(query.errors)")
        let preset = try await place.run("add releases github.releases owner={issues.owner} repo={issues.name}")
        #expect(preset.code == 0, "\(preset.errors)")
        let mapped = try await place.run(
            "add mapped \(place.server.url)/search?of={issues.number} --set for_each={\"feed\":issues}")
        #expect(mapped.code == 0, "\(mapped.errors)")
        let wrong = try await place.run("add others github.releases owner={issues.owner} repo={issues.nam}")
        #expect(wrong.code == 64 && wrong.errors.contains("did you mean `name`?"), "\(wrong.errors)")
        let text = try place.text(of: "feedsync.yaml")
        #expect(text.contains("    for_each: issues\n    preset: github.releases\n"), "\(text)")
        #expect(try await place.run("check").code == 0)
        _ = try await place.run("sync all found")
        #expect(try place.query("SELECT count(*) FROM found") == ["8"])
        #expect(try place.query("SELECT count(*) FROM [all]") == ["12"])
    }

    @Test("Columns of feeds above one another make a list for each row of the lowest; of others, they make none")
    func above() async throws {
        let place = try await place()
        #expect(try await place.run("sync").code == 0)
        let url = place.server.url
        #expect(try await place.run("add comments \(url)/issues/{issues.number}/comments").code == 0)
        #expect(try await place.run("sync comments").code == 0)
        for uuid in try place.query("SELECT uuid FROM comments") {
            place.server.route("/of/\(uuid.prefix(2))/\(uuid)") { _ in .json(#"[{"id":1}]"#) }
        }
        let run = try await place.run("add votes \(url)/of/{issues.number}/{comments.uuid}")
        #expect(run.code == 0, "\(run.errors)")
        #expect(try place.text(of: "feedsync.yaml").contains("    for_each: comments\n"))
        _ = try await place.run("sync votes")
        #expect(try place.query("SELECT count(*) FROM votes") == ["12"])
        try place.write("feedsync.yaml", try place.text(of: "feedsync.yaml") + "  others: {url: \"\(url)/others\"}\n")
        let mixed = try await place.run("add mixed \(url)/{comments.uuid}/{others.id}")
        #expect(
            mixed.code == 64 && mixed.errors.contains("columns of comments and others, and none"),
            "\(mixed.errors)")
    }
}
