import Reports
import Testing

@testable import Command

@Suite struct TableTests {
    @Test(
        "Text is as wide as a terminal shows it",
        arguments: [
            ("", 0), ("abc", 3), ("ä", 1), ("a\u{308}", 1), ("日本語", 6), ("ｶﾅ", 2), ("한국", 4), ("👩‍💻", 2), ("🧭", 2),
            ("❤️", 2),
            ("–", 1), ("\u{200B}", 0),
        ])
    func width(text: String, width: Int) {
        #expect(DisplayWidth.of(text) == width)
    }

    @Test(
        "A text that is too wide ends in an ellipsis within the limit",
        arguments: [
            ("abcdef", 6, "abcdef"), ("abcdef", 4, "abc…"), ("日本語", 4, "日…"), ("日本語", 3, "日…"), ("ab", 1, "…"),
            ("a", 0, ""),
        ])
    func cut(text: String, limit: Int, result: String) {
        #expect(DisplayWidth.cut(text, to: limit) == result)
    }

    @Test("On a terminal the widest texts are cut, but never numbers")
    func narrow() {
        var table = Table([
            Table.Column(title: "N", isNumber: true), Table.Column(title: "A"), Table.Column(title: "B"),
        ])
        table.add(["1000000", "short", "a text that is rather long"])
        table.add(["7", "", "x"])
        #expect(
            table.lines(Palette(isOn: false), width: 30) == [
                "      N  A      B", "1000000  short  a text that i…", "      7         x",
            ])
        #expect(table.lines(Palette(isOn: false), width: nil)[1] == "1000000  short  a text that is rather long")
    }

    @Test("On a terminal too narrow for all columns, the last ones are left out")
    func tooNarrow() {
        var table = Table([
            Table.Column(title: "NAME"), Table.Column(title: "COUNT", isNumber: true), Table.Column(title: "NOTE"),
        ])
        table.add(["a long name", "1000000", "a long note"])
        let palette = Palette(isOn: false)
        #expect(table.lines(palette, width: 20) == ["NAME           COUNT", "a long name  1000000"])
        #expect(table.skipped(width: 20) == ["NOTE"])
        #expect(table.lines(palette, width: 12) == ["NAME", "a long name"])
        #expect(table.skipped(width: 12) == ["COUNT", "NOTE"])
        #expect(table.skipped(width: nil).isEmpty)
    }

    @Test(
        "A progress line fits its terminal, however long the feed's name",
        arguments: [
            ("things", 40, "things", "page 1  0 items"), ("things", 20, "things", "page 1  0 …"),
            ("a-very-long-name-of-a-feed", 40, "a-very-long-name-of-a…", "page 1  0 items"),
            ("a-very-long-name-of-a-feed", 20, "a-very-…", "page 1  …"), ("things", 2, "", ""),
        ])
    func progress(feed: String, width: Int, name: String, text: String) {
        let fitted = ProgressLine.fitted(feed, "page 1  0 items", width: width)
        #expect(fitted.name == name)
        #expect(fitted.text == text)
    }

    @Test(
        "Text for people has spaces for characters that control a terminal; our own colours stay",
        arguments: [
            ("a\u{1B}[1mb\u{1B}[0m", true, "a\u{1B}[1mb\u{1B}[0m"), ("a\u{1B}[1mb", false, "a [1mb"),
            ("a\u{1B}[2Jb\u{1B}", true, "a [2Jb "), ("ä\u{85}\u{2028}\u{2066}…\u{7F}\tb\nc", true, "ä   …  b\nc"),
            ("a\u{61C}b\u{200E}\u{200F}c\u{E0041}", false, "a b  c "), ("👩\u{200D}🔬", false, "👩\u{200D}🔬"),
        ])
    func controlCharacters(text: String, keepsColours: Bool, result: String) {
        #expect(ControlCharacters.replaced(in: text, keepsColours: keepsColours) == result)
    }

    @Test("JSON has escapes for characters that control a terminal")
    func controlCharactersInJSON() {
        #expect(
            ControlCharacters.escaped(inJSON: "{\"a\":\t\"ä\u{7F}\u{9B}\u{202E}\u{E0041}\"}")
                == #"{"a": "ä\u007f\u009b\u202e\udb40\udc41"}"#)
    }

    @Test(
        "Counts and sizes are easy to read",
        arguments: [
            (0, "0", "0 B"), (999, "999", "999 B"), (1_000, "1,000", "1.0 kB"), (118_312, "118,312", "118 kB"),
            (1_234_567, "1,234,567", "1.2 MB"), (5_000_000_000, "5,000,000,000", "5.0 GB"),
        ])
    func figures(number: Int, count: String, bytes: String) {
        #expect(NumberFormat.count(number) == count)
        #expect(NumberFormat.bytes(number) == bytes)
    }

    @Test(
        "Times are shown as how long ago they were",
        arguments: [
            ("2026-11-21T02:20:11.123Z", 1_795_227_611, "just now"),
            ("2026-11-21T02:20:11.123Z", 1_795_227_641, "30 s ago"),
            ("2026-11-21T02:20:11.123Z", 1_795_400_411, "2 days ago"), ("1970-01-01T00:00:00.000Z", 180, "3 min ago"),
            ("soon", 0, "soon"), ("2026-11-21T02:20:11Z", 1_795_227_610, "just now"),
            ("2026-11-21T02:20:11Z", 1_795_224_010, "in 1 h"), ("2026-11-21", 1_800_000_000, "55 days ago"),
            ("2026-08-21", 1_795_227_611, "3 months ago"), ("2024-12-21", 1_795_227_611, "22 months ago"),
            ("2024-11-21", 1_795_227_611, "23 months ago"),
            ("2024-11-20", 1_795_227_611, "2 years ago"), ("1926-11-21", 1_795_227_611, "100 years ago"),
            ("2030-01-01", 1_795_227_611, "in 3 years"),
        ])
    func moments(text: String, now: Int64, result: String) {
        #expect(RelativeTime.ago(text, now: now) == result)
    }
}
