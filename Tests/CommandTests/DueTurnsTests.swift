import FeedSync
import Testing

@testable import Command

@Suite("The feeds that are due in a server")
struct DueTurnsTests {
    private func feed(_ name: String, host: String) throws -> FeedDefinition {
        try FeedDefinition.parse(name: name, yaml: "url: https://\(host)/\(name)")
    }

    private func next(_ turns: inout DueTurns) -> String? { turns.next()?.name }

    @Test("A host with many feeds leaves the last place to another host")
    func hosts() throws {
        let slow = try (1...5).map { try feed("slow\($0)", host: "a.example") }
        var turns = DueTurns(atOnce: 4)
        turns.wait(slow)
        #expect([next(&turns), next(&turns), next(&turns), next(&turns)] == ["slow1", "slow2", "slow3", nil])
        turns.wait(slow + [try feed("quick", host: "b.example")])
        #expect([next(&turns), next(&turns)] == ["quick", nil])
        turns.end(slow[1])
        #expect(next(&turns) == nil)
        turns.end(slow[0])
        #expect(next(&turns) == "slow4")
    }

    @Test("Feeds of idle hosts come first, and a feed that is synced does not begin again")
    func order() throws {
        let feeds = try [feed("a1", host: "a.example"), feed("a2", host: "a.example"), feed("b1", host: "b.example")]
        var turns = DueTurns(atOnce: 4)
        turns.wait(feeds)
        #expect([next(&turns), next(&turns)] == ["a1", "b1"])
        turns.wait(feeds)
        #expect([next(&turns), next(&turns)] == ["a2", nil])
        #expect(!turns.isIdle)
        feeds.forEach { turns.end($0) }
        #expect(turns.isIdle)
    }

    @Test("A feed waits for the one that it has lists for")
    func levels() throws {
        let yaml = """
            feeds:
              owners: {url: "https://a.example/owners", key: id}
              things: {for_each: owners, url: "https://b.example/things/{owners.id}", key: id}
            """
        let feeds = try Configuration.parse(Array(yaml.utf8), file: "feedsync.yaml").feeds
        let owners = try #require(feeds.first { $0.name == "owners" })
        var turns = DueTurns(atOnce: 4)
        turns.wait(feeds.reversed())
        #expect([next(&turns), next(&turns)] == ["owners", nil])
        turns.end(owners)
        #expect(next(&turns) == "things")
    }
}
