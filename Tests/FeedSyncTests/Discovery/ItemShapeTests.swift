import Testing

@testable import ResponseBody
@testable import Upstream

@Suite("The columns of items")
struct ItemShapeTests {
    private func shape(_ items: [String]) throws -> ItemShape {
        var shape = ItemShape()
        for item in items { if let members = try JSONValue(parsing: item).members { shape.add(members) } }
        return shape
    }

    private func written(_ columns: [ColumnDefinition]) -> [String] {
        columns.map { column in
            "\(column.name)\(column.name == column.path.description ? "" : "=\(column.path)"):\(column.type?.rawValue ?? "?")"
        }
    }

    @Test(
        "Discovered columns have the narrowest type with room for all values",
        arguments: [
            (["1", "2"], "integer"), (["1", "2.5"], "real"), (["1e3"], "real"), (["99999999999999999999"], "integer"),
            (["true", "false"], "boolean"), (["true", "1"], "text"), ([#""x""#, "1"], "text"), (["null"], "?"),
            (["null", "1"], "integer"), (["[]", "[1]"], "json"), (["[1]", #""x""#], "text"), (["{}"], "json"),
            (["{}", "null"], "json"), ([#"{"a":1}"#, #""x""#], "text"), ([#"{"a":1}"#, "[1]"], "json"),
        ] as [([String], String)])
    func types(values: [String], expected: String) throws {
        let shape = try shape(values.map { #"{"v":\#($0)}"# })
        #expect(written(shape.columns()) == ["v:\(expected)"])
    }

    @Test(
        "Discovered columns come from nested objects too, up to three steps",
        arguments: [
            (
                [#"{"id":1,"owner":{"login":"a","plan":{"name":"x","more":{"deep":1}}}}"#],
                [
                    "id:integer", "owner_login=owner.login:text", "owner_plan_name=owner.plan.name:text",
                    "owner_plan_more=owner.plan.more:json",
                ]
            ),
            ([#"{"a":null}"#, #"{"a":{"b":1}}"#], ["a_b=a.b:integer"]),
            ([#"{"a":{"1":1}}"#], ["a:json"]),
            ([#"{"a":{"2020-01-01":1}}"#], ["a:json"]),
            ((0..<30).map { #"{"a":{"k\#($0)":1,"l\#($0)":2}}"# }, ["a:json"]),
            ([#"{"a":{"x":1},"a_x":2}"#], ["a_x=a.x:integer", "a_x_2=a_x:integer"]),
            (
                [#"{"Id":1,"id":2,"_raw":3,"":4,"a.b":5,"select":6,"x\"y":7}"#],
                [
                    "Id:integer", "id_2=id:integer", "_raw_2=_raw:integer", #"_2="":integer"#, #"a.b="a.b":integer"#,
                    "select:integer", #"x"y="x\"y":integer"#,
                ]
            ),
        ] as [([String], [String])])
    func flattening(items: [String], expected: [String]) throws {
        #expect(written(try shape(items).columns()) == expected)
    }

    @Test("Discovered columns keep name, path and position when later pages have other items")
    func extending() throws {
        let first = try shape([#"{"id":1,"n":1,"o":{"a":1},"w":null,"s":"x"}"#]).columns()
        #expect(written(first) == ["id:integer", "n:integer", "o_a=o.a:integer", "w:?", "s:text"])
        let second = try shape([#"{"id":"x","n":1.5,"o":"text","w":{"b":1},"s":{"c":1},"new":true}"#])
        #expect(
            written(second.columns(extending: first, fixed: ["id"])) == [
                "id:integer", "n:real", "o_a=o.a:integer", "w:json", "s:text", "o:text", "new:boolean",
            ])
        let third = try shape([#"{"o":{"a":1,"z":2}}"#])
        #expect(
            written(third.columns(extending: first)) == [
                "id:integer", "n:integer", "o_a=o.a:integer", "w:?", "s:text", "o_z=o.z:integer",
            ])
    }

    @Test("Discovered columns are a thousand at most: objects stay whole, then members are skipped")
    func limit() throws {
        let object = (0..<400).map { #""m\#($0)":1"# }.joined(separator: ",")
        let nested = try shape([#"{"id":1,"a":{\#(object)},"b":{\#(object)},"c":{\#(object)}}"#]).allColumns()
        #expect(nested.all.map(\.name) == ["id", "a", "b", "c"])
        #expect(nested.passedOver == 0)
        let wide = try shape(["{\((0..<1_200).map { #""m\#($0)":1"# }.joined(separator: ","))}"]).allColumns()
        #expect(wide.all.count == 1_000 && wide.passedOver == 200)
    }
}
