import Testing
import Text

@Suite("Words in braces")
struct BracedWordsTests {
    @Test(
        "Words in braces are replaced by their values; other braces stay",
        arguments: [
            ("a {x} b", "a 1 b"), ("{x}{x}", "11"), ("{y}", "{y}"), ("{{x}", "{1"), ("{x", "{x"), ("}{x}", "}1"),
            ("${x}", "${x}"), ("plain", "plain"), ("", ""),
        ])
    func replaced(text: String, expected: String) {
        let result = BracedWords.replaced(in: text) { word, before in
            word == "x" && before.last != "$" ? "1" : nil
        }
        #expect(result == expected)
    }
}
