import Concurrency
import HTTPServer
import ScriptedServer
import Testing

/// Feeds with a list for each row of another, through the program.
@Suite struct ForEachCommandTests {
    private func place() throws -> Workplace {
        let place = try Workplace([])
        let url = place.server.url
        try place.write(
            "feedsync.yaml",
            """
            defaults: {retries: 0, key: id, pagination: none}
            feeds:
              parts: {for_each: things, url: "\(url)/parts", query: {of: "{things.id}"}}
              things: {for_each: owners, url: "\(url)/of/{owners.id}"}
              owners: {url: "\(url)/owners"}
            """)
        place.server.route("/owners") { _ in .json(#"[{"id":1},{"id":2}]"#) }
        place.server.route("/of/1") { _ in .json(#"[{"id":10,"name":"a"},{"id":11,"name":"b"}]"#) }
        place.server.route("/of/2") { _ in .status(403) }
        place.server.route("/parts") { request in .json(#"[{"id":"\#(request.parameter("of") ?? "")x"}]"#) }
        return place
    }

    @Test("A sync of all begins with the parents, goes on where one list fails, and says how many did")
    func sync() async throws {
        let place = try place()
        let run = try await place.run("sync")
        #expect(run.code == 77)
        #expect(
            run.errors.contains("things: 1 of 2 lists failed; things/2: the upstream answered 403"), "\(run.errors)")
        #expect(
            try place.query("SELECT things_owners_id || things_id || id FROM parts ORDER BY 1") == ["11010x", "11111x"])
        let status = try await place.run("status things --json")
        #expect(status.output.contains(#""state":"failing""#), "\(status.output)")
        place.server.route("/of/2") { _ in .json("[]") }
        let next = try await place.run("sync")
        #expect(next.code == 0, "\(next.errors)")
        #expect(try place.query("SELECT name FROM feed_part WHERE complete = 0") == [])
        try place.expectSound()
    }

    @Test("A part is named by its feed and its parent's key")
    func named() async throws {
        let place = try place()
        _ = try await place.run("sync")
        let before = place.server.requests.count
        #expect(try await place.run("sync things/1").code == 0)
        #expect(place.server.requests.dropFirst(before).map(\.path) == ["/of/1"])
        let status = try await place.run("status things/1 --json")
        #expect(
            status.output.contains(#""name":"things/1""#) && status.output.contains(#""state":"fresh""#),
            "\(status.output)")
        let explanation = try await place.run("explain things/1")
        #expect(explanation.output.contains("GET \(place.server.url)/of/1"), "\(explanation.output)")
        let events = try await place.run("events things/1 --json")
        #expect(!events.output.contains(#""feed":"things/2""#) && events.output.contains(#""feed":"things/1""#))
        let all = try await place.run("events things --json")
        #expect(all.output.contains(#""feed":"things/2""#) && all.output.contains(#""feed":"things/1""#))
        let unknown = try await place.run("sync things/9")
        #expect(
            unknown.code == 64 && unknown.errors.contains("no list `things/9`: `owners` has no row"),
            "\(unknown.errors)")
        #expect(try await place.run("explain things/9").code == 64)
    }

    @Test(
        "A feed with parts is renamed and removed with them; a parent is not removed while another feed goes through its rows"
    )
    func renamed() async throws {
        let place = try place()
        _ = try await place.run("sync")
        #expect(try await place.run("remove things").code == 64)
        #expect(try await place.run("remove owners").errors.contains("feed things has a list for each row of owners"))
        #expect(try await place.run("rename parts pieces").code == 0)
        #expect(
            try place.query("SELECT name FROM feed_part WHERE feed = 'pieces' ORDER BY 1") == [
                "pieces/1/10", "pieces/1/11",
            ])
        let before = place.server.requests.count
        #expect(try await place.run("sync pieces").output.contains("unchanged"))
        #expect(place.server.requests.count == before + 2)
        #expect(try await place.run("remove pieces --data --yes").code == 0)
        #expect(try place.query("SELECT name FROM feed_part WHERE feed = 'pieces'") == [])
        #expect(try place.query("SELECT count(*) FROM _feed_part WHERE feed LIKE 'pieces%'") == ["0"])
        #expect(try place.query("SELECT count(*) FROM event WHERE feed LIKE 'pieces%'") == ["0"])
        try place.expectSound()
    }

    @Test(
        "Feeds below follow a parent that is renamed; nothing is asked for again, and the key's columns keep their names"
    )
    func parentRenamed() async throws {
        let place = try place()
        place.server.route("/of/2") { _ in .json("[]") }
        try place.write(
            "feedsync.yaml",
            """
            defaults: {retries: 0, key: id, pagination: none}
            feeds:
              owners: {url: "\(place.server.url)/owners"}
              things: {for_each: {feed: 'owners', where: id > 0}, url: "\(place.server.url)/of/{owners.id}"}
              parts: # all of them
                for_each: things
                url: \(place.server.url)/parts
                query: {of: "{things.id}", by: "{owners.id}"}
            """)
        #expect(try await place.run("sync").code == 0)
        let rename = try await place.run("rename owners people")
        #expect(rename.code == 0, "\(rename.errors)")
        #expect(
            try place.text(of: "feedsync.yaml") == """
                defaults: {retries: 0, key: id, pagination: none}
                feeds:
                  people: {url: "\(place.server.url)/owners"}
                  things: {for_each: {feed: 'people', where: id > 0}, url: "\(place.server.url)/of/{people.id}"}
                  parts: # all of them
                    for_each: things
                    url: \(place.server.url)/parts
                    query: {of: "{things.id}", by: "{people.id}"}
                """)
        let before = try place.query("SELECT name || complete FROM feed_part ORDER BY 1")
        #expect(try await place.run("rename things items").code == 0)
        let asked = place.server.requests.count
        let sync = try await place.run("sync")
        #expect(sync.code == 0 && sync.output.contains("unchanged"), "\(sync.output)\(sync.errors)")
        #expect(place.server.requests.count == asked + 5)
        #expect(
            try place.query("SELECT name || complete FROM feed_part ORDER BY 1")
                == before.map { $0.replacing("things/", with: "items/") }.sorted())
        #expect(
            try place.query("SELECT owners_id || id FROM items WHERE _removed_at IS NULL ORDER BY 1") == ["110", "111"])
        #expect(try place.query("SELECT things_id FROM parts WHERE _removed_at IS NULL ORDER BY 1") == ["10", "11"])
        #expect(try place.query("SELECT count(*) FROM change WHERE kind <> 'new'") == ["0"])
    }

    @Test("A parent that another file's feed goes through is not renamed, and that is said")
    func parentRenamedAcrossFiles() async throws {
        let place = try place()
        try place.write(
            "feedsync.yaml",
            "include: [more.yaml]\nfeeds:\n  owners: {url: \"\(place.server.url)/owners\", key: id}\n")
        try place.write(
            "more.yaml", "feeds:\n  things: {for_each: owners, url: \"\(place.server.url)/of/{owners.id}\", key: id}\n")
        let run = try await place.run("rename owners people")
        #expect(run.code == 64 && run.errors.contains("write both feeds into one file"), "\(run.errors)")
    }

    @Test("A parent that is not in the file any more is an error that names it; what is stored stays")
    func parentMissing() async throws {
        let place = try place()
        _ = try await place.run("sync")
        let text = try place.text(of: "feedsync.yaml")
        try place.write(
            "feedsync.yaml", text.split(separator: "\n").filter { !$0.hasPrefix("  owners") }.joined(separator: "\n"))
        let run = try await place.run("sync")
        let problem = "feed `things` has a list for each row of `owners`, but there is no feed `owners`"
        #expect(run.code == 78 && run.errors.contains(problem), "\(run.errors)")
        #expect(try place.query("SELECT count(*) FROM things WHERE _removed_at IS NULL") == ["2"])
        try place.write("feedsync.yaml", text)
        #expect(try await place.run("sync things/1").code == 0)
        #expect(try place.query("SELECT count(*) FROM change WHERE kind <> 'new'") == ["0"])
    }

    @Test(
        "A changed condition takes effect with the next run: rows that it chooses no more lose their items, others get theirs"
    )
    func conditionChanged() async throws {
        let place = try place()
        place.server.route("/of/2") { _ in .json(#"[{"id":20}]"#) }
        let text = try place.text(of: "feedsync.yaml")
        func choose(_ condition: String) async throws -> [String] {
            try place.write(
                "feedsync.yaml",
                text.replacing("for_each: owners", with: "for_each: {feed: owners, where: \(condition)}"))
            let run = try await place.run("sync owners things")
            #expect(run.code == 0, "\(run.errors)")
            return try place.query("SELECT owners_id || ' ' || id FROM things WHERE _removed_at IS NULL ORDER BY 1")
        }
        #expect(try await choose("id = 1") == ["1 10", "1 11"])
        #expect(try await choose("id = 2") == ["2 20"])
        #expect(try await choose("id > 0") == ["1 10", "1 11", "2 20"])
    }

    @Test("A request may have columns of feeds further above; a row without a value there has no list")
    func columnsFurtherAbove() async throws {
        let place = try place()
        place.server.route("/owners") { _ in .json(#"[{"id":1,"name":"ann/x"},{"id":2}]"#) }
        place.server.route("/of/2") { _ in .json(#"[{"id":20}]"#) }
        let text = try place.text(of: "feedsync.yaml").replacing(
            "{of: \"{things.id}\"}", with: "{of: \"{owners.name} {things.id}\"}")
        try place.write("feedsync.yaml", text)
        let run = try await place.run("sync")
        #expect(run.code == 0, "\(run.errors)")
        #expect(try place.query("SELECT id FROM parts ORDER BY 1") == ["ann/x 10x", "ann/x 11x"])
        try place.write("feedsync.yaml", text.replacing("{owners.name}", with: "{owners.nmae}"))
        let wrong = try await place.run("sync parts")
        #expect(
            wrong.code == 78
                && wrong.errors.contains("the items of `owners` have no column `nmae`; did you mean `name`?"),
            "\(wrong.errors)")
        try place.write("feedsync.yaml", text.replacing("{owners.name}", with: "{others.name}"))
        let unknown = try await place.run("sync parts")
        #expect(
            unknown.code == 78
                && unknown.errors.contains(
                    "names no column of `things`, whose rows its `for_each` goes through, nor of a feed above it; did you mean `{owners.name}`?"
                ),
            "\(unknown.errors)")
    }

    @Test("The parent's key is a column like the others, for show and for the model's view")
    func columns() async throws {
        let place = try place()
        _ = try await place.run("sync")
        let shown = try await place.run("show parts --columns things_owners_id,things_id,id").output
        let lines = shown.split(separator: "\n")
        #expect(lines.first == "things_owners_id\tthings_id\tid")
        #expect(lines.dropFirst().sorted() == ["1\t10\t10x", "1\t11\t11x"])
        #expect(try await place.run("show parts").output.hasPrefix("things_owners_id\tthings_id\tid"))
    }

    @Test("plan and explain say which lists come next, and why; show has the rows of one")
    func next() async throws {
        let place = try place()
        _ = try await place.run("sync")
        place.server.route("/owners") { _ in .json(#"[{"id":3},{"id":1},{"id":2}]"#) }
        _ = try await place.run("sync owners")
        let plan = try await place.run("plan things --json")
        let never = #""never":1,"changed":0,"due":0,"next":[{"feed":"things/3","reason":"never","next_due_at":null,"#
        #expect(plan.output.contains(#""lists":{"parent":"owners","rows":3,"# + never), "\(plan.output)")
        let explanation = try await place.run("explain things")
        #expect(
            explanation.output.contains(
                "  one for each of 3 rows of owners: 1 never asked for\n  things/3  never asked for\n"),
            "\(explanation.output)")
        #expect(explanation.output.contains("GET \(place.server.url)/of/3\n"), "\(explanation.output)")
        #expect(explanation.output.contains(", it failed\n"), "\(explanation.output)")
        let part = try await place.run("explain things/1")
        #expect(part.output.contains("    key: id\n") && part.output.contains("owners_id 1\n"), "\(part.output)")
        #expect(try await place.run("show things/1 --columns owners_id,id").output == "owners_id\tid\n1\t10\n1\t11\n")
        #expect(try await place.run("show parts/1/11 --columns id").output == "id\n11x\n")
        // A row that changed comes before what is due.
        place.server.route("/owners") { _ in .json(#"[{"id":3},{"id":1,"name":"x"},{"id":2}]"#) }
        place.server.route("/of/3") { _ in .json("[]") }
        _ = try await place.run("sync owners things/3")
        let changed = try await place.run("explain things")
        #expect(changed.output.contains("1 whose row changed\n"), "\(changed.output)")
        #expect(changed.output.contains("its row of owners changed\n"), "\(changed.output)")
    }

    @Test("Reset forgets what is known of each list, or of one; rekey says why it cannot be")
    func reset() async throws {
        let place = try place()
        _ = try await place.run("sync")
        #expect(try await place.run("reset parts/1/10").code == 0)
        #expect(
            try place.query("SELECT feed FROM _feed_part WHERE crawl IS NULL AND feed GLOB 'parts/*'") == ["parts/1/10"]
        )
        #expect(try await place.run("reset parts").code == 0)
        #expect(try place.query("SELECT count(*) FROM _feed_part WHERE crawl IS NULL AND feed GLOB 'parts/*'") == ["2"])
        #expect(try await place.run("prune parts/1/10").code == 64)
        let text = try place.text(of: "feedsync.yaml").replacing(
            "query: {of: \"{things.id}\"}}",
            with: "query: {of: \"{things.id}\"}, key: [id, x], columns: {id: id, x: id}}")
        try place.write("feedsync.yaml", text)
        let rekey = try await place.run("rekey parts")
        #expect(rekey.code == 78 && rekey.errors.contains("has a list for each row of another"), "\(rekey.errors)")
        let sync = try await place.run("sync parts")
        #expect(sync.code == 78 && sync.errors.contains("feedsync remove parts --data"), "\(sync.errors)")
    }

    @Test("Stored rows are not mixed with others after the parent's key got more columns")
    func parentRekeyed() async throws {
        let place = try place()
        _ = try await place.run("sync")
        place.server.route("/owners") { _ in .json(#"[{"id":1,"land":"x"},{"id":2,"land":"y"}]"#) }
        _ = try await place.run("sync owners")
        let text = try place.text(of: "feedsync.yaml").replacing("/owners\"}", with: "/owners\", key: [land, id]}")
        try place.write("feedsync.yaml", text)
        #expect(try await place.run("rekey owners").code == 0)
        let sync = try await place.run("sync things")
        #expect(sync.code == 78)
        #expect(
            sync.errors.contains("the key of `owners` has 2 columns now, and the stored rows have 1"), "\(sync.errors)")
        #expect(try place.query("SELECT count(*) FROM things WHERE _removed_at IS NULL") == ["2"])
    }

    @Test(
        "If the values of the parent's key change, the old lists go with their items, and each list is requested again"
    )
    func parentRenumbered() async throws {
        let place = try place()
        place.server.route("/owners") { _ in .json(#"[{"id":1,"land":"x"},{"id":2,"land":"y"}]"#) }
        _ = try await place.run("sync owners things")
        let text = try place.text(of: "feedsync.yaml").replacing("/owners\"}", with: "/owners\", key: land}")
        try place.write("feedsync.yaml", text)
        #expect(try await place.run("rekey owners").code == 0)
        place.server.route("/of/2") { _ in .json("[]") }
        #expect(try await place.run("sync things").code == 0)
        #expect(
            try place.query("SELECT owners_id || '|' || id || '|' || (_removed_at IS NULL) FROM things ORDER BY 1")
                == ["1|10|0", "1|11|0", "x|10|1", "x|11|1"])
        #expect(try place.query("SELECT item_count FROM feed WHERE name = 'things'") == ["2"])
    }
}
