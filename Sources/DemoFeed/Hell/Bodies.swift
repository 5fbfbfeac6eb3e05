internal import HTTPServer

extension HellPage {
    /// The items behind another one.
    fileprivate var rest: String { items.isEmpty ? "" : ",\(items)" }
}

extension HellKind {
    /// Bodies that are not the JSON that was promised.
    static let bodies: [HellKind] = [
        kind("nothing", 65, "nothing", ""),
        kind("blank", 65, "spaces", "   \n  "),
        HellKind("html", .bodies, 65, "an HTML page") { _ in .html("<!DOCTYPE html><h1>Sign in</h1>") },
        kind("html-as-json", 65, "an HTML page that is called JSON", "<!DOCTYPE html><h1>Sign in</h1>"),
        kind("xml", 65, "XML", "<?xml version=\"1.0\"?><items/>"),
        kind("words", 65, "words", "all is well"),
        kind("script", 65, "JSON in a call", "callback({\"items\":[]})"),
        kind("guarded", 65, "JSON behind a guard against scripts", ")]}',\n{\"items\":[]}"),
        kind("string", 65, "a string", "\"items\""),
        kind("number", 65, "a number", "42"),
        kind("value-null", 65, "null", "null"),
        kind("value-true", 65, "true", "true"),
        kind("array", 65, "an array, where items should be a member", "[1,2]"),
        kind("no-items", 65, "an object without items", #"{"things":[]}"#),
        kind("items-null", 0, "items that are null", #"{"items":null}"#),
        kind("items-string", 65, "items that are a string", #"{"items":"none"}"#),
        kind("items-number", 65, "items that are a number", #"{"items":3}"#),
        kind("items-of-numbers", 65, "items that are numbers", #"{"items":[1,2,3]}"#),
        kind("items-of-arrays", 65, "items that are arrays", #"{"items":[[1],[2]]}"#),
        kind("key-missing", 65, "items without a key", #"{"items":[{"name":"a"}]}"#),
        kind("key-null", 65, "items whose key is null", #"{"items":[{"id":null,"name":"a"}]}"#),
        kind("nan", 65, "NaN", #"{"items":[{"id":1,"name":NaN}]}"#),
        kind("infinity", 65, "Infinity", #"{"items":[{"id":1,"name":-Infinity}]}"#),
        kind("hexadecimal", 65, "a number with 0x", #"{"items":[{"id":0x1}]}"#),
        kind("leading-zero", 65, "a number that begins with 0", #"{"items":[{"id":01}]}"#),
        kind("plus", 65, "a number with a plus sign", #"{"items":[{"id":+1}]}"#),
        kind("single-quotes", 65, "single quotes", "{'items':[]}"),
        kind("no-quotes", 65, "names without quotes", "{items:[]}"),
        kind("comma-behind", 65, "a comma behind the last item", #"{"items":[{"id":1},]}"#),
        kind("comma-missing", 65, "no comma between items", #"{"items":[{"id":1}{"id":2}]}"#),
        kind("colon-missing", 65, "no colon", #"{"items" []}"#),
        kind("comment", 65, "a comment", "{\"items\":[] /* none */}"),
        kind("unclosed", 65, "an array that is not closed", #"{"items":[{"id":1}"#),
        kind("unclosed-string", 65, "a string that is not closed", #"{"items":[{"id":"1}]}"#),
        kind("closed-twice", 65, "a bracket too many", #"{"items":[]}]"#),
        kind("closed-crosswise", 65, "brackets that do not match", #"{"items":[{"id":1]}}"#),
        kind("more-behind", 65, "bytes behind the JSON", #"{"items":[]}x"#),
        kind("two-documents", 65, "two documents", #"{"items":[]}{"items":[]}"#),
        kind("escape-unknown", 65, "an unknown escape", #"{"items":[{"id":1,"name":"\x41"}]}"#),
        kind("escape-short", 65, "an escape that is cut off", #"{"items":[{"id":1,"name":"\u12"}]}"#),
        kind("newline", 65, "a newline in a string", "{\"items\":[{\"id\":1,\"name\":\"a\nb\"}]}"),
        kind("deep-arrays", 65, "2,000 arrays in one another", deep("[", "]")),
        kind("deep-objects", 65, "2,000 objects in one another", deep(#"{"a":"#, "}")),
        kind("deep-unclosed", 65, "100,000 arrays that are not closed", String(repeating: "[", count: 100_000)),
        sound("unknown-members", "members that nobody asked for") {
            $0.dropLast() + #","more":{"a":[1,{"b":null}]}}"#
        },
        HellKind("item-null", .bodies, 0, "null among the items") {
            $0.body("{\"items\":[\($0.items.isEmpty ? "" : "null")\($0.rest)]}")
        },
        HellKind("item-string", .bodies, 0, "a string among the items") {
            $0.body("{\"items\":[\($0.items.isEmpty ? "" : "\"x\"")\($0.rest)]}")
        },
        HellKind("items-twice", .bodies, 0, "items twice, the second time the same") { page in
            page.body("{\"items\":[\(page.items)],\"items\":[\(page.items)]}")
        },
        sound("spaces", "100 kB of spaces") { String(repeating: " ", count: 100_000) + $0 },
        sound("long-string", "a string of a megabyte that nobody asked for") {
            $0.dropLast() + ",\"long\":\"\(String(repeating: "x", count: 1 << 20))\"}"
        },
        sound("many-members", "10,000 members that nobody asked for") {
            $0.dropLast() + (1...10_000).map { ",\"m\($0)\":1" }.joined() + "}"
        },
        sound("lone-surrogate", "half a surrogate pair that nobody asked for") {
            $0.dropLast() + #","a":"\ud800"}"#
        },
        sound("huge-number", "1e999999 that nobody asked for") { $0.dropLast() + #","a":1e999999}"# },
        sound("long-number", "a number of 10,000 digits that nobody asked for") {
            $0.dropLast() + ",\"a\":\(String(repeating: "9", count: 10_000))}"
        },
    ]

    private static func kind(_ name: String, _ code: Int32, _ summary: String, _ body: String) -> HellKind {
        HellKind(name, .bodies, code, summary) { $0.body(body) }
    }

    /// The sound page with something that must not matter.
    private static func sound(
        _ name: String, _ summary: String, _ change: @escaping @Sendable (String) -> String
    ) -> HellKind {
        HellKind(name, .bodies, 0, summary) { $0.body(change($0.text())) }
    }

    private static func deep(_ open: String, _ close: String) -> String {
        #"{"items":"# + String(repeating: open, count: 2_000) + "1" + String(repeating: close, count: 2_000) + "}"
    }
}
