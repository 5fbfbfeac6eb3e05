import Pagination
import Testing

@Suite("The page number in a path")
struct PathCounterTests {
    @Test(
        "The number in a path is found after a segment that speaks of pages",
        arguments: [
            ("https://a.b/things/page/1", "/page", 1), ("https://a.b/page/3/?q=/p/9", "/page", 3),
            ("https://a.b/p/0#x", "/p", 0), ("https://a.b/Page/2.json", "/Page", 2),
            ("https://a.b/pages/7/page/2", "/page", 2),
        ] as [(String, String, Int)])
    func found(url: String, parameter: String, number: Int) {
        let counter = PathCounter.found(in: url)
        #expect(counter?.parameter == parameter)
        #expect(counter?.number(in: url) == number)
    }

    @Test(
        "Other numbers in a path count no pages",
        arguments: [
            "https://a.b/category/5", "https://a.b/page", "https://a.b/page/", "https://a.b/page/two", "https://a.b",
            "https://a.b/page/2x", "https://a.b/page/99999999999999999999", "https://a.b/x?u=/page/2", "",
        ])
    func absent(url: String) {
        #expect(PathCounter.found(in: url) == nil)
    }

    @Test(
        "A number takes the place of the one in the path, or is added to it",
        arguments: [
            ("/page", "https://a.b/page/1?q=1#x", "https://a.b/page/12?q=1#x"),
            ("/page", "https://a.b/page/1/", "https://a.b/page/12/"),
            ("/news", "https://a.b/v0/news/1.json", "https://a.b/v0/news/12.json"),
            ("/page", "https://a.b/blog", "https://a.b/blog/page/12"),
            ("/page", "https://a.b/blog/", "https://a.b/blog/page/12/"),
            ("/page", "https://a.b/page", "https://a.b/page/12"),
            ("/page", "https://a.b/page/", "https://a.b/page/12/"),
            ("/page", "https://a.b", "https://a.b/page/12"), ("/page", "https://a.b?q=/", "https://a.b/page/12?q=/"),
        ])
    func set(parameter: String, url: String, changed: String) throws {
        #expect(try #require(PathCounter(parameter: parameter)).url(url, number: 12) == changed)
    }

    @Test("A parameter without a slash in front is none of the path", arguments: ["page", "/", "", "/a/b", "a/b"])
    func parameter(name: String) {
        #expect(PathCounter(parameter: name) == nil)
    }
}
