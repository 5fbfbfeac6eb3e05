import Feeds
import Testing

@Suite("Items of several lists")
struct GatheredListTests {
    private func bench(root: [String], _ groups: [[Path.Segment]], _ names: [String] = []) -> BodyBench {
        BodyBench(format: .json, items: ItemsRule(ScatteredLists(root: root, groups: groups, names: names)))
    }

    @Test(
        "Lists of the members of an object are gathered beside what has none, with the names and the flags beside them",
        arguments: [
            (
                #"{"next":"a","rooms":{"n":2,"!x:h":{"timeline":{"events":[{"id":1},null],"limited":true,"prev":"p"}},"!y:h":{"timeline":{"events":[{"id":2}],"limited":false}}}}"#,
                #"{"next":"a","rooms":{"n":2,"limited":true,"*":[{"room":"!x:h","id":1},null,{"room":"!y:h","id":2}]}}"#
            ),
            (#"{"rooms":{}}"#, #"{"rooms":{"*":[]}}"#), (#"{"rooms":[]}"#, #"{"rooms":{"*":[]}}"#),
            (
                #"{"rooms":[{"timeline":{"events":{"id":1}}},{"timeline":null},{}]}"#,
                #"{"rooms":{"*":[{"room":"0","id":1}]}}"#
            ),
            (
                #"{"rooms":[{"timeline":{"events":[],"isLast":true,"x":{"y":true}}},{"timeline":{"events":[],"isLast":false,"pageInfo":{"hasNextPage":true,"n":1}}}]}"#,
                #"{"rooms":{"isLast":false,"hasNextPage":true,"*":[]}}"#
            ),
            (#"{"rooms":{"x":{"timeline":{"events":null}}}}"#, #"{"rooms":{"x":{"timeline":{"events":null}},"*":[]}}"#),
        ])
    func members(body: String, expected: String) throws {
        let bench = bench(root: ["rooms"], [[.member("timeline"), .member("events")]], ["room"])
        #expect(try bench.json(body) == expected)
    }

    @Test(
        "The value itself is the item where a `*` ends the path, and lists in lists are followed",
        arguments: [
            (#"{"a":{"id":1},"b":{"id":2},"n":3}"#, [[]], #"{"n":3,"*":[{"id":1},{"id":2}]}"#),
            (#"[{"id":1},[{"id":2}]]"#, [[]], #"{"*":[{"id":1},{"id":2}]}"#),
            (
                #"{"a":{"b":{"x":[{"id":1}]},"c":{"x":[{"id":2}]}},"d":[{"x":[{"id":3}]}]}"#, [[], [.member("x")]],
                #"{"*":[{"id":1},{"id":2},{"id":3}]}"#
            ),
        ] as [(String, [[Path.Segment]], String)])
    func whole(body: String, groups: [[Path.Segment]], expected: String) throws {
        #expect(try bench(root: [], groups).json(body) == expected)
    }

    @Test("A body without the value that the lists are in stays as it is", arguments: [#"{"next":"a"}"#, "[", "7", ""])
    func elsewhere(body: String) throws {
        #expect(try bench(root: ["rooms"], [[.member("x")]]).json(body) == nil)
    }

    @Test(
        "A value in the place of a list is an error, and so is a member with the name of a column for names",
        arguments: [
            (#"{"rooms":{"x":{"list":7}}}"#, "`x.list` is a number, not a list"),
            (#"{"rooms":{"x":{"list":[{"room":1}]}}}"#, "an item has a member `room` of its own"),
        ])
    func faults(body: String, expected: String) throws {
        let message = try bench(root: ["rooms"], [[.member("list")]], ["room"]).failure(body)
        #expect(message?.contains(expected) == true, "\(message ?? "")")
    }
}
