internal import HTTPServer

extension HellKind {
    /// Totals that lie: they are believed against the mirror, never for it.
    static let totals: [HellKind] = [
        total("total-large", "that is too large", "1000"), total("total-small", "that is too small", "2"),
        total("total-zero", "of 0", "0"), total("total-negative", "that is negative", "-1"),
        total("total-huge", "beyond 64 bits", "99999999999999999999"), total("total-text", "in a string", "\"15\""),
        total("total-words", "in words", "\"many\""), total("total-fraction", "with a fraction", "14.5"),
        total("total-null", "of null", "null"), total("total-object", "that is an object", "{\"value\":15}"),
        HellKind("total-moving", .totals, 0, "a total that is another one every time", pagination: withTotal) {
            $0.body($0.text(total: String(10 + $0.asked * 7)))
        },
        HellKind(
            "totals-huge", .totals, 0, "numbers of pages beyond 64 bits",
            pagination: "{style: page, param: page, pages: total}"
        ) {
            $0.body($0.text(total: "99999999999999999999"))
        },
    ]

    /// Page cursors that repeat, loop or lead elsewhere.
    static let cursors: [HellKind] = [
        cursor("cursor-same", 0, "the same cursor for ever, which is an end before the total") { _ in "\"c2\"" },
        cursor("cursor-two", 65, "two cursors in turn") { $0.number == 2 ? "\"c3\"" : "\"c2\"" },
        cursor("cursor-endless", 65, "a new cursor every time, and always the same items") { page in
            "\"c\(page.number)x\(page.asked)\""
        },
        cursor("cursor-object", 65, "a cursor that is an object") { _ in "{\"after\":2}" },
        cursor("cursor-array", 65, "a cursor that is an array") { _ in "[2]" },
        cursor("cursor-true", 65, "a cursor that is true") { _ in "true" },
        cursor("cursor-empty", 0, "an empty cursor at the end") {
            $0.number < HellPage.count ? "\"c\($0.number + 1)\"" : "\"\""
        },
        cursor("cursor-long", 65, "a cursor of a megabyte, for ever") { _ in
            "\"c2\(String(repeating: "x", count: 1 << 20))\""
        },
        next("next-self", 65, "to the same page") { $0.url($0.number) },
        next("next-first", 65, "back to the first page") { $0.url($0.number % HellPage.count + 1) },
        next("next-other", 65, "to another origin") { _ in "https://example.com/things" },
        next("next-port", 65, "to another port") { _ in "http://127.0.0.1:1/things" },
        next("next-file", 65, "to a file") { _ in "file:///etc/passwd" },
        next("next-script", 65, "to a script") { _ in "javascript:alert(1)" },
        next("next-user", 65, "to a URL with a password") { "http://me:secret@\($0.origin.dropFirst(7))/sound" },
        next("next-broken", 65, "to no URL") { _ in "http://[::1" },
        next("next-controls", 65, "to a URL with a newline") { "\($0.origin)/a\\nHost: evil" },
        next("next-backslash", 69, "with backslashes, which is a path") { _ in "\\\\\\\\example.com\\\\things" },
        HellKind("next-number", .cursors, 65, "a next that is a number", pagination: HellPage.nextURLs) {
            $0.body($0.text(next: "2"))
        },
        HellKind("next-object", .cursors, 65, "a next that is an object", pagination: HellPage.nextURLs) {
            $0.body($0.text(next: #"{"href":"/next-object?page=2"}"#))
        },
        link("link-self", 65, "to the same page") { "<\($0.url($0.number))>; rel=next" },
        link("link-other", 65, "to another origin") { _ in "<https://example.com/things>; rel=\"next\"" },
        link("link-file", 65, "to a file") { _ in "<file:///etc/passwd>; rel=next" },
        link("link-two", 0, "to two pages at once, of which the second page names itself") {
            "<\($0.url(2))>; rel=next, <\($0.url(3))>; rel=next"
        },
        HellKind("page-same", .cursors, 65, "the same items on every page") { page in
            page.body(HellPage(page.request, name: page.name, asked: 0, number: 1).text())
        },
    ]

    private static let withTotal = "{style: page, param: page, total: total}"

    private static func total(_ name: String, _ summary: String, _ value: String) -> HellKind {
        HellKind(name, .totals, 0, "a total \(summary)", pagination: withTotal) { $0.body($0.text(total: value)) }
    }

    private static func cursor(
        _ name: String, _ code: Int32, _ summary: String, _ value: @escaping @Sendable (HellPage) -> String
    ) -> HellKind {
        HellKind(name, .cursors, code, summary, pagination: HellPage.cursors) { $0.body($0.text(cursor: value($0))) }
    }

    private static func next(
        _ name: String, _ code: Int32, _ summary: String, _ url: @escaping @Sendable (HellPage) -> String
    ) -> HellKind {
        HellKind(name, .cursors, code, "a next \(summary)", pagination: HellPage.nextURLs) {
            $0.body($0.text(next: "\"\(url($0))\""))
        }
    }

    private static func link(
        _ name: String, _ code: Int32, _ summary: String, _ value: @escaping @Sendable (HellPage) -> String
    ) -> HellKind {
        HellKind(name, .cursors, code, "a link \(summary)", pagination: HellPage.links) {
            .json($0.text(), headers: [(name: "Link", value: value($0))])
        }
    }
}
