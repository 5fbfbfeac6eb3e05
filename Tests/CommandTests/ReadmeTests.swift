import DemoFeed
import Foundation
import ScriptedServer
import Testing

@Suite struct ReadmeTests {
    @Test("README.md's example prints what README.md says")
    func example() async throws {
        let readme = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../README.md"),
            encoding: .utf8)
        let place = try Workplace()
        place.remove("feedsync.yaml")
        let demo = DemoFeed()
        place.server.route("/search/repositories") { demo.answer($0) }
        let session = try #require(Self.block("console", of: readme))
        var printed = ""
        for line in session.split(separator: "\n") where line.hasPrefix("$ ") {
            // The demo's server answers instead of GitHub.
            let command = line.dropFirst(2).replacing("https://api.github.com", with: place.server.url)
            let run = try await place.shell("feedsync() { \"$FEEDSYNC\" \"$@\"; }; \(command)")
            let output = (run.output + run.errors).replacing(place.server.url, with: "https://api.github.com")
            printed += "\(line)\n\(output)"
        }
        #expect(printed == session)
    }

    /// The first fenced block of a language.
    private static func block(_ language: String, of text: String) -> String? {
        guard let start = text.range(of: "```\(language)\n") else { return nil }
        guard let end = text.range(of: "```", range: start.upperBound..<text.endIndex) else { return nil }
        return String(text[start.upperBound..<end.lowerBound])
    }
}
