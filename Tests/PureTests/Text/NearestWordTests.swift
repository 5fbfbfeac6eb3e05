import Testing
import Text

@Suite("The nearest word")
struct NearestWordTests {
    @Test(
        "The nearest word is one slip away",
        arguments: [
            ("colums", "columns"), ("Key", "key"), ("ulr", "url"), ("header", "headers"), ("pagintaion", "pagination"),
            ("querry", "query"), ("modle", "model"),
        ])
    func near(word: String, expected: String) {
        let words = ["url", "query", "headers", "columns", "key", "pagination", "model"]
        #expect(NearestWord.suggestion(for: word, among: words) == expected)
    }

    @Test(
        "The nearest word is not one that only has the same length",
        arguments: ["xyz", "a", "", "foobar", String(repeating: "k", count: 500)])
    func far(word: String) {
        #expect(NearestWord.suggestion(for: word, among: ["key", "url", "q", "columns"]) == nil)
    }

    @Test(
        "Another word is no slip",
        arguments: [
            ("--port", "--store"), ("restore", "store"), ("man", "plan"), ("--keep", "--help"), ("--formal", "--sort"),
            ("--kind", "--since"), ("--format", "--from"),
        ])
    func another(word: String, candidate: String) {
        #expect(NearestWord.suggestion(for: word, among: [candidate]) == nil)
    }

    @Test("The nearest word of two equally near ones is the first")
    func tie() {
        #expect(NearestWord.suggestion(for: "feeds", among: ["feed1", "feed2"]) == "feed1")
    }
}
