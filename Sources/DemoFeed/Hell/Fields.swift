internal import HTTPServer

extension HellKind {
    /// Header fields that are wrong, and fields that lie about time.
    static let headers: [HellKind] = [
        kind("fields-many", 65, "20,000 header fields") { page in
            page.raw(fields: (1...20_000).map { "X-\($0): y" }.joined(separator: "\n"))
        },
        kind("field-long", 65, "a header field of a megabyte") { page in
            page.raw(fields: "X-Long: \(String(repeating: "x", count: 1 << 20))")
        },
        kind("field-no-colon", 69, "a header field without a colon") { $0.raw(fields: "just words") },
        kind("field-no-name", 0, "a header field without a name") { $0.raw(fields: ": value") },
        kind("field-nul", 69, "a header field with a NUL") { $0.raw(fields: "X-Nul: a\0b") },
        kind("field-folded", 0, "a header field that goes on in the next line") { $0.raw(fields: "X-Old: a\n b") },
        kind("field-controls", 0, "a header field with control characters") { $0.raw(fields: "X-Red: \u{1b}[31mred") },
        kind("type-missing", 0, "no Content-Type") { ServerResponse(body: Array($0.text().utf8)) },
        kind("type-text", 0, "JSON that is called text") { $0.body($0.text(), type: "text/plain") },
        kind("type-html", 0, "JSON that is called HTML") { $0.body($0.text(), type: "text/html") },
        kind("type-broken", 0, "a Content-Type that is none") { $0.body($0.text(), type: ";;;=") },
        kind("date-broken", 0, "a Date that is none") { $0.raw(fields: "Date: yesterday, about noon") },
        kind("date-far", 0, "a Date in the year 9999") { $0.raw(fields: "Date: Fri, 31 Dec 9999 23:59:59 GMT") },
        kind("age-negative", 0, "a negative Age and max-age") { $0.raw(fields: "Age: -5\nCache-Control: max-age=-1") },
        kind("age-huge", 0, "a max-age beyond 64 bits") {
            $0.raw(fields: "Cache-Control: max-age=99999999999999999999")
        },
        kind("poll-huge", 0, "an X-Poll-Interval beyond 64 bits") {
            $0.raw(fields: "X-Poll-Interval: 99999999999999999999")
        },
        kind("cookies", 0, "a thousand cookies") { page in
            page.raw(fields: (1...1_000).map { "Set-Cookie: c\($0)=v" }.joined(separator: "\n"))
        },
    ]

    /// Validators that lie.
    static let validators: [HellKind] = [
        lie("not-modified-unasked", 69, "304, whatever is asked") { _ in .status(304) },
        lie("etag-broken", 0, "an ETag without quotes") { $0.sound([(name: "ETag", value: "a b\"c")]) },
        lie("etag-empty", 0, "an empty ETag") { $0.raw(fields: "ETag:") },
        lie("etag-long", 0, "an ETag of 100 kB") {
            $0.sound([(name: "ETag", value: "\"\(String(repeating: "e", count: 100_000))\"")])
        },
        lie("etag-changing", 0, "another ETag for the same page every time") {
            $0.sound([(name: "ETag", value: "\"\($0.asked)\"")])
        },
        lie("etag-shared", 0, "the same ETag for every page") { $0.sound([(name: "ETag", value: "\"all\"")]) },
        lie("etag-twice", 0, "two ETags") { $0.raw(fields: "ETag: \"a\"\nETag: \"b\"") },
        lie("modified-future", 0, "Last-Modified in the year 9999") {
            $0.sound([(name: "Last-Modified", value: "Fri, 31 Dec 9999 23:59:59 GMT")])
        },
        lie("modified-broken", 0, "a Last-Modified that is no date") {
            $0.sound([(name: "Last-Modified", value: "a while ago")])
        },
    ]

    private static func kind(_ name: String, _ code: Int32, _ summary: String, _ answer: @escaping Answer) -> HellKind {
        HellKind(name, .headers, code, summary, answer: answer)
    }

    private static func lie(_ name: String, _ code: Int32, _ summary: String, _ answer: @escaping Answer) -> HellKind {
        HellKind(name, .validators, code, summary, answer: answer)
    }
}
