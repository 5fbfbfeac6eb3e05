import JSON
import Pagination
import Testing

@Suite("A body that is a text")
struct TextBodyTests {
    @Test(
        "A value goes in the place of its name, escaped where the text is XML",
        arguments: [
            ("<a>{token}</a>", "t", "<a>t</a>"), ("<a>{token}</a>", "<&{size}>", "<a>&lt;&amp;{size}&gt;</a>"),
            (" <a b='{token}'/>{token}", "\"", " <a b='&quot;'/>&quot;"), ("token={token}", "<&", "token=<&"),
            ("<a>{other}{</a>", "t", "<a>{other}{</a>"), ("<a>{token}{size}</a>", "{size}", "<a>{size}</a>"),
        ])
    func values(text: String, value: String, expected: String) {
        var request = PageRequest(url: "https://a.example", body: .string(text))
        #expect(request.has("token") == !text.contains("{token}"))
        request.set("token", toToken: "before")
        request.set("token", toToken: value)
        #expect(request.has("token"))
        #expect(TextBody.filled(text, parameters: ["token", "size"], with: request.places) == expected)
    }

    @Test("A request at another address has the text, and no values")
    func moved() {
        var request = PageRequest(url: "https://a.example", body: .string("<n>{size}</n>"))
        request.set("size", to: 7)
        #expect(TextBody.filled("<n>{size}</n>", parameters: [], with: request.places) == "<n>7</n>")
        let moved = request.moved(to: "https://b.example")
        #expect(moved.body == request.body && moved.places.isEmpty)
    }
}
