import FeedSync
import Foundation
import HTTPServer
import ScriptedServer
import Testing
import Web

/// The pages as they are written, without a browser.
@Suite(.timeLimit(.minutes(10))) struct PagesTests {
    private static let items = (1...130).map { number in
        #"""
        {"id":\#(number),"name":"item \#(number)","about":"Of \#(number), in words","site":"https://things.example/\#(number)",
         "group":"\#(number % 2 == 0 ? "even" : "odd")","stars":\#(number * 7),"none":null}
        """#
    }
    private static let members = """
        columns: {id: id, name: name, about: about, site: site, stars: {path: stars, type: integer}, none: none}
            section: group
            raw: true
            show: {title: name, text: about, link: site, figures: [stars]}
            search: {columns: [name, about], param: q}
            sync: {mode: all}
        """

    /// A place with 130 items in two sections, all of them stored.
    private func serving(_ body: (WebPlace) async throws -> Void) async throws {
        try await WebPlace.servingEditable(items: Self.items) { place in
            let file = "\(place.folder)/feedsync.yaml"
            let text = WebPlace.configuration(place.upstream.url, "columns: {id: id, name: name}", Self.members)
                .replacing("    columns: {id: id, name: name}\n", with: "")
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            // The server follows the file: by then it knows of the parameter to search with.
            while try await place.ask("/search/things").status != 200 { try await Task.sleep(for: .milliseconds(10)) }
            try await place.perform(.sync)
            try await body(place)
        }
    }

    @Test("An item's page has its columns, its link, when it came, and its JSON")
    func item() async throws {
        try await serving { place in
            let body = try await place.page("/item/things?key=7")
            for text in [
                ">item 7</h1>", "Of 7, in words", "href=\"https://things.example/7\"", "Open on the web",
                "<dt>stars</dt>",
                ">49</dd>", "class=\"none\"", "As it was received", "First seen ",
            ] { #expect(body.contains(text), "\(text)") }
            place.feed.edit { $0[6] = $0[6].replacing("Of 7, in words", with: "Of seven") }
            place.feed.edit { $0.removeLast() }
            try await place.perform(.sync)
            let changed = try await place.page("/item/things?key=7")
            #expect(changed.contains("Of seven") && changed.contains("last changed"))
            #expect(try await place.page("/item/things?key=130").contains("gone from the server since"))
            let unknown = try await place.ask("/item/things?key=999", headers: ["Accept": "text/html"])
            #expect(unknown.status == 404 && unknown.body.contains("There is nothing here"))
        }
    }

    @Test("Pages say that the store's file was replaced, and the API gives the reason in place of old rows")
    func replacedStore() async throws {
        try await serving { place in
            let store = "\(place.folder)/feedsync.db"
            let listener = try RawConnection(port: place.port)
            listener.send("GET /events HTTP/1.1\r\nHost: 127.0.0.1:\(place.port)\r\n\r\n")
            _ = await listener.read(until: "retry: 1000")
            try FileManager.default.moveItem(atPath: store, toPath: "\(store).old")
            // The server follows the file, and open pages learn of it.
            while try await place.ask("/feeds").status == 200 { try await Task.sleep(for: .milliseconds(10)) }
            _ = await listener.read(until: "event: change")
            for target in ["/feeds", "/feeds/things/items", "/changes", "/metrics", "/list/things/rows"] {
                let reply = try await place.ask(target)
                #expect(reply.status == 503 && reply.body.contains("deleted, moved or replaced"), "\(target)")
            }
            let html = ["Accept": "text/html"]
            for target in ["/", "/list/things", "/status", "/item/things?key=7"] {
                let reply = try await place.ask(target, headers: html)
                #expect(reply.status == 503 && reply.body.contains("The store was replaced"), "\(target)")
                let ofScript = try await place.ask(target, headers: html.merging(["Sec-Fetch-Dest": "empty"]) { $1 })
                #expect(ofScript.header("Content-Type") == "application/problem+json")
            }
            #expect(try await place.ask("/assets/app.js").status == 200)
            try FileManager.default.moveItem(atPath: "\(store).old", toPath: store)
            while try await place.ask("/feeds").status != 200 { try await Task.sleep(for: .milliseconds(10)) }
            #expect(try await place.page("/list/things").contains("Of 1, in words"))
        }
    }

    @Test("A list has its sections, texts and figures, and without scripts a link to more of it")
    func list() async throws {
        try await serving { place in
            let body = try await place.page("/list/things")
            for text in ["Of 1, in words", "class=\"figures\"", ">odd<", "Show more"] {
                #expect(body.contains(text), "\(text)")
            }
            let next = try #require(body.firstRange(of: "after=").map { body[$0.upperBound...].prefix { $0 != "\"" } })
            let more = try await place.page("/list/things?after=\(next.replacing("&amp;", with: "&"))")
            #expect(more.contains("item 130") && !more.contains(">item 1<"))
            let rows = try await place.page("/list/things/rows?after=\(next)")
            #expect(rows.contains("item 130"))
        }
    }

    @Test("A filter marks what it finds, says that it found nothing, and offers to search the upstream")
    func filter() async throws {
        try await serving { place in
            let body = try await place.page("/list/things?q=words")
            #expect(body.contains("<mark>words</mark>"))
            let nothing = try await place.page("/list/things?q=zebra")
            #expect(nothing.contains("No item has these words.") && nothing.contains("Search the server"))
        }
    }

    @Test("A filter counts all that it finds, and in feed order it goes on to the last")
    func filterGoesOn() async throws {
        try await serving { place in
            let first = try await place.page("/list/things/rows?q=words&limit=50")
            #expect(first.contains("data-more=\"true\" data-total=\"130\""), "\(first.prefix(200))")
            var target: String? = "/list/things/rows?q=words&order=place&limit=50"
            var count = 0
            while let next = target {
                let part = try await place.page(next)
                count += part.components(separatedBy: "class=\"row\"").count - 1
                let place = part.firstRange(of: "data-next=\"").map { part[$0.upperBound...].prefix { $0 != "\"" } }
                target =
                    part.contains("data-more=\"true\"")
                    ? place.map { "/list/things/rows?q=words&order=place&limit=50&after=\($0)" } : nil
            }
            #expect(count == 130)
        }
    }

    @Test("The state of a list says what fails, what to do, and offers to try again")
    func state() async throws {
        try await serving { place in
            let fresh = try await place.page("/list/things/state")
            #expect(fresh.contains("Checked <time class=\"ago\"") && fresh.contains("data-end=\"true\""), "\(fresh)")
            place.upstream.route("/things") { _ in .json("{}", status: 500) }
            await #expect(throws: (any Error).self) { try await place.perform(.reload) }
            let failing = try await place.page("/list/things/state")
            for text in ["why failure", "Try: ", ">Retry<", "data-command=\"reload\""] {
                #expect(failing.contains(text), "\(text)")
            }
        }
    }

    @Test("A sync that was stopped is no failure, says so once, and the list offers nothing to try again")
    func stopped() async throws {
        try await serving { place in
            let gate = Gate()
            place.feed.hold(page: 1, at: gate)
            let run = Task { try await place.perform(.sync) }
            await gate.arrived()
            run.cancel()
            await #expect(throws: (any Error).self) { try await run.value }
            gate.open()
            let state = try await place.page("/list/things/state")
            for text in ["failure", "Try: ", ">Retry<"] { #expect(!state.contains(text), "\(state)") }
            let status = try await place.page("/status")
            #expect(status.contains("class=\"log\"") && !status.contains("status wrong"))
            #expect(!status.contains("cancelled: "), "\(status)")
        }
    }

    @Test("A feed whose sync failed is failing until a sync succeeds, whatever else does, and offers to sync")
    func failedSync() async throws {
        try await serving { place in
            place.upstream.route("/things") { _ in .json("{}", status: 500) }
            await #expect(throws: (any Error).self) { try await place.perform(.sync) }
            place.upstream.route("/things", to: place.feed)
            try await place.perform(.reload)
            let failing = try await place.page("/list/things/state")
            for text in ["state failing", "why failure", "Try: ", ">Retry<", "data-command=\"sync\""] {
                #expect(failing.contains(text), "\(text)")
            }
            try await place.perform(.sync)
            let mended = try await place.page("/list/things/state")
            #expect(!mended.contains("failing") && !mended.contains("failure"))
        }
    }

    @Test("The page of all feeds and the status have each feed, its runs, its days, and what hosts allow")
    func status() async throws {
        try await serving { place in
            place.upstream.route("/things") { _ in
                .json(
                    #"{"items":[{"id":1,"name":"one","group":"odd"}],"total_count":1}"#,
                    headers: [
                        (name: "X-RateLimit-Remaining", value: "41"),
                        (name: "X-RateLimit-Reset", value: "\(Int(Date().timeIntervalSince1970) + 600)"),
                    ])
            }
            try await place.perform(.reload)
            #expect(try await place.page("/").contains("things"))
            let body = try await place.page("/status")
            for text in ["things", "<svg", "41", "Requests an hour", "sync", "reload"] {
                #expect(body.contains(text), "\(text)")
            }
            // Times are said as people say them, and numbers stand below one another.
            #expect(body.contains("<td class=\"number\">41</td>") && body.contains("<td><time class=\"ago\""))
            #expect(body.contains(">in 10 min</time>") || body.contains(">in 9 min"))
            #expect(body.contains("When: every ") && !body.contains("definition"))
        }
    }

    @Test("The page of an upstream search offers to keep it as a feed")
    func search() async throws {
        try await serving { place in
            let body = try await place.page("/search/things?q=item")
            #expect(body.contains("Keep as a feed") && body.contains("keep-name"))
        }
    }

    /// Asks for a page until it has a text; a watched file shows a moment later.
    private func page(_ place: WebPlace, _ target: String, until text: String) async throws -> String {
        var body = ""
        for _ in 0..<600 {
            body = try await place.page(target)
            if body.contains(text) { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(body.contains(text), "\(text)")
        return body
    }

    @Test(
        "The pages of all feeds show a mistake in the configuration, and keep the feeds as they were until it is fixed"
    )
    func mistake() async throws {
        try await serving { place in
            let file = "\(place.folder)/feedsync.yaml"
            let text = try String(contentsOfFile: file, encoding: .utf8)
            // A script renews the place.
            for target in ["/", "/status"] {
                #expect(try await place.page(target).contains("<div class=\"mistake\"></div>"))
            }
            try (text + "colour: red\n").write(toFile: file, atomically: true, encoding: .utf8)
            let body = try await page(place, "/", until: "The configuration has a mistake")
            #expect(body.contains("colour") && body.contains("/list/things"))
            #expect(try await place.page("/status").contains("<div class=\"mistake\"><div class=\"notice\""))
            #expect(try await place.post("/feeds/things/reload").status == 200)
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            var mended = body
            for _ in 0..<600 where mended.contains("has a mistake") {
                try await Task.sleep(for: .milliseconds(50))
                mended = try await place.page("/")
            }
            #expect(!mended.contains("has a mistake"))
        }
    }

    @Test("Feeds of a file that is included show when it is written")
    func included() async throws {
        try await serving { place in
            let file = "\(place.folder)/feedsync.yaml"
            let text = try String(contentsOfFile: file, encoding: .utf8)
            try FileManager.default.createDirectory(
                atPath: "\(place.folder)/teams/one", withIntermediateDirectories: true)
            try ("include: [teams/*/feeds.yaml, more-*.yaml]\n" + text).write(
                toFile: file, atomically: true, encoding: .utf8)
            _ = try await page(place, "/", until: "/list/things")
            let others = { (name: String) in "feeds: {\(name): {url: 'http://127.0.0.1:1/', items: items, key: id}}\n" }
            try others("first").write(
                toFile: "\(place.folder)/teams/one/feeds.yaml", atomically: true, encoding: .utf8)
            _ = try await page(place, "/", until: "/list/first")
            try others("second").write(toFile: "\(place.folder)/more-1.yaml", atomically: true, encoding: .utf8)
            _ = try await page(place, "/", until: "/list/second")
        }
    }

    @Test(
        "Folders that come later under patterns of an include are found, however deep, and a file that is moved away goes"
    )
    func includedLater() async throws {
        try await serving { place in
            let file = "\(place.folder)/feedsync.yaml"
            let text = try String(contentsOfFile: file, encoding: .utf8)
            try ("include: deep/*/*/feeds-*.yaml\n" + text).write(toFile: file, atomically: true, encoding: .utf8)
            _ = try await page(place, "/", until: "/list/things")
            for folder in ["deep", "deep/one", "deep/one/two"] {
                try FileManager.default.createDirectory(
                    atPath: "\(place.folder)/\(folder)", withIntermediateDirectories: false)
                // As somebody does it by hand, one after the other.
                try await Task.sleep(for: .milliseconds(300))
            }
            let path = "\(place.folder)/deep/one/two/feeds-1.yaml"
            try "feeds: {late: {url: 'http://127.0.0.1:1/', items: items, key: id}}\n".write(
                toFile: path, atomically: false, encoding: .utf8)
            _ = try await page(place, "/", until: "/list/late")
            try FileManager.default.moveItem(atPath: path, toPath: "\(place.folder)/gone.yaml")
            var body = "/list/late"
            for _ in 0..<600 where body.contains("/list/late") {
                try await Task.sleep(for: .milliseconds(50))
                body = try await place.page("/")
            }
            #expect(!body.contains("/list/late"))
        }
    }

    @Test("A list whose feed fails says what to do")
    func advice() async throws {
        try await serving { place in
            place.upstream.route("/things") { _ in .status(500) }
            try? await place.perform(.reload)
            let body = try await place.page("/list/things")
            #expect(body.contains(">Try: reload later; what is stored stays as it is<"))
            place.upstream.route("/things") { _ in .status(401) }
            #expect(try await place.post("/feeds/things/reload").member("advice")?.isEmpty == false)
        }
    }

    @Test("A feed whose variable is not set says which one to set, and where")
    func unsetVariable() async throws {
        try await WebPlace.serving(extra: "headers: {X-Trial: \"${FEEDSYNC_UNSET_VARIABLE}\"}") { place in
            try? await place.perform(.sync)
            let state = try await place.page("/list/things/state")
            #expect(state.contains("Try: set FEEDSYNC_UNSET_VARIABLE where `feedsync serve` runs, and start it again<"))
        }
    }

    @Test("An item whose title is empty goes by its key, and not by a bare number")
    func emptyTitle() async throws {
        let items = (1...9).map { number in
            #"{"id":"key \#(number)","name":"\#(number == 3 ? "" : "name \(number)")","rank":"\#(number * 7)"}"#
        }
        try await WebPlace.serving(items: items, columns: "") { place in
            try await place.perform(.sync)
            let body = try await place.page("/list/things")
            #expect(body.contains(">name 2</a>") && body.contains(">key 3</a>") && !body.contains(">21</a>"))
        }
    }

    @Test("A feed that is stored, but not configured any more, takes no command")
    func notConfigured() async throws {
        try await serving { place in
            let file = "\(place.folder)/feedsync.yaml"
            try "feeds: {other: {url: 'http://127.0.0.1:1/', items: items, key: id}}\n".write(
                toFile: file, atomically: true, encoding: .utf8)
            _ = try await page(place, "/", until: "/list/other")
            let reply = try await place.post("/feeds/things/reload")
            #expect(reply.status == 409 && reply.body.contains("undo the removal, or add it again"))
            #expect(try await place.post("/feeds/nothing/reload").status == 404)
        }
    }
}
