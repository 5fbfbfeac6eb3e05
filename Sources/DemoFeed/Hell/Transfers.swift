internal import HTTPServer
internal import Platform

extension HellKind {
    /// Answers that do not arrive as they were announced.
    static let transfers: [HellKind] = [
        kind("cut-short", 69, "the connection ends before the announced length") { page in
            ServerResponse(body: Array(page.text().utf8), delivery: .truncated(after: 40))
        },
        kind("cut-in-status", 69, "the connection ends within the status line") { $0.raw("HTTP/1.1 2") },
        kind("cut-in-fields", 69, "the connection ends within the header fields") {
            $0.raw("HTTP/1.1 200 OK\nContent-Type: appl")
        },
        kind("reset", 69, "the connection is reset instead of an answer") { _ in ServerResponse(delivery: .reset) },
        kind("no-answer", 69, "the connection is closed without an answer") { $0.raw("") },
        stalled("stalled", "nothing comes for longer than the feed waits", after: 0),
        stalled("stalled-body", "the body stops halfway for longer than the feed waits", after: 60),
        kind("slow", 0, "the body pauses for a tenth of a second") { page in
            let body = Array(page.text().utf8)
            return ServerResponse(body: body, delivery: .paused(after: 50) { usleep(100_000) })
        },
        kind("chunk-size-bad", 69, "a chunk whose size is not a number") {
            $0.raw("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\nzz\n{}\n0\n\n")
        },
        kind("chunk-size-huge", 69, "a chunk whose size has 20 digits") {
            $0.raw("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\nffffffffffffffffffff\n{}\n0\n\n")
        },
        kind("chunk-cut", 69, "the connection ends within a chunk") {
            $0.raw("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n64\n{\"items\":[]")
        },
        kind("chunk-end-missing", 69, "the last chunk does not come") {
            $0.raw("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\nc\n{\"items\":[]}\n")
        },
        kind("length-negative", 69, "Content-Length is negative") { $0.raw(fields: "X: y", length: -1) },
        kind("length-words", 69, "Content-Length is not a number") {
            $0.raw("HTTP/1.1 200 OK\nContent-Length: many\n\n{\"items\":[]}")
        },
        kind("length-huge", 0, "Content-Length is beyond 64 bits") { page in
            page.raw("HTTP/1.1 200 OK\nContent-Length: 99999999999999999999\n\n\(page.text())")
        },
        kind("length-too-large", 65, "Content-Length announces 100 GB") {
            $0.raw("HTTP/1.1 200 OK\nContent-Length: 100000000000\n\n{\"items\":[]}")
        },
        kind("length-too-small", 0, "more bytes come than were announced") { page in
            page.raw("HTTP/1.1 200 OK\nContent-Length: \(page.text().utf8.count)\n\n\(page.text())and more")
        },
        kind("length-twice", 65, "two lengths that differ") { page in
            page.raw(fields: "Content-Length: 7")
        },
        kind("http-old", 69, "a body without a status line") { $0.raw("{\"items\":[]}") },
        kind("http-new", 69, "an unknown version of HTTP") { $0.raw("HTTP/9.9 200 OK\n\n{\"items\":[]}") },
        kind("status-words", 69, "a status that is not a number") { $0.raw("HTTP/1.1 fine\n\n{\"items\":[]}") },
        kind("interim", 0, "twenty interim answers before the real one") { page in
            page.raw(
                String(repeating: "HTTP/1.1 103 Early Hints\nLink: </style.css>; rel=preload\n\n", count: 20)
                    + "HTTP/1.1 200 OK\nContent-Length: \(page.text().utf8.count)\n\n\(page.text())")
        },
        kind("switching", 69, "101 Switching Protocols, which nobody asked for") {
            $0.raw("HTTP/1.1 101 Switching Protocols\nUpgrade: chat\nConnection: Upgrade\n\nhello")
        },
        kind("noise", 69, "bytes that are not HTTP") {
            $0.raw("", (0..<600).map { UInt8(truncatingIfNeeded: $0 * 31 + 200) })
        },
        kind("unannounced-end", 0, "the connection's end is the body's") { page in
            page.raw("HTTP/1.0 200 OK\nContent-Type: application/json\n\n\(page.text())")
        },
    ]

    private static func kind(_ name: String, _ code: Int32, _ summary: String, _ answer: @escaping Answer) -> HellKind {
        HellKind(name, .transfers, code, summary, answer: answer)
    }

    private static func stalled(_ name: String, _ summary: String, after count: Int) -> HellKind {
        HellKind(name, .transfers, 69, summary, isStalled: true) { page in
            ServerResponse(body: Array(page.text().utf8), delivery: .paused(after: count) { sleep(3) })
        }
    }
}
