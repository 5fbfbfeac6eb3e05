/// The content of a configuration file, as a JSON Schema for editors.
///
/// Source: <https://json-schema.org/draft/2020-12>
package enum ConfigurationSchema {
    /// A member of a feed.
    package struct Member: Sendable {
        package let name: String
        /// Its schema, without the description.
        let schema: String
        /// Its meaning, in a phrase.
        let meaning: String

        init(_ name: String, _ schema: String, _ meaning: String) {
            (self.name, self.schema, self.meaning) = (name, schema, meaning)
        }
    }

    private static let text = #""type":"string""#
    private static func see(_ name: String) -> String { "\"$ref\":\"#/$defs/\(name)\"" }

    private static let scalar = see("scalar")
    private static let boolean = #""type":"boolean""#
    private static let duration = see("duration")
    private static let size = see("size")
    private static let count = #""type":"integer","minimum":1"#
    private static let words = see("words")
    private static let scalars = #""type":"object","additionalProperties":{\#(see("scalars"))}"#

    private static func object(_ members: String, required: [String] = []) -> String {
        let names = required.isEmpty ? "" : ",\"required\":\(required.json)"
        return #""type":"object","properties":{\#(members)},"additionalProperties":false\#(names)"#
    }

    private static func any(_ schemas: String...) -> String {
        #""anyOf":[\#(schemas.map { "{\($0)}" }.joined(separator: ","))]"#
    }

    private static func choice(_ words: [String]) -> String { #""enum":\#(words.json)"# }

    /// Every member that a feed can have, in the order of the documentation.
    package static let members: [Member] = [
        Member("preset", text, "the definition to start from"),
        Member("with", scalars, "values for the preset's parameters"),
        Member("url", text, "where the first page is"),
        Member("query", scalars, "query parameters"),
        Member("headers", scalars, "header fields"),
        Member("method", choice(RequestMethod.allCases.map(\.rawValue)), "all but GET send `body`"),
        Member(
            "body", #""type":["object","string"]"#,
            "the JSON to send, or the form if `Content-Type` says so; or a text, such as XML"),
        Member(
            "auth",
            #""type":"object","maxProperties":1,"additionalProperties":false,"properties":{"#
                + MappingDecoder.ways.map { "\($0.json):{}" }.joined(separator: ",") + "}",
            "how requests sign in"),
        Member("allow_origins", words, "other origins that pages may lead to, without credentials"),
        Member("format", choice(FeedFormat.allCases.map(\.rawValue)), "what the pages are; found if absent"),
        Member(
            "stream", object(#""count":{\#(count)},"time":{\#(duration)}"#),
            "when a stream of server-sent events is ended"),
        Member(
            "items", any(text, object(#""path":{\#(text)},"keyed_by":{\#(words)}"#, required: ["path"])),
            "the path of the array of items; found if absent"),
        Member("key", words, "the column or path that identifies an item, a list of them, or $hash"),
        Member(
            "section",
            any(
                text,
                object(#""path":{\#(text)},"by":{\#(choice(["hour", "day", "month", "year"]))}"#, required: ["path"])),
            "what items are grouped by"),
        Member("model", text, "the view that shows this feed together with others"),
        Member(
            "columns", any(words, #""type":"object","additionalProperties":{\#(see("column"))}"#),
            "name: path, or name: {path, type, replace, mask}, or name: {value}; or a list of paths"),
        Member("except", words, "paths of members that get no column, where columns are found"),
        Member(
            "flatten", object(#""depth":{\#(count),"maximum":10},"prefix":{\#(boolean)}"#),
            "how deep objects are taken apart, where columns are found"),
        Member("pagination", any(text, #""type":"object""#), "how to get the next page; found if absent"),
        Member("partition", #""type":"object""#, "how to divide a feed that the upstream caps"),
        Member("responses", #""type":"array","items":{"type":"object"}"#, "what a response means"),
        Member("raw", boolean, "whether each item's JSON is kept"),
        Member(
            "missing", choice(MissingMember.allCases.map(\.rawValue)),
            "keep leaves stored values whose members an item lacks"),
        Member(
            "show",
            object(
                #""title":{\#(text)},"text":{\#(text)},"link":{\#(text)},"picture":{\#(text)},"time":{\#(text)},"#
                    + #""figures":{\#(words)}"#),
            "what people want to see of an item"),
        Member(
            "search", any(words, object(#""columns":{\#(words)},"param":{\#(text)}"#)),
            "columns that can be searched for words, and the parameter by which the upstream searches"),
        Member("lists", words, "columns with lists of which each element is a row of a view"),
        Member("changes", boolean, "false keeps no old values"),
        Member("keep", duration, "how long runs, events, changes and items that are gone are kept"),
        Member(
            "on_change",
            object(
                #""exec":{\#(words)},"webhook":{\#(text)},"secret":{\#(text)},"message":{\#(text)},"body":{},"#
                    + #""method":{\#(choice(["POST", "PUT"]))},"headers":{"type":"object"},"batch":{\#(duration)}"#),
            "who is told what changes"),
        Member("timeout", duration, "how long a response may take"),
        Member("retries", #""type":"integer","minimum":0,"maximum":100"#, "how often a failed request is tried again"),
        Member("rate", #""type":"string","pattern":"^[0-9]+/[smhd]$""#, "at most so many requests, as in 2/s"),
        Member("proxy", text, "the proxy's URL, or none"),
        Member("ca", text, "the file with the certificates to trust"),
        Member("client_certificate", any(text, #""type":"object""#), "the certificate that shows who asks"),
        Member("user_agent", text, "how requests introduce themselves"),
        Member("max_pages", count, "the most pages that a crawl asks for"),
        Member("max_memory", size, "the most memory that a page may take"),
        Member("sync", any(text, #""type":"object""#), "what a sync looks for"),
        Member("every", duration, "the interval of sync --due"),
        Member("paused", boolean, "true if sync --due passes it over"),
        Member(
            "removed", any(text, object(#""path":{\#(text)},"is":{\#(words)}"#, required: ["path"])),
            "how an item says that it is gone"),
        Member("ignore", words, "paths of members whose change does not count"),
        Member(
            "for_each",
            any(text, object(#""feed":{\#(text)},"where":{\#(text)},"when":{\#(text)}"#, required: ["feed"])),
            "the feed whose rows each have a list"),
        Member("each", #""type":"array","minItems":1"#, "values of which each makes a feed"),
    ]

    private static func properties(_ members: [Member]) -> String {
        members.map { member in
            // `null` removes a value of a preset or of the defaults.
            "\(member.name.json):{\"description\":\(member.meaning.json),\(any(member.schema, #""type":"null""#))}"
        }.joined(separator: ",")
    }

    /// The schema.
    package static var json: String {
        let notShared: Set = ["url", "preset", "with", "for_each", "each"]
        let shared = members.filter { !notShared.contains($0.name) }
        let top = [
            #""store":{"description":"the SQLite file, relative to this one; or, for `work`, the URI of a database in PostgreSQL",\#(text)}"#,
            #""keep":{"description":"how long runs, events and changes are kept",\#(duration)}"#,
            #""durable":{"description":"whether a commit survives a power failure",\#(boolean)}"#,
            #""include":{"description":"files with further feeds",\#(words)}"#,
            #""defaults":{"description":"members that all feeds have",\#(object(properties(shared)))}"#,
            #""feeds":{"description":"the feeds by name",\#(any(#""type":"object","additionalProperties":{\#(see("feed"))}"#, #""type":"null""#))}"#,
        ]
        let definitions = [
            #""scalar":{"type":["string","number","boolean"]}"#,
            #""scalars":{"anyOf":[{\#(see("scalar"))},{"type":"null"},{"type":"array","items":{\#(see("scalar"))}}]}"#,
            #""words":{"anyOf":[{"type":"string"},{"type":"array","items":{\#(see("scalar"))}}]}"#,
            #""duration":{"anyOf":[{"type":"string","pattern":"^[0-9]+(ms|s|m|h|d|w)?$"},{"type":"integer","minimum":0},{"const":"never"}]}"#,
            #""size":{"anyOf":[{"type":"string","pattern":"^[0-9]+ ?(B|kB|KB|KiB|MB|MiB|GB|GiB)?$"},{"type":"integer","minimum":0}]}"#,
            #""column":{"anyOf":[{"type":["string","null"]},{"type":"object","properties":{"path":{"type":"string"},"value":{"type":["string","number","boolean"]},"type":{\#(choice(ColumnType.allCases.map(\.rawValue)))},"replace":{"type":"array","items":{"type":"string"},"minItems":2,"maxItems":2},"mask":{"anyOf":[{"const":"hash"},{"type":"object","properties":{"hash":{"type":"string"}},"required":["hash"],"additionalProperties":false}]}},"additionalProperties":false}]}"#,
            #""feed":{\#(object(properties(members)))}"#,
        ]
        return
            #"{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"feedsync","type":"object","properties":{"#
            + top.joined(separator: ",") + #"},"additionalProperties":false,"$defs":{"#
            + definitions.joined(separator: ",") + "}}"
    }
}
