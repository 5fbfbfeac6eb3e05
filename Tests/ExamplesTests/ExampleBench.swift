import DemoFeed
import FeedSync
import Foundation
import HTTPServer
import Testing

/// A mirror in a folder of its own, and the demo's upstream.
final class ExampleBench: Sendable {
    let server: Server
    let mirror: FeedMirror
    private let folder: URL

    init() async throws {
        server = try DemoFeed.start()
        folder = FileManager.default.temporaryDirectory.appending(path: "feedsync-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        mirror = try await FeedMirror(path: folder.appending(path: "feeds.db").path)
    }

    deinit {
        server.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    func repositories() throws -> FeedDefinition {
        try FeedDefinition("repositories", ["preset": "github.search", "url": "\(server.url)/search/repositories"])
    }
}

extension AsyncSequence {
    /// The first element that is as wanted.
    func first(isolation: isolated (any Actor)? = #isolation, where isWanted: (Element) -> Bool) async throws -> Element
    {
        var iterator = makeAsyncIterator()
        while let element = try await iterator.next(isolation: isolation) {
            if isWanted(element) { return element }
        }
        throw Ended()
    }
}

/// The sequence ended before.
struct Ended: Error {}
