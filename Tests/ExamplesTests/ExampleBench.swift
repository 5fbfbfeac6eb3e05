import DemoFeed
import FeedSync
import Foundation
import HTTPServer
import TemporaryFolder
import Testing

/// A mirror in a folder of its own, and the demo's upstream.
final class ExampleBench: Sendable {
    let server: Server
    let mirror: FeedMirror
    private let folder: TemporaryFolder

    init() async throws {
        server = try DemoFeed.start()
        folder = try TemporaryFolder()
        mirror = try await FeedMirror(path: folder.file("feeds.db"))
    }

    deinit { server.stop() }

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
