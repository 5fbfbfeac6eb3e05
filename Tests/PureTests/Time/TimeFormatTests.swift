import Testing

@testable import Time

@Suite("A notation of moments")
struct TimeFormatTests {
    @Test(
        "A moment is written in UTC by the letters of strftime, or as a number",
        arguments: [
            ("%Y-%m-%d", "2026-11-21"), ("%F %T", "2026-11-21 02:20:11"), ("%d.%m.%Y", "21.11.2026"),
            ("%Y-%m-%dT%H:%M:%S.%LZ", "2026-11-21T02:20:11.123Z"), ("%Y%m%dT%H%M%S%z", "20261121T022011+0000"),
            ("%H:%M:%S.%f %Z", "02:20:11.123400 UTC"), ("%s", "1795227611"), ("unix", "1795227611"),
            ("unix_ms", "1795227611123"), ("date", "2026-11-21"), ("time", "2026-11-21T02:20:11Z"),
            ("100%%%d", "100%21"), ("%%F %F", "%F 2026-11-21"),
        ])
    func text(format: String, expected: String) throws {
        let time = try #require(Timestamp("2026-11-21T02:20:11.1234Z"))
        #expect(TimeFormat(format)?.text(time) == expected)
    }

    @Test(
        "A text without a letter, with one that has no meaning, or too long is no notation",
        arguments: ["", "iso", "%", "%q", "%-d", "%Y-%B", "%%", String(repeating: "%Y", count: 51)])
    func mistakes(format: String) { #expect(TimeFormat(format) == nil) }

    @Test(
        "A notation tells units down to a smallest one, and in which zone, or leaves that to the upstream",
        arguments: [
            ("%Y", nil, false), ("%Y-%m", nil, false), ("%m-%d", nil, false), ("%H:%M", nil, false),
            ("%F", 86_400, false), ("%FT%H", 3_600, false), ("%FT%HZ", 3_600, true), ("%F %H:%M", 60, false),
            ("%FT%T", 1, false), ("%FT%TZ", 1, true), ("%FT%T.%LZ", 1, true), ("%FT%T%z", 1, true),
            ("%FT%T+00:00", 1, true), ("unix", 1, true), ("unix_ms", 1, true), ("%s", 1, true), ("%FZ", 86_400, false),
        ] as [(String, Int64?, Bool)])
    func units(format: String, granule: Int64?, namesZone: Bool) throws {
        let format = try #require(TimeFormat(format))
        #expect(format.granule == granule)
        #expect(format.namesZone == namesZone)
    }
}
