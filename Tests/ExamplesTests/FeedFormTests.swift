import FeedSync
import HTTPServer
import Testing

@testable import Examples

@Suite("A form whose next field opens when the last is right", .timeLimit(.minutes(2)))
@MainActor
struct FeedFormTests {
    private func open(_ form: FeedForm) async throws -> [Bool] {
        try await form.fields.first { _ in true }.map(\.isOpen)
    }

    @Test("Fields open one after the other, and what they make is a feed that can be fetched")
    func fields() async throws {
        let bench = try await ExampleBench()
        let form = FeedForm()
        #expect(try await open(form) == [true, false, false])
        form.typed("stars", into: 0)
        #expect(try await open(form) == [true, true, false])
        form.typed("\(bench.server.url)/search/repositories", into: 1)
        #expect(try await open(form) == [true, true, true])
        #expect(form.definition == nil)
        form.typed("language:swift", into: 2)
        let definition = try #require(form.definition)
        let summary = try await bench.mirror.feed(definition).perform(.reload)
        #expect(summary.itemCount == 100)
    }

    @Test("A field that is not right says why, and closes those behind it")
    func problems() async throws {
        let form = FeedForm()
        form.typed("stars", into: 0)
        form.typed("ftp://example.org", into: 1)
        form.typed("swift", into: 2)
        let fields = try await form.fields.first { _ in true }
        #expect(fields.map(\.isOpen) == [true, true, false])
        #expect(fields[1].problem?.contains("http") == true)
        #expect(form.definition == nil)
        form.typed("https://example.org", into: 1)
        #expect(form.definition != nil)
        form.typed("no name", into: 0)
        let closed = try await form.fields.first { _ in true }
        #expect(closed.map(\.isOpen) == [true, false, false])
        #expect(closed[0].problem != nil)
        #expect(closed[2].text == "swift")
        #expect(form.definition == nil)
    }
}
