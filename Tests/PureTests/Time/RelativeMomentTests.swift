import Testing
import Time

@Suite("A moment by its distance from now") struct RelativeMomentTests {
    // 2026-11-22T09:34:59Z
    private static let now: Int64 = 1_795_340_099

    @Test(
        "A moment is written as a time, a date, a number or by a pattern",
        arguments: [
            ("{now}", "2026-11-22T09:34:59Z"), ("{today}", "2026-11-22"), ("{now-7d}", "2026-11-15T09:34:59Z"),
            ("{today-1d}", "2026-11-21"), ("{now-1w+2h-30m-9s}", "2026-11-15T11:04:50Z"),
            ("{now-7d:date}", "2026-11-15"),
            ("{today:time}", "2026-11-22T00:00:00Z"), ("{now:unix}", "1795340099"),
            ("{today:unix_ms}", "1795305600000"),
            ("{today-1d:%d.%m.%Y}", "21.11.2026"), ("{now:%H-%M-%S%%}", "09-34-59%"),
            ("created:{today-1d}..{today}", "created:2026-11-21..2026-11-22"), ("{other} {now", "{other} {now"),
            ("{nowhere}", "{nowhere}"),
            ("{now-1mo}", "2026-10-22T09:34:59Z"), ("{now+3mo}", "2027-02-22T09:34:59Z"),
            ("{now-11mo/month}", "2025-12-01T00:00:00Z"), ("{now/month-1d:date}", "2026-10-31"),
            ("{now+9d-9mo:date}", "2026-03-01"), ("{now+8d-9mo:date}", "2026-02-28"),
            ("{now+9d-9mo-1d+1mo:date}", "2026-03-28"),
            ("{now-1d/week:date}", "2026-11-16"), ("{now+1d/week:date}", "2026-11-23"),
            ("{now/day}", "2026-11-22T00:00:00Z"), ("{now/hour}", "2026-11-22T09:00:00Z"),
            ("{now/year:%d.%m.%Y}", "01.01.2026"), ("{today-1mo}", "2026-10-22"),
            ("{now-24000d/week:date}", "1961-03-06"),
        ])
    func written(text: String, expected: String) {
        #expect(RelativeMoment.written(in: text, at: Self.now) == expected)
        #expect(RelativeMoment.mistake(in: text) == nil)
    }

    @Test(
        "A text that begins like a moment and is none is a mistake",
        arguments: [
            "{now-7}", "{now-7x}", "{now-d}", "{today:}", "{now:%q}", "{now:iso}", "{now 7d}", "{now-99999999d}",
            "{now-9223372036854775807w}", "{now-1mon}", "{now-1201mo}", "{now-601mo-601mo}", "{now/fortnight}",
            "{now/}",
            "{now-9223372036854775807mo}",
        ])
    func mistake(text: String) {
        #expect(RelativeMoment.mistake(in: "a" + text)?.words == text)
        #expect(RelativeMoment.mistake(in: "a" + text)?.offset == 1)
        #expect(RelativeMoment.written(in: text, at: Self.now) == text)
    }
}
