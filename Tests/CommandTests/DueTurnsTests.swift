import Feeds
import Testing

@testable import Command

@Suite("The feeds that are due in a server")
struct DueTurnsTests {
    private func feed(_ name: String, host: String, below parent: String? = nil) throws -> FeedDefinition {
        let rule = parent.map { "for_each: {feed: \($0), column: id}\n" } ?? ""
        let path = parent == nil ? name : "{id}"
        return try FeedDefinition.parse(name: name, yaml: "url: https://\(host)/\(path)\n\(rule)")
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
        let (owners, things) = try (feed("owners", host: "a.example"), feed("things", host: "b.example", below: "owners"))
        var turns = DueTurns(atOnce: 4)
        turns.wait([things, owners])
        #expect([next(&turns), next(&turns)] == ["owners", nil])
        turns.end(owners)
        #expect(next(&turns) == "things")
    }
}
