import Foundation
import HTTPServer
import MirrorReader
import StoreFile
import TemporaryFolder
import Testing

@testable import Web

@Suite("Answers that are kept until the store changes")
struct ResponseCacheTests {
    private func key(_ number: Int) -> ResponseCache.Key {
        ResponseCache.Key(ServerRequest(target: "/feeds/things/items?q=\(number)"), version: 1)
    }

    @Test("Short answers count with their overhead, and the oldest go first")
    func short() async throws {
        let folder = try TemporaryFolder()
        let mark = try await Store(path: folder.file("store.db")).mark()
        let cache = ResponseCache()
        let count = 20_000
        for number in 0..<count { cache.keep(.html("\(number)"), tag: "\(number)", key(number), mark: mark) }
        let kept = (0..<count).filter { cache.response(key($0), mark: mark) != nil }
        #expect((2_000..<4_096).contains(kept.count))
        #expect(kept.last == count - 1)
        #expect(kept == Array((count - kept.count)..<count))
        #expect(cache.response(key(count - 1), mark: mark)?.tag == "\(count - 1)")
    }
}
