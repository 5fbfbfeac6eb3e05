import FeedSync
import Foundation
import HTTP
import HTTPServer
import JSON
import SQLite
import ScriptedServer
import Testing
import Web

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
                target = page.next
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
            let first = try await place.ask("/feeds/things/schema?limit=1")
            #expect(first.list("after") == ["\"text\""])
            let second = try await place.ask(try #require(first.next))
            #expect(second.list("kind") == ["\"gone\""])
            #expect(second.link("first") == "/feeds/things/schema?limit=1")
            #expect(try await place.ask("/feeds/things/schema?before=0").status == 400)
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
            let next = try #require(page.next)
            #expect(try await place.ask(next).list("id") == ["7", "9"])
        }
    }

    @Test("The Link of a page stays on this server, however many slashes the request has")
    func slashes() async throws {
        try await WebPlace.serving { place in
            try await place.perform(.sync)
            let page = try await place.ask("//feeds//things/items?limit=5")
            let next = try #require(page.next)
            #expect(next.hasPrefix("/feeds/things/items?limit=5&after="))
            #expect(try await place.ask(next).list("id") == (6...10).map(String.init))
        }
    }

    @Test("A list is paged as it is, also when another process changed it between two pages")
    func changing() async throws {
        try await WebPlace.serving { place in
            try await place.perform(.sync)
            let first = try await place.ask("/feeds/things/items?limit=5")
            #expect(first.list("id") == ["1", "2", "3", "4", "5"])
            let next = try #require(first.next)
            place.feed.edit { $0 = PagedFeed.items([101, 102]) + $0.filter { !$0.contains("\"id\":7,") } }
            try await place.perform(.reload)
            #expect(try await place.ask("/feeds/things/items?limit=5").list("id") == ["101", "102", "1", "2", "3"])
            // Items that moved to the head may come again, but the items further down are not lost.
            let ids = try await place.ask(next.replacing("limit=5", with: "limit=1000")).list("id")
            #expect(Set((11...25).map(String.init)).isSubset(of: ids))
        }
    }

    @Test("Lists are given line by line, with their number and a way back, where that is asked for")
    func linesAndTotals() async throws {
        try await WebPlace.serving { place in
            for command in [RequestCommand.reload, .nextPage, .sync] { try await place.perform(command) }
            let items = try await place.ask("/feeds/things/items?limit=4&format=ndjson&total=true")
            #expect(items.header("Content-Type") == "application/x-ndjson")
            #expect(items.header("X-Total-Count") == "25")
            let lines = items.body.split(separator: "\n")
            #expect(try lines.map { try JSONValue(parsing: String($0)).json }.count == 4)
            #expect(items.body.hasSuffix("}\n") && items.link("first") == nil)
            let next = try await place.ask(try #require(items.next))
            #expect(next.header("Content-Type") == "application/x-ndjson" && next.header("X-Total-Count") == "25")
            let first = try #require(next.link("first"))
            #expect(try await place.ask(first).body == items.body)
            #expect(
                try await place.ask("/feeds/things/items?where=id+%3E+20&total=true").header("X-Total-Count") == "5")
            #expect(try await place.ask("/feeds/things/items?q=item&total=true").header("X-Total-Count") == "25")
            #expect(try await place.ask("/feeds/things/items?q=no+such&format=ndjson").body.isEmpty)
            #expect(
                try await place.ask("/feeds/things/changes?limit=3&format=ndjson").body.split(separator: "\n").count
                    == 3)
            #expect(try await place.ask("/feeds/things/items?format=xml").status == 400)
            #expect(try await place.ask("/runs?format=csv").status == 400)
        }
    }

    @Test("Runs are paged by Link, each once and the newest first", arguments: ["/runs", "/feeds/things/runs"])
    func runPages(path: String) async throws {
        try await WebPlace.serving { place in
            for command in [RequestCommand.reload, .nextPage, .nextPage, .sync, .sync] {
                try await place.perform(command)
            }
            let all = try await place.ask("\(path)?limit=1000&total=true")
            #expect(all.header("X-Total-Count") == "5" && all.next == nil)
            var (ids, target) = ([String](), Optional("\(path)?limit=2"))
            while let next = target, ids.count < 10 {
                let page = try await place.ask(next)
                ids += page.list("id")
                target = page.next
            }
            #expect(ids == all.list("id") && ids.count == 5)
            #expect(try await place.ask("\(path)?before=x").status == 400)
        }
    }

    @Test("An export has every item, whatever its format and however many pages it is read in")
    func export() async throws {
        let items = (1...2_345).map { #"{"id":\#($0),"name":"a, \"b\" \#($0)"}"# }
        try await WebPlace.serving(items: items, extra: "sync: {mode: all}") { place in
            try await place.perform(.sync)
            let lines = try await place.ask("/feeds/things/export?format=ndjson")
            #expect(lines.header("Content-Disposition") == "attachment; filename=\"things.ndjson\"")
            // The body comes in chunks, whose sizes stand between the lines.
            #expect(lines.body.components(separatedBy: "{\"id\":").count == 2_345 + 1)
            let table = try await place.ask("/feeds/things/export?format=csv")
            #expect(table.body.contains("id,name\r\n1,\"a, \"\"b\"\" 1\"\r\n"))
            #expect(table.body.components(separatedBy: "id,name\r\n").count == 2)
            #expect(table.body.hasSuffix("0\r\n\r\n") && table.body.contains("2345,\"a, "))
            #expect(try await place.ask("/feeds/nothing/export").status == 404)
        }
    }

    @Test(
        "A body is coded for the clients that take a coding, and not for others",
        arguments: [
            (nil, nil), ("identity", nil), ("gzip", "gzip"), ("gzip, deflate, br, zstd", "br"),
            ("br;q=0, gzip", "gzip"),
            ("gzip;q=0.9, br;q=0.5", "gzip"), ("*", "br"), ("*;q=0", nil), ("deflate", nil), ("", nil),
            ("gzip;q=x", nil),
        ] as [(String?, String?)])
    func codings(accepted: String?, coding: String?) async throws {
        try await WebPlace.serving { place in
            try await place.perform(.sync)
            let headers = accepted.map { ["Accept-Encoding": $0] } ?? [:]
            for target in ["/feeds/things/items", "/list/things/rows", "/openapi.json", "/assets/list.js"] {
                let plain = try await place.ask(target)
                let reply = try await place.ask(target, headers: headers)
                #expect(reply.header("Content-Encoding") == coding, "\(target)")
                #expect(reply.header("Vary")?.contains("Accept-Encoding") == true)
                guard coding != nil else { continue }
                let count = Int(reply.header("Content-Length") ?? "") ?? 0
                #expect(count > 0 && count < plain.body.utf8.count)
                let tag = try #require(reply.header("ETag"))
                #expect(tag.hasPrefix("W/") && "W/\(plain.header("ETag") ?? "")" == tag)
                let again = try await place.ask(target, headers: headers.merging(["If-None-Match": tag]) { $1 })
                #expect(again.status == 304 && again.body.isEmpty)
            }
            // Too short to be worth it.
            #expect(try await place.ask("/session", headers: headers).header("Content-Encoding") == nil)
        }
    }

    @Test("A coded body is the body")
    func codedBody() throws {
        let text = Array(String(repeating: "feedsync mirrors feeds; ", count: 400).utf8)
        for coder in ContentEncoder.allCases {
            let coded = try #require(coder.encoded(text))
            #expect(coded.count * 20 < text.count)
            let decoder = try #require(try ContentDecoder([coder.rawValue], limit: 1 << 20))
            var decoded: [UInt8] = []
            try coded.withUnsafeBytes { bytes in
                try decoder.decode(bytes) {
                    decoded += Array($0)
                    return true
                }
            }
            #expect(decoded == text && decoder.isAtEnd)
            #expect(coder.encoded([1]) == nil)
        }
    }

    @Test("Scripts of a listed origin use the API, with a token also to change something; others do not")
    func sharedOrigins() async throws {
        let secret = "0123456789abcdef-secret"
        try await WebPlace.serving(change: { settings in
            settings.access.origins = ["https://app.example"]
            settings.access.token = { secret }
        }) { place in
            let own = ["Origin": "https://app.example", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"]
            let reply = try await place.ask("/feeds", headers: own)
            #expect(reply.status == 200 && reply.header("Access-Control-Allow-Origin") == "https://app.example")
            #expect(reply.header("Vary")?.contains("Origin") == true)
            #expect(reply.header("Access-Control-Allow-Credentials") == nil)
            let preflight = try await place.ask(
                "/feeds/things/reload", method: "OPTIONS",
                headers: own.merging(["Access-Control-Request-Method": "POST"]) { $1 })
            #expect(preflight.status == 204)
            #expect(preflight.header("Access-Control-Allow-Headers")?.contains("Authorization") == true)
            #expect(try await place.ask("/feeds/things/reload", method: "POST", headers: own).status == 403)
            let signed = own.merging(["Authorization": "Bearer \(secret)"]) { $1 }
            #expect(try await place.ask("/feeds/things/reload", method: "POST", headers: signed).status == 200)
            for target in ["/session", "/list/things", "/add"] {
                #expect(try await place.ask(target, headers: own).status == 403, "\(target)")
            }
            let other = own.merging(["Origin": "https://evil.example"]) { $1 }
            #expect(try await place.ask("/feeds", headers: other).status == 403)
            let unasked = try await place.ask("/feeds/things/reload", method: "OPTIONS", headers: other)
            #expect(unasked.status != 204 && unasked.header("Access-Control-Allow-Origin") == nil)
            #expect(try await place.ask("/feeds").header("Access-Control-Allow-Origin") == nil)
        }
    }

    @Test("Each GET has a tag, and a client that has it gets 304 until something changes")
    func tags() async throws {
        try await WebPlace.serving { place in
            try await place.perform(.reload)
            for target in [
                "/feeds/things/items", "/feeds/things/sections", "/runs", "/openapi.json", "/assets/app.js", "/session",
                "/health", "/feeds", "/feeds/things", "/list/things", "/list/things/rows", "/", "/login",
            ] {
                var tag = try #require(try await place.ask(target).header("ETag"))
                var again = try await place.ask(target, headers: ["If-None-Match": tag])
                // The list of feeds says how many seconds ago each was loaded: another second may have begun.
                for _ in 0..<5 where target == "/" && again.status == 200 {
                    tag = try #require(again.header("ETag"))
                    again = try await place.ask(target, headers: ["If-None-Match": tag])
                }
                #expect(again.status == 304, "\(target)")
                #expect(again.body.isEmpty)
                #expect(again.header("ETag") == tag)
            }
            let tag = try await place.ask("/feeds/things/items").header("ETag") ?? ""
            try await place.perform(.nextPage)
            #expect(try await place.ask("/feeds/things/items", headers: ["If-None-Match": tag]).status == 200)
        }
    }

    @Test("The reason for a feed's state has exact times for programs, and so the same tag as time passes")
    func reasons() async throws {
        try await WebPlace.serving { place in
            try await place.perform(.sync)
            let feed = try await place.ask("/feeds/things")
            let fullAt = try #require(feed.member("full_at"))
            #expect(feed.member("state") == "\"fresh\"")
            #expect(feed.member("why") == "\"at \(fullAt.dropFirst())")
            #expect(try await place.ask("/feeds").list("why") == [feed.member("why")])
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
                    target = page.next
                }
                // Sections come one after the other.
                #expect(ids.sorted() == ["1", "2", "3", "4", "6", "7", "8", "9"])
                #expect(try await place.ask("/feeds/things/items?q=te&section=1").list("id") == ["1", "3", "7", "9"])
                #expect(try await place.ask("/feeds/things/items?q=te&section=1&limit=2").next != nil)
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
            let mirror = try await FeedMirror(path: "\(place.folder)/second.db")
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
                    path.replacing("{feed}", with: "things").replacing("{key}", with: "1")
                        .replacing("{part}", with: "1") + needed)
                // It has no pictures, no parameter to search by, no lists, and no file for new feeds.
                // No visitor has a code.
                let status = ["/open", "/feeds/{feed}/definition"].contains(path) ? 403 : 200
                let isMissing =
                    ["/picture/{feed}", "/search/{feed}", "/add"].contains(path) || path.contains("{part}")
                #expect(reply.status == (isMissing ? 404 : status), "\(path)")
                let programs = ["feeds", "changes", "runs", "quota", "session", "health", "metrics", "openapi.json"]
                let isForPrograms = programs.contains { path.split(separator: "/").first == $0[...] }
                if isForPrograms, !path.hasPrefix("/changes/") {
                    #expect(reply.link("service-desc") == "/openapi.json", "\(path)")
                }
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

    @Test("Each run is counted once, also one whose number is lower than that of a run before it")
    func numbersOfWorkers() async throws {
        try await WebPlace.serving { place in
            try await place.perform(.reload)
            let store = try Connection(path: "\(place.folder)/feedsync.db", access: .readWrite)
            try store.execute("UPDATE run SET id = 900")
            func count() async throws -> String? {
                let lines = try await place.ask("/metrics").body.split(separator: "\n")
                let name = "feedsync_runs_total{feed=\"things\",outcome=\"ok\"} "
                return lines.first { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) }
            }
            #expect(try await count() == "1")
            try store.execute(
                """
                INSERT INTO run (id, feed, command, started_at, finished_at, outcome)
                    SELECT 20, feed, command, started_at, finished_at, outcome FROM run;
                INSERT INTO run (id, feed, command, started_at) SELECT 10, feed, command, started_at FROM run WHERE id = 20
                """)
            for _ in 1...2 { #expect(try await count() == "2") }
            try store.execute("UPDATE run SET finished_at = started_at, outcome = 'ok' WHERE id = 10")
            #expect(try await count() == "3")
            try store.execute("UPDATE run SET feed = 'others'; DELETE FROM run WHERE id = 900")
            #expect(try await count() == "3")
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
