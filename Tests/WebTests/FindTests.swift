import FeedSync
import HTTPServer
import ScriptedServer
import Testing

@testable import Web

@Suite(.timeLimit(.minutes(10))) struct FindTests {
    private static let items = (1...25).map { number in
        #"{"id":\#(number),"name":"\#(number == 7 ? "otter & <b>" : "heron \(number)")"}"#
    }
    private static let html = ["Accept": "text/html"]

    private func serving(extra: String = "", work: Duration? = nil, _ body: (WebPlace) async throws -> Void)
        async throws
    {
        try await WebPlace.serving(
            items: Self.items, extra: extra, change: { if let work { $0.work.page = work } }
        ) { place in
            try await place.perform(.sync)
            try await body(place)
        }
    }

    @Test(
        "All feeds are searched for items with all words, with an index and without one",
        arguments: [
            ("otter", "1 item in 1 feed"), ("heron", "24 items in 1 feed"), ("heron 13", "1 item in 1 feed"),
            ("otter heron", "No item of any feed has these words."), ("%00", "Type words above"),
            ("", "Type words above"),
        ], ["", "search: {columns: [name]}"])
    func found(_ search: (text: String, words: String), extra: String) async throws {
        try await serving(extra: extra) { place in
            let target = "/find?q=\(search.text.replacing(" ", with: "+"))"
            let page = try await place.ask(target, headers: Self.html)
            #expect(page.status == 200)
            #expect(page.body.contains(search.words))
            #expect(page.body.contains("All 24 in things") == (search.text == "heron"))
            #expect(!page.body.contains("<b>"))
        }
    }

    @Test("A feed that takes too long to search is named, and the page comes")
    func tooLong() async throws {
        try await serving(work: .zero) { place in
            let page = try await place.ask("/find?q=otter", headers: Self.html)
            #expect(page.status == 200)
            #expect(page.body.contains("Not searched, because it takes long"))
            #expect(page.body.contains("href=\"/list/things?q=otter\""))
        }
    }

    @Test(
        "Every page has the search of all feeds and a list of the keys",
        arguments: ["/", "/status", "/list/things", "/keys"])
    func everywhere(target: String) async throws {
        try await serving { place in
            let page = try await place.ask(target, headers: Self.html).body
            #expect(page.contains("action=\"/find\""))
            #expect(page.contains("<kbd>j</kbd>"))
        }
    }

    @Test("Failing feeds come first, and the overview counts the states")
    func order() async throws {
        try await serving { place in
            place.upstream.route("/things") { _ in .status(500) }
            try? await place.perform(.reload)
            let page = try await place.ask("/", headers: Self.html).body
            #expect(page.contains("<p class=\"meta\">1 failing</p>"))
            #expect(page.contains("Changes in 1 day: 25"))
            #expect(page.contains("<rect class=\"mark\""))
        }
    }

    @Test("A word that all items share is no title of any: it is the next telling column, or the key")
    func titles() async throws {
        let shared = (1...3).map { #"{"id":\#($0),"name":"open","label":"label \#($0)"}"# }
        try await WebPlace.serving(items: shared, columns: "columns: {id: id, name: name, label: label}") { place in
            try await place.perform(.reload)
            let page = try await place.ask("/list/things", headers: Self.html).body
            #expect(page.contains(">label 2</a>"))
            #expect(!page.contains(">open</a>"))
        }
        // No column tells them apart.
        let few = (1...6).map { #"{"id":\#(100 + $0),"grade":"\#($0 % 2 == 0 ? "low" : "high")","place":"attic"}"# }
        try await WebPlace.serving(items: few, columns: "columns: {id: id, grade: grade, place: place}") { place in
            try await place.perform(.reload)
            let page = try await place.ask("/list/things", headers: Self.html).body
            #expect(page.contains(">102 · low</a>") && page.contains(">103 · high</a>"))
        }
        // Hours and their numbers.
        let hours = (0..<3).map { #"{"id":"2026-11-21T1\#($0):00:00Z","cpu":1234.\#($0 + 1),"tag":"x"}"# }
        try await WebPlace.serving(items: hours, columns: "columns: {id: id, cpu: cpu, tag: tag}") { place in
            try await place.perform(.reload)
            let page = try await place.ask("/list/things", headers: Self.html).body
            #expect(page.contains(">21 Nov 2026, 12:00 · cpu 1,234.3</a>"))
        }
    }

    @Test("A definition chooses the time of a row, and a column that is true or false says yes or no")
    func timeAndTruth() async throws {
        let items = [#"{"id":1,"name":"a","made":"2026-01-01T00:00:00Z","seen":"2026-02-02T00:00:00Z","live":1}"#]
        let columns =
            "columns: {id: id, name: name, made: made, seen: {path: seen, type: timestamp}, "
            + "live: {path: live, type: boolean}}\n    show: {title: name, time: made, figures: [live]}"
        try await WebPlace.serving(items: items, columns: columns) { place in
            try await place.perform(.reload)
            let page = try await place.ask("/list/things", headers: Self.html).body
            #expect(page.contains("datetime=\"2026-01-01T00:00:00"))
            #expect(!page.contains("2026-02-02"))
            #expect(page.contains("<span class=\"name\">live</span> <bdi>yes</bdi>"))
        }
    }
}
