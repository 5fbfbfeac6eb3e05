import Testing
import Text

@Suite struct TransliterationTests {
    @Test(
        "Latin, Greek and Cyrillic letters are written in ASCII, and other scripts stay",
        arguments: [
            ("Blog Ünïcode №1 – über", "blog uenicode №1 – ueber"), ("Новости дня", "novosti dnya"),
            ("Ελλάδα", "ellada"),
            ("Łódź Straße", "lodz strasse"), ("Cafe\u{301}", "cafe"), ("日本", "日本"), ("plain 1", "plain 1"), ("", ""),
        ])
    func letters(text: String, expected: String) {
        #expect(Transliteration.ascii(text) == expected)
    }
}
