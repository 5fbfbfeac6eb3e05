import FeedSync
import ScriptedServer
import Testing

@testable import Web

@Suite(.timeLimit(.minutes(10))) struct ChangePagesTests {
    /// A place whose list lost and changed items, got new ones, and got one back.
    private func serving(extra: String = "", _ body: (WebPlace) async throws -> Void) async throws {
        try await WebPlace.serving(extra: "sync: {mode: all}\n    \(extra)") { place in
            try await place.perform(.sync)
            place.feed.edit { items in
                items.removeAll { $0.contains("\"id\":7,") }
                items[2] = #"{"id":3,"name":"<b>three</b>"}"#
                items = PagedFeed.items([101, 102]) + items
            }
            try await place.perform(.sync)
            place.feed.edit { $0.insert(#"{"id":7,"name":"item 7"}"#, at: 8) }
            try await place.perform(.sync)
            try await body(place)
        }
    }

    @Test("A feed's changes are by day: what is new, what changed from what to what, what went and what came back")
    func ofFeed() async throws {
        try await serving { place in
            let page = try await place.ask("/changes/things", headers: ["Accept": "text/html"]).body
            let newest = try await place.ask("/feeds/things/changes?limit=1")
            let at = try #require(newest.list("at").first)
            #expect(page.contains("<h2><time datetime=\(at.prefix(11))\">"))
            #expect(page.contains("27 new, 1 changed, 1 removed, 1 back") && page.contains(">Show 15 more<"))
            #expect(page.contains("<title>New, back and removed a day</title>"))
            #expect(
                page.contains(
                    "<span class=\"name\">name</span> <del dir=\"auto\">item 3</del>"
                        + "<span class=\"arrow\" aria-hidden=\"true\"> → </span><ins dir=\"auto\">&lt;b&gt;three&lt;/b&gt;</ins>"
                ))
            for kind in ["new\">new", "changed\">changed", "removed\">removed", "returned\">back"] {
                #expect(page.contains("<span class=\"kind \(kind)</span>"))
            }
            #expect(page.contains("href=\"/item/things?key=7\""))
        }
    }

    @Test("All feeds' changes are a page for a browser and a list for a program")
    func ofAll() async throws {
        try await serving { place in
            let page = try await place.ask("/changes", headers: ["Accept": "text/html"])
            #expect(page.body.contains("<h3 class=\"of-feed\"><a href=\"/changes/things\">things</a>"))
            let list = try await place.ask("/changes?limit=1000")
            #expect(list.list("kind").count == 30)
            #expect(list.header("Vary") == "Accept, Accept-Encoding")
        }
    }

    @Test(
        "The number of all changes is given on request, also of one kind, however few are on the page",
        arguments: [
            ("/feeds/things/changes?", "30"), ("/changes?", "30"), ("/changes?kind=new&", "27"),
            ("/feeds/things/changes?kind=removed&kind=returned&", "2"), ("/feeds/things/changes?kind=changed&", "1"),
        ])
    func total(target: String, count: String) async throws {
        try await serving { place in
            for limit in ["limit=1", "limit=1000"] {
                let page = try await place.ask("\(target)total=true&\(limit)")
                #expect(page.header("X-Total-Count") == count)
                if let next = page.next { #expect(try await place.ask(next).header("X-Total-Count") == count) }
            }
            #expect(try await place.ask(target + "limit=1").header("X-Total-Count") == nil)
        }
    }

    @Test("Pages of changes follow one another, and no change is missed or double, however many have one time")
    func pages() async throws {
        try await serving { place in
            let all = try await place.ask("/feeds/things/changes?limit=1000")
            let whole = zip(all.list("at"), zip(all.list("kind"), all.list("key"))).map { "\($0) \($1)" }
            #expect(whole.count == 30)
            #expect(all.list("at") == all.list("at").sorted(by: >))
            for limit in [1, 4, 7] {
                var (found, target) = ([String](), "/feeds/things/changes?limit=\(limit)")
                for _ in 0..<40 {
                    let reply = try await place.ask(target)
                    found += zip(reply.list("at"), zip(reply.list("kind"), reply.list("key"))).map { "\($0) \($1)" }
                    guard let next = reply.next else { break }
                    target = next
                }
                #expect(found == whole)
            }
        }
    }

    @Test(
        "Only the wanted kinds are shown",
        arguments: [
            ("kind=removed", ["removed"]), ("kind=returned", ["returned"]), ("kind=changed", ["changed"]),
            ("kind=removed&kind=changed", ["changed", "removed"]),
        ])
    func kinds(words: String, kinds: [String]) async throws {
        try await serving { place in
            let reply = try await place.ask("/feeds/things/changes?\(words)")
            #expect(reply.list("kind").sorted() == kinds.map { "\"\($0)\"" })
            let page = try await place.ask("/changes/things?\(words)", headers: ["Accept": "text/html"]).body
            for kind in ["new", "changed", "removed", "returned"] {
                #expect(page.contains("class=\"kind \(kind)\"") == kinds.contains(kind))
            }
        }
    }

    @Test(
        "A parameter of changes that is none is refused",
        arguments: [
            "before=1", "before=2026-11-21~-1", "before=2026-11-21T10:00:00.000Z",
            "before=2026-11-21T10:00:00.000Z~", "before=2026-11-21T10:00:00.000Z~12345678",
            "before=2026-11-21T10:00:00Z~3", "kind=gone", "limit=0",
        ])
    func wrong(words: String) async throws {
        try await WebPlace.serving { place in
            for (path, status) in [
                ("/feeds/things/changes?\(words)", 400), ("/changes?\(words)", 400),
                ("/feeds/things/changes?before=2026-11-21T10:00:00.000Z~3", 200), ("/feeds/other/changes", 404),
            ] {
                let reply = try await place.ask(path)
                #expect(reply.status == status)
            }
        }
    }

    @Test(
        "A day is said in words",
        arguments: [
            ("2026-11-26", "Today"), ("2026-11-25", "Yesterday"), ("2026-11-24", "24 November 2026"),
            ("2025-02-28", "28 February 2025"), ("2026-11-27", "27 November 2026"), ("2026-02-30", "2026-02-30"),
            ("", ""),
        ])
    func day(text: String, words: String) {
        #expect(DayName.text(text, now: 1_795_694_399) == words)
    }

    @Test("A store without changes says that there are none")
    func none() async throws {
        try await WebPlace.serving { place in
            let page = try await place.ask("/changes", headers: ["Accept": "text/html"])
            #expect(page.status == 200)
            #expect(page.body.contains("Nothing has changed."))
        }
    }
}
