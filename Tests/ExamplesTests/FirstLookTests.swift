import FeedSync
import Testing

@testable import Examples

@Suite("The samples of the first pages", .timeLimit(.minutes(2)))
struct FirstLookTests {
    @Test("A feed is followed until its mirror is closed")
    func followed() async throws {
        let bench = try await ExampleBench()
        let (shown, show) = AsyncStream.makeStream(of: [Repository].self)
        let definition = try bench.repositories()
        let following = Task { try await follow(definition, in: bench.mirror) { show.yield($0) } }
        let rows = try await shown.first { !$0.isEmpty }
        #expect(rows.count == 10)
        await bench.mirror.close()
        try await following.value
    }

    @Test("A language that looks like a reference stays text")
    func text() throws {
        #expect(try stars(in: "swift").name == "stars")
        #expect(try stars(in: "${HOME}").name == "stars")
    }
}
