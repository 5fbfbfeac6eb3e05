import DemoFeed
import Foundation
import HTTPServer
import TemporaryFolder
import Testing

@testable import FeedSync
@testable import StoreFile

@Suite("README.md")
struct ReadmeSampleTests {
    @Test("The sample compiles, and mirrors a feed into the caller's structs")
    func runs() async throws {
        let server = try DemoFeed.start()
        defer { server.stop() }
        let folder = try TemporaryFolder()
        let feed = try FeedDefinition.parse(
            name: "swift-repos", yaml: "preset: github.search\nurl: \(server.url)/search/repositories")
        let repositories = try await mostStarred(feed, in: folder.file("feeds.db"))
        #expect(repositories.count == 3)
        #expect(repositories.map(\.stars) == repositories.map(\.stars).sorted(by: >))
        #expect(repositories.allSatisfy { $0.fullName.contains("/") })
    }

    @Test("The sample throws the error of a connection that is refused")
    func refused() async throws {
        let folder = try TemporaryFolder()
        // The port of a server that was stopped may be another test's by now; nobody listens at this one.
        let url = "http://127.0.0.1:1"
        let feed = try FeedDefinition.parse(
            name: "swift-repos", yaml: "preset: github.search\nurl: \(url)/search/repositories\nretries: 0")
        let error = await #expect(throws: FeedSyncError.self) {
            _ = try await mostStarred(feed, in: folder.file("feeds.db"))
        }
        #expect(error?.kind == .unreachable)
    }

    @Test("The sample in README.md is the one that is compiled")
    func isTheSame() throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
        let source = try String(contentsOf: tests.appending(path: "ReadmeSample.swift"), encoding: .utf8)
        let readme = try String(contentsOf: tests.appending(path: "../../README.md"), encoding: .utf8)
        let sample = try #require(
            source.split(separator: "// README begins\n").last?.split(separator: "// README ends").first)
        #expect(readme.contains("```swift\n\(sample)```"))
    }

    @Test("The samples in Docs/library.md are those that are compiled")
    func library() throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
        let plain = { (text: Substring) in
            text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
        }
        let source = try ["LibrarySample.swift", "../ExamplesTests/AppTests.swift"].map {
            try String(contentsOf: tests.appending(path: $0), encoding: .utf8)
        }.joined(separator: "\n")
        let page = try String(contentsOf: tests.appending(path: "../../Docs/library.md"), encoding: .utf8)
        let samples = page.split(separator: "```swift\n").dropFirst().compactMap { $0.split(separator: "```").first }
        #expect(samples.count == 7)
        for sample in samples.dropFirst() { #expect(plain(source[...]).contains(plain(sample))) }
    }

    @Test("The manifest in Docs/library.md names the package and the library as they are called")
    func manifest() async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        let page = try String(contentsOf: root.appending(path: "Docs/library.md"), encoding: .utf8)
        let sample = try #require(page.split(separator: "```swift\n").dropFirst().first?.split(separator: "```").first)
        let own = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
        #expect(sample.contains(#".package(name: "feedsync", path: "#) && own.contains(#"name: "feedsync","#))
        #expect(sample.contains(#".product(name: "FeedSync", package: "feedsync")"#))
        #expect(
            own.contains(#".library(name: "FeedSync""#)
                && own.contains(#".library(name: "FeedSyncTesting""#)
                && sample.hasPrefix("// swift-tools-version: 6.3\n"))
        #expect(own.hasPrefix("// swift-tools-version: 6.3\n"))
    }

    @Test("The definitions in Docs/library.md can be used")
    func definitions() throws {
        #expect(try releases(of: "swiftlang", "swift").name == "releases")
        #expect(try issues("bug").query.contains { $0.name == "labels" })
        _ = try FeedDefinition("search", ["preset": "github.search", "query": ["q": "swift"]])
    }
}
