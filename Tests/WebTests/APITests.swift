import FeedSync
import Foundation
import HTTPServer
import JSON
import ScriptedServer
import Testing

@Suite(.timeLimit(.minutes(10))) struct APITests {
    @Test("Commands answer with their run, and items are paged by Link, each once and in feed order")
    func paging() async throws {
        try await WebPlace.serving { place in
            let run = try await place.post("/feeds/things/reload")
            #expect(run.status == 200)
            #expect(run.member("inserted") == "10")
            #expect(try await place.post("/feeds/things/more").member("inserted") == "10")
            #expect(try await place.post("/feeds/things/sync").member("outcome") == "\"ok\"")
            var target: String? = "/feeds/things/items?limit=4"
            var ids: [String] = []
            while let next = target {
                let page = try await place.ask(next)
                #expect(page.status == 200)
                ids += page.list("id")
                target = page.header("Link").map { String($0.dropFirst().prefix { $0 != ">" }) }
                #expect(page.header("Link")?.hasSuffix("; rel=\"next\"") ?? true)
            }
            #expect(ids == (1...25).map(String.init))
            #expect(
                try await place.ask("/feeds/things/runs").list("command") == ["\"sync\"", "\"more\"", "\"reload\""])
            #expect(try await place.ask("/feeds").list("item_count") == ["25"])
            #expect(try await place.ask("/feeds/things/sections").list("item_count") == ["25"])
        }
    }

    @Test("The changes of a feed's columns are a list, the newest first")
    func schema() async throws {
        try await WebPlace.serving(columns: "") { place in
            try await place.perform(.sync)
            #expect(try await place.ask("/feeds/things/schema").list("column") == [])
            place.feed.edit { items in items = items.map { $0.replacing("\"name\"", with: "\"label\"") } }
            try await place.perform(.sync)
            try await place.perform(.sync)
            let changes = try await place.ask("/feeds/things/schema")
            #expect(changes.list("column") == ["\"label\"", "\"name\""])
            #expect(changes.list("kind") == ["\"new\"", "\"gone\""])
            #expect(try await place.ask("/feeds/things/schema?limit=1").list("after") == ["\"text\""])
            #expect(try await place.ask("/feeds/nothing/schema").status == 404)
        }
    }

    @Test("A list that is read by section has only that section's items, page by page")
    func sections() async throws {
        let items = (1...9).map { #"{"id":\#($0),"name":"item","kind":"\#($0 % 2 == 0 ? "even" : "odd &")"}"# }
        try await WebPlace.serving(items: items, extra: "section: {path: kind}") { place in
            try await place.perform(.sync)
            let page = try await place.ask("/feeds/things/items?limit=3&section=odd+%26")
            #expect(page.list("id") == ["1", "3", "5"])
            let next = try #require(page.header("Link").map { String($0.dropFirst().prefix { $0 != ">" }) })
            #expect(try await place.ask(next).list("id") == ["7", "9"])
        }
    }

    @Test("The Link of a page stays on this server, however many slashes the request has")
    func slashes() async throws {
        try await WebPlace.serving { place in
            try await place.perform(.sync)
            let page = try await place.ask("//feeds//things/items?limit=5")
            let next = try #require(page.header("Link").map { String($0.dropFirst().prefix { $0 != ">" }) })
            #expect(next.hasPrefix("/feeds/things/items?limit=5&after="))
            #expect(try await place.ask(next).list("id") == (6...10).map(String.init))
        }
    }

    @Test("A list is paged as it stands, also when another process changed it between two pages")
    func changing() async throws {
        try await WebPlace.serving { place in
            try await place.perform(.sync)
            let first = try await place.ask("/feeds/things/items?limit=5")
            #expect(first.list("id") == ["1", "2", "3", "4", "5"])
            let next = try #require(first.header("Link").map { String($0.dropFirst().prefix { $0 != ">" }) })
            place.feed.edit { $0 = PagedFeed.items([101, 102]) + $0.filter { !$0.contains("\"id\":7,") } }
            try await place.perform(.reload)
            #expect(try await place.ask("/feeds/things/items?limit=5").list("id") == ["101", "102", "1", "2", "3"])
            // Those that moved to the head come again or not, but what stands further down is not lost.
            let ids = try await place.ask(next.replacing("limit=5", with: "limit=1000")).list("id")
            #expect(Set((11...25).map(String.init)).isSubset(of: ids))
        }
    }

    @Test("Each GET has a tag, and a client that has it is told so until something changes")
    func tags() async throws {
        try await WebPlace.serving { place in
            try await place.perform(.reload)
            for target in [
                "/feeds/things/items", "/feeds/things/sections", "/runs", "/openapi.json", "/assets/app.js", "/session",
                "/health", "/feeds", "/list/things", "/list/things/rows", "/", "/login",
            ] {
                let first = try await place.ask(target)
                let tag = try #require(first.header("ETag"))
                let again = try await place.ask(target, headers: ["If-None-Match": tag])
                #expect(again.status == 304, "\(target)")
                #expect(again.body.isEmpty)
                #expect(again.header("ETag") == tag)
            }
            let tag = try await place.ask("/feeds/things/items").header("ETag") ?? ""
            try await place.perform(.nextPage)
            #expect(try await place.ask("/feeds/things/items", headers: ["If-None-Match": tag]).status == 200)
        }
    }

    @Test("Words are found whether the feed has an index or not")
    func search() async throws {
        for extra in ["", "search: [name]"] {
            try await WebPlace.serving(
                items: [#"{"id":1,"name":"Café crème"}"#, #"{"id":2,"name":"Tea 漢字 x"}"#], extra: extra
            ) {
                place in
                try await place.perform(.sync)
                #expect(try await place.ask("/feeds/things/items?q=caf").list("id") == ["1"])
                #expect(try await place.ask("/feeds/things/items?q=%E6%BC%A2").list("id") == ["2"])
                #expect(try await place.ask("/feeds/things/items?q=nothing").list("id") == [])
                if !extra.isEmpty {
                    #expect(try await place.ask("/feeds/things/items?q=cafe+CREME").list("id") == ["1"])
                }
            }
        }
    }

    @Test("Items with all words of a text are paged in feed order, in one section too, with an index and without")
    func searchPages() async throws {
        let items = (1...9).map { #"{"id":\#($0),"name":"\#($0 == 5 ? "x" : "tea")","kind":"\#($0 % 2)"}"# }
        for extra in ["section: {path: kind}", "{section: {path: kind}, search: [name]}"] {
            let members = extra.hasPrefix("{") ? "section: {path: kind}\n    search: [name]" : extra
            try await WebPlace.serving(items: items, extra: members) { place in
                try await place.perform(.sync)
                var target: String? = "/feeds/things/items?q=te&order=place&limit=3"
                var ids: [String] = []
                while let next = target {
                    let page = try await place.ask(next)
                    ids += page.list("id")
                    target = page.header("Link").map { String($0.dropFirst().prefix { $0 != ">" }) }
                }
                // Sections come one after the other.
                #expect(ids.sorted() == ["1", "2", "3", "4", "6", "7", "8", "9"])
                #expect(try await place.ask("/feeds/things/items?q=te&section=1").list("id") == ["1", "3", "7", "9"])
                #expect(try await place.ask("/feeds/things/items?q=te&section=1&limit=2").header("Link") != nil)
            }
        }
    }

    @Test(
        "A parameter that is not what it has to be is refused, not guessed at",
        arguments: [
            "/feeds/things/items?limit=0", "/feeds/things/items?limit=1001", "/runs?limit=x",
            "/feeds/things/items?order=name", "/events?after=x", "/list/things/rows?after=1",
            "/list/things/rows?order=name",
        ])
    func parameters(target: String) async throws {
        try await WebPlace.serving { place in
            let reply = try await place.ask(target)
            #expect(reply.status == 400 && reply.body.contains("\"advice\":\"see /openapi.json\""), "\(reply.body)")
        }
    }

    @Test(
        "A path that takes another method says which",
        arguments: [
            ("GET", "/feeds/things/reload", "POST"), ("POST", "/feeds", "GET, HEAD"), ("PUT", "/runs", "GET, HEAD"),
        ])
    func methods(method: String, target: String, allowed: String) async throws {
        try await WebPlace.serving { place in
            let reply = try await place.ask(
                target, method: method, headers: ["X-FeedSync-Token": try await place.token()])
            #expect(reply.status == 405)
            #expect(reply.header("Allow") == allowed)
        }
    }

    @Test("A failure has its kind, its advice and a status that names the side at fault")
    func failures() async throws {
        try await WebPlace.serving { place in
            #expect(try await place.ask("/feeds/nothing").status == 404)
            #expect(try await place.post("/feeds/nothing/reload").status == 404)
            #expect(try await place.post("/feeds/things/explode").status == 404)
            #expect(try await place.ask("/feeds/things/items?after=x").status == 400)
            #expect(try await place.ask("/feeds", method: "DELETE").status == 405)
            place.upstream.route("/things") { _ in .status(500) }
            let reply = try await place.post("/feeds/things/reload")
            #expect(reply.status == 502)
            #expect(reply.body.contains("\"kind\":\"unreachable\""))
            #expect(reply.body.contains("\"advice\":\""), "\(reply.body)")
        }
    }

    @Test("A feed that another process works on is refused with 409, which names it")
    func locked() async throws {
        try await WebPlace.serving { place in
            let gate = place.upstream.gate()
            place.feed.hold(page: 1, at: gate)
            async let other: Void = place.perform(.reload)
            await gate.arrived()
            let reply = try await place.post("/feeds/things/reload")
            #expect(reply.status == 409)
            #expect(reply.body.contains("\"kind\":\"locked\""))
            gate.open()
            try await other
        }
    }

    @Test("feedsync can mirror feedsync: by the address alone, every item once")
    func mirrorOfMirror() async throws {
        try await WebPlace.serving { place in
            try await place.perform(.sync)
            let url = "http://127.0.0.1:\(place.port)/feeds/things/items?limit=7"
            let mirror = try await Mirror(path: "\(place.folder)/second.db")
            let feed = try await mirror.feed(try FeedDefinition("copy", ["url": "\(url)", "key": "id"]))
            try await feed.perform(.sync)
            #expect(try await mirror.feeds().first?.itemCount == 25)
            #expect(try await mirror.feeds().first?.isComplete == true)
            await mirror.close()
        }
    }

    @Test("The description names each path that is served, and its references lead somewhere")
    func description() async throws {
        try await WebPlace.serving { place in
            let reply = try await place.ask("/openapi.json")
            guard case .object(let document)? = reply.json, case .object(let paths)? = document["paths"],
                case .object(let components)? = document["components"],
                case .object(let schemas)? = components["schemas"]
            else {
                Issue.record("no document")
                return
            }
            #expect(document["openapi"]?.json == "\"3.1.0\"")
            try await place.perform(.reload)
            for (path, operations) in paths.map({ ($0.name, $0.value) }) where path != "/events" {
                guard case .object(let methods) = operations, methods["get"] != nil else { continue }
                let needed = ["/picture/{feed}": "?key=1"][path] ?? ""
                let reply = try await place.ask(
                    path.replacing("{feed}", with: "things").replacing("{key}", with: "1") + needed)
                // It has no pictures, no parameter to search by, and no file for new feeds.
                // Nobody has a code.
                let status = path == "/open" ? 403 : 200
                let isMissing = ["/picture/{feed}", "/search/{feed}", "/add"].contains(path)
                #expect(reply.status == (isMissing ? 404 : status), "\(path)")
            }
            for part in reply.body.components(separatedBy: "#/components/schemas/").dropFirst() {
                let name = String(part.prefix { $0 != "\"" })
                #expect(schemas[name] != nil, "\(name)")
            }
        }
    }

    @Test("Figures for Prometheus only grow, also where old runs are deleted")
    func metrics() async throws {
        try await WebPlace.serving { place in
            try await place.perform(.sync)
            let line = "feedsync_run_items_total{feed=\"things\",outcome=\"ok\",kind=\"inserted\"} 25\n"
            #expect(try await place.ask("/metrics").body.contains(line))
            try await place.perform(.reload)
            let text = try await place.ask("/metrics").body
            #expect(text.contains(line))
            #expect(text.contains("feedsync_runs_total{feed=\"things\",outcome=\"unchanged\"} 1\n"))
            #expect(text.contains("feedsync_items{feed=\"things\"} 25\n"))
            #expect(text.contains("feedsync_seconds_since_complete_sync{feed=\"things\"} "))
        }
    }

    @Test("Each figure has one line, also where feeds of one host have credentials of their own")
    func quotas() async throws {
        let upstream = try ScriptedServer()
        let left = ["one": "41", "two": "40"]
        upstream.route("/other") { request in
            let remaining = left[request.header("X-Api-Key") ?? ""] ?? "59"
            return ServerResponse(
                headers: [
                    (name: "Content-Type", value: "application/json"), (name: "X-RateLimit-Limit", value: "60"),
                    (name: "X-RateLimit-Remaining", value: remaining),
                ], body: Array(#"{"items":[{"id":1,"name":"a"}]}"#.utf8))
        }
        let others = ["one", "two"].map { name in
            """
              \(name):
                url: \(upstream.url)/other
                headers: {X-Api-Key: \(name)}
                items: items
                key: id
                pagination: none
            """
        }
        try await WebPlace.serving(extra: "every: 1h\n" + others.joined(separator: "\n")) { place in
            for feed in ["one", "two"] { try await place.perform(.reload, on: feed) }
            let lines = try await place.ask("/metrics").body.split(separator: "\n").filter { !$0.hasPrefix("#") }
            let series = lines.compactMap { $0.split(separator: " ").first }
            #expect(Set(series).count == series.count)
            let quota = lines.filter { $0.hasPrefix("feedsync_quota_remaining{") }
            #expect(quota == ["feedsync_quota_remaining{origin=\"\(upstream.url)\",resource=\"\"} 40"])
            // The table tells them apart, and names no credential.
            let page = try await place.ask("/status").body
            for credential in ["1", "2"] { #expect(page.contains("<td>\(credential)</td>")) }
            #expect(Set(try await place.ask("/quota").list("remaining")) == ["40", "41"])
        }
    }
}
