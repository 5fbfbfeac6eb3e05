import Feeds
import SeededGenerator
import Testing

@testable import Fleet

@Suite("Feeds that one worker works on at a time")
struct FeedGroupTests {
    @Test("Feeds of one host, and feeds connected by for_each, form a group")
    func hosts() throws {
        let feeds = try [
            feed("plants", on: "b"), feed("birds", on: "c"), feed("seeds", on: "b"),
            feed("parts", on: "a", of: "plants"), feed("nests", on: "d", of: "birds"),
            feed("orphans", on: "e", of: "absent"),
        ]
        #expect(
            FeedGroup.all(of: feeds).sorted { $0.name < $1.name }.map { FeedGroup(name: $0.name, feeds: $0.feeds) } == [
                FeedGroup(name: "https://a.test", feeds: ["plants", "seeds", "parts"]),
                FeedGroup(name: "https://c.test", feeds: ["birds", "nests"]),
                FeedGroup(name: "https://e.test", feeds: ["orphans"]),
            ])
    }

    @Test("A group shows which of its feeds are paused")
    func paused() throws {
        let groups = try FeedGroup.all(of: [
            feed("plants", on: "b"),
            FeedDefinition.parse(name: "seeds", yaml: "url: https://b.test/seeds\npaused: true"),
        ])
        #expect(groups.map(\.paused) == [["seeds"]])
    }

    @Test("A group shows that the definition of a feed has changed")
    func definitions() throws {
        let one = try FeedGroup.all(of: [feed("plants", on: "b"), feed("birds", on: "c")])
        let same = try FeedGroup.all(of: [feed("plants", on: "b"), feed("birds", on: "c")])
        let other = try FeedGroup.all(of: [
            FeedDefinition.parse(name: "plants", yaml: "url: https://b.test/plants\nraw: true"), feed("birds", on: "c"),
        ])
        #expect(one == same && one[0] != other[0] && one[1] == other[1])
    }

    @Test("Feeds form the same groups in any order", arguments: 1...20)
    func anyOrder(seed: UInt64) throws {
        var generator = SeededGenerator(seed)
        let feeds = try (0..<40).map { index in
            let isPart = index > 0 && Bool.random(using: &generator)
            let parent = isPart ? Int.random(in: 0..<index, using: &generator) : nil
            return try feed(
                "f\(index)", on: "h\(Int.random(in: 0..<60, using: &generator))", of: parent.map { "f\($0)" })
        }
        let expected = Set(FeedGroup.all(of: feeds).map { Set($0.feeds) })
        let shuffled = FeedGroup.all(of: feeds.shuffled(using: &generator))
        #expect(Set(shuffled.map { Set($0.feeds) }) == expected)
        #expect(shuffled.reduce(0) { $0 + $1.feeds.count } == feeds.count)
        for group in shuffled {
            let own = feeds.filter { group.feeds.contains($0.name) }
            #expect(own.map(\.url.host).min() == group.name)
            let others = feeds.filter { !group.feeds.contains($0.name) }
            #expect(Set(own.map(\.url.host)).isDisjoint(with: others.map(\.url.host)))
        }
    }

    @Test(
        "A batch has whole groups, in the order of their first feeds, and a group larger than a batch comes in several",
        arguments: [
            ([("a1", "a"), ("b1", "b"), ("a2", "a"), ("c1", "c")], [["a1", "b1", "a2"], ["c1"]]),
            ([("a1", "a"), ("b1", "b"), ("b2", "b"), ("b3", "b"), ("a2", "a")], [["a1", "a2"], ["b1", "b2", "b3"]]),
            ([("a1", "a"), ("a2", "a"), ("a3", "a"), ("a4", "a"), ("b1", "b")], [["a1", "a2", "a3"], ["a4", "b1"]]),
            ([], []),
        ])
    func batches(feeds: [(String, String)], expected: [[String]]) throws {
        let all = try feeds.map { try feed($0.0, on: $0.1) }
        let batches = FeedGroup.batches(of: all, in: FeedGroup.all(of: all), size: 3)
        #expect(batches.map { $0.map(\.name) } == expected)
    }

    @Test("A feed comes in no earlier batch than the one whose rows show its lists")
    func levels() throws {
        let all = try [
            feed("parts", on: "a", of: "plants"), feed("seeds", on: "a"), feed("roots", on: "a"),
            feed("plants", on: "b"),
        ]
        let batches = FeedGroup.batches(of: all, in: FeedGroup.all(of: all), size: 2)
        #expect(batches.map { $0.map(\.name) } == [["seeds", "roots"], ["plants", "parts"]])
    }

    private func feed(_ name: String, on host: String, of parent: String? = nil) throws -> FeedDefinition {
        let url = "https://\(host).test/\(name)"
        let yaml = parent.map { "url: \"\(url)/{\($0).id}\"\nfor_each: \($0)" } ?? "url: \(url)"
        return try FeedDefinition.parse(name: name, yaml: yaml)
    }
}
