import FeedSync
import Foundation
import ScriptedServer
import Testing
import Web

@Suite(.timeLimit(.minutes(10))) struct WorkTests {
    @Test(
        "A query beyond its limit of work is given up, and says so",
        arguments: ["/list/things?q=item", "/feeds/things/items?q=item", "/feeds/things/items?q=item&order=place"])
    func limit(target: String) async throws {
        let items = PagedFeed.items(1...2_000)
        try await WebPlace.serving(items: items, change: { $0.work = (.zero, .zero) }) { place in
            try await place.perform(.sync)
            let page = try await place.ask(target, headers: target.hasPrefix("/list") ? ["Accept": "text/html"] : [:])
            #expect(page.status == 503 && page.body.lowercased().contains("this takes too long"), "\(page.body)")
            #expect(try await place.ask("/health").status == 200)
        }
    }

    @Test("A list of long texts is a short page, and all of them come by pages of the API")
    func long() async throws {
        let items = (1...30).map { #"{"id":\#($0),"name":"\#(String(repeating: "long \($0) ", count: 150_000))"}"# }
        try await WebPlace.serving(items: items) { place in
            try await place.perform(.sync)
            #expect(try await place.ask("/list/things").body.utf8.count < 200_000)
            #expect(try await place.ask("/list/things/rows?q=long").body.utf8.count < 200_000)
            var (ids, target) = ([String](), "/feeds/things/items?limit=1000")
            for _ in 0..<10 {
                let reply = try await place.ask(target)
                #expect(reply.body.utf8.count < 20_000_000)
                ids += reply.list("id")
                guard let next = reply.next else { break }
                target = next
            }
            #expect(ids.count == 30 && Set(ids).count == 30)
        }
    }
}
