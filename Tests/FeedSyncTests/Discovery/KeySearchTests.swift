import Testing

@testable import ResponseBody
@testable import Upstream

@Suite("The key of items")
struct KeySearchTests {
    private func key(_ items: [String], resource: String? = nil, preferred: [String] = []) throws -> KeySearch.Found {
        let items = try items.compactMap { try JSONValue(parsing: $0).members }.map {
            ItemsCandidate.Item(name: nil, members: $0)
        }
        return KeySearch.key(of: items, resource: resource, preferred: Set(try preferred.map { try Path($0) }))
    }

    @Test(
        "The key is unique across all items, by the likeliest name",
        arguments: [
            ([#"{"name":"a","id":1,"url":"u"}"#, #"{"name":"b","id":2,"url":"v"}"#], nil, ["id"]),
            ([#"{"id":1,"url":"u"}"#, #"{"id":1,"url":"v"}"#], nil, ["url"]),
            ([#"{"sha":"1","node_id":"2"}"#, #"{"sha":"2","node_id":"3"}"#], nil, ["sha"]),
            ([#"{"user_id":1,"question_id":5}"#, #"{"user_id":2,"question_id":6}"#], "questions", ["question_id"]),
            ([#"{"categoryId":1,"parentId":5}"#, #"{"categoryId":2,"parentId":6}"#], "categories", ["categoryId"]),
            ([#"{"roomId":1,"name":"x"}"#, #"{"roomId":2,"name":"y"}"#], "1000", ["roomId"]),
            ([#"{"name":"x","roomId":1}"#, #"{"name":"y","roomId":2}"#], "1000", ["roomId"]),
            (
                [#"{"Order No":7,"Customer":"Anna","Amount":3}"#, #"{"Order No":8,"Customer":"Bob","Amount":3}"#], nil,
                [#""Order No""#]
            ),
            ([#"{"no":"A1","thing":7,"at":"x"}"#, #"{"no":"A2","thing":7,"at":"x"}"#], nil, ["no"]),
            ([#"{"iso_code":"AT","name":"Austria"}"#, #"{"iso_code":"CH","name":"Schweiz"}"#], nil, ["iso_code"]),
            (
                [#"{"name":"a","changeid":1,"rev":"x"}"#, #"{"name":"b","changeid":2,"rev":"y"}"#], "changes",
                ["changeid"]
            ),
            ([#"{"name":"a","builderid":1}"#, #"{"name":"b","builderid":2}"#], "builders", ["builderid"]),
            (
                [
                    #"{"review":"a","lang":"en","recommendationid":"1"}"#,
                    #"{"review":"b","lang":"de","recommendationid":"2"}"#,
                ], "620", ["recommendationid"]
            ),
            ([#"{"paid":true,"slug":"a"}"#, #"{"paid":false,"slug":"b"}"#], nil, ["slug"]),
            (
                [#"{"station":"A","time":"10:00","temp":3}"#, #"{"station":"B","time":"10:00","temp":4}"#], nil,
                ["station", "time"]
            ),
            ([#"{"name":"a","city":"x"}"#, #"{"name":"b","city":"x"}"#], nil, ["name", "city"]),
            ([#"{"name":"a"}"#, #"{"name":"b"}"#], nil, []),
            ([#"{"title":"a","n":1}"#, #"{"title":"b","n":1}"#], nil, ["title", "n"]),
            ([#"{"node":{"id":"a"}}"#, #"{"node":{"id":"b"}}"#], nil, ["node.id"]),
            (
                [
                    #"{"starred_at":"x","repo":{"id":1,"owner":{"id":1}}}"#,
                    #"{"starred_at":"y","repo":{"id":2,"owner":{"id":2}}}"#,
                ], nil, ["repo.id"]
            ),
            ([#"{"pageid":1,"ns":0,"title":"a"}"#, #"{"pageid":2,"ns":0,"title":"b"}"#], nil, ["pageid"]),
            ([#"{"date":"2020","value":1}"#, #"{"date":"2021","value":2}"#], nil, ["date"]),
            (
                [#"{"owner":"a","name":"x"}"#, #"{"owner":"b","name":"x"}"#, #"{"owner":"b","name":"y"}"#], nil,
                ["owner", "name"]
            ),
            ([#"{"id":1}"#, #"{"id":1}"#, #"{"id":2}"#], nil, ["id"]),
            ([#"{"id":"1"}"#, #"{"id":1}"#], nil, ["id"]),
            ([#"{"id":7,"x":1}"#], nil, ["id"]),
            // The elements of a list of values.
            ([#"{"value":7,"position":0}"#, #"{"value":9,"position":2}"#], nil, ["value"]),
            ([#"{"value":"a","position":0}"#, #"{"value":"b","position":1}"#], "tags", ["value"]),
            ([#"{"value":"a","position":0}"#], nil, ["value"]),
            ([#"{"value":"a","position":0}"#, #"{"value":"a","position":1}"#], nil, []),
            ([#"{"value":"a","position":0}"#, #"{"value":true,"position":1}"#], nil, []),
            ([#"{"value":1.5,"position":0}"#, #"{"value":2.5,"position":1}"#], nil, []),
            ([#"{"value":"it is so","position":0}"#, #"{"value":"it is not","position":1}"#], nil, []),
            ([#"{"name":"x","created_at":"y"}"#], nil, []), ([#"{"slug":"x","created_at":"y"}"#], nil, ["slug"]),
        ] as [([String], String?, [String])])
    func found(items: [String], resource: String?, expected: [String]) throws {
        #expect(try key(items, resource: resource).paths.map(\.description) == expected)
    }

    @Test(
        "The key is never a boolean, a fraction, null, or missing in an item; without one there is a reason",
        arguments: [
            ([#"{"id":true}"#, #"{"id":false}"#], "no member is a number or text in all 2 items"),
            ([#"{"id":1.5}"#, #"{"id":2.5}"#], "no member is a number or text in all 2 items"),
            ([#"{"id":1}"#, #"{"id":null}"#], "no member is a number or text in all 2 items"),
            (
                [#"{"id":"a"}"#, #"{"id":""}"#, #"{"id":"b"}"#],
                "`id` is an empty text in 1 of 3 items, and no other member is a number or text in all of them"
            ),
            ([#"{"id":1}"#, #"{"x":1}"#], "no member is a number or text in all 2 items"),
            ([#"{"a":1,"b":[1]}"#, #"{"a":1,"b":[2]}"#], "nothing identifies the 2 items: `a` (1 different)"),
            (
                [#"{"temperature":3}"#],
                "one item is not enough to tell, and none of its members has a name such as `id` or `url`"
            ),
            ([], "the page has no items to find a key in"),
        ] as [([String], String)])
    func none(items: [String], reason: String) throws {
        let found = try key(items)
        #expect(found.paths.isEmpty && found.reason == reason)
    }

    @Test("The key is preferably a column of the definition")
    func preferred() throws {
        let items = [#"{"title":"a","word":"x"}"#, #"{"title":"b","word":"y"}"#]
        #expect(try key(items).paths.map(\.description) == ["word"])
        #expect(try key(items, preferred: ["title"]).paths.map(\.description) == ["title"])
    }
}
