import Testing

@testable import Text

@Suite("The words of a search") struct SearchTextTests {
    /// A text with `[` and `]` around the matches in it.
    private func marked(_ search: String, _ text: String) -> String {
        var result = ""
        var place = text.startIndex
        for match in SearchText(search).matches(in: text) {
            result += text[place..<match.lowerBound] + "[" + text[match] + "]"
            place = match.upperBound
        }
        return result + text[place...]
    }

    @Test(
        "Search words are marked at the start of words, regardless of case and accents",
        arguments: [
            ("swi", "Swift and swivel", "[Swi]ft and [swi]vel"),
            ("cafe", "Café, CAFÉ", "[Café], [CAFÉ]"),
            ("café", "cafe\u{301} or cafe", "[cafe\u{301}] or [cafe]"),
            ("munchen", "MÜNCHEN", "[MÜNCHEN]"),
            ("Việt", "viet nam", "[viet] nam"),
            ("αθηνα", "Αθήνα", "[Αθήνα]"),
            ("два", "Два, двадцать", "[Два], [два]дцать"),
            ("one two", "two or one", "[two] or [one]"),
            ("ab abc", "abcd", "[abc]d"),
            ("c++", "C++ and c", "[C]++ and [c]"),
            ("x-ray", "an X-ray", "an [X]-[ray]"),
            ("!?", "what!?", "what!?"),
            ("", "all", "all"),
        ])
    func marks(search: String, text: String, expected: String) {
        #expect(marked(search, text) == expected)
    }

    @Test(
        "Search words may begin anywhere in scripts without spaces, and elsewhere if no word begins with them",
        arguments: [
            ("東京", "我在東京塔", "我在[東京]塔"),
            ("swift", "使用Swift编写", "使用[Swift]编写"),
            ("ภาษา", "คือภาษาไทย", "คือ[ภาษา]ไทย"),
            ("wift", "Swift", "S[wift]"),
            ("wift", "swift wifty", "swift [wift]y"),
        ])
    func anywhere(search: String, text: String, expected: String) {
        #expect(marked(search, text) == expected)
    }

    @Test("Search words become a query of FTS5 without commands")
    func query() {
        #expect(
            SearchText(#"swift "pack OR -x NEAR( c++ ***"#).fullTextQuery
                == ##""swift"* """pack"* "OR"* "-x"* "NEAR(" "c++""##)
        #expect(SearchText("+ *").fullTextQuery == nil)
        #expect(SearchText("a \"b").fullTextQuery(in: "\"x\"", isWhole: true) == ##"{"x"} : ("a" """b")"##)
        #expect(SearchText("a c++").fullTextQuery(in: "\"x\"", isWhole: false) == ##"{"x"} : ("a" "c++")"##)
        #expect(SearchText("a b").fullTextQuery(in: "\"x\" \"y\"", isWhole: false) == ##"{"x" "y"} : ("a" "b"*)"##)
        #expect(SearchText(" \n").isEmpty)
    }

    @Test("A search that is too long to be typed is cut")
    func limits() {
        #expect(SearchText(String(repeating: "word ", count: 10_000)).words.count == 20)
        #expect(SearchText(String(repeating: "w", count: 10_000)).words == [String(repeating: "w", count: 1_000)])
    }
}
