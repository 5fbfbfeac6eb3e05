internal import FeedSync
internal import HTTPServer
internal import JSON
internal import Reports

/// The API's description.
///
/// Source: <https://spec.openapis.org/oas/v3.1.0>
enum OpenAPI {
    static let response = Responses.json(json)

    private struct Operation {
        var path: String
        var method = "get"
        var summary: String
        var parameters: [Parameter] = []
        /// The fields of the request's form; nil if there is none.
        var form: [(name: String, meaning: String)]?
        /// The required fields of the form.
        var needed: [String] = []
        /// The schema of the response, as JSON; nil for text.
        var schema: String?
        /// The type of the response; nil for a response without a body.
        var type: String? = "application/json"
        /// Other types that a parameter or a field of the request chooses.
        var otherTypes: [String] = []
        var status = 200
        var others: [Other] = []
    }

    /// A response besides the one that is asked for; the type is nil for one without a body.
    private typealias Other = (status: Int, meaning: String, type: String?)

    /// A parameter: its name, its place in a request, and its description.
    private typealias Parameter = (name: String, place: String, json: String)

    private static let schemas = "#/components/schemas/"
    private static func see(_ name: String) -> String { "{\"$ref\":\"\(schemas)\(name)\"}" }
    private static func list(_ name: String) -> String { "{\"type\":\"array\",\"items\":\(see(name))}" }

    private static func parameter(
        _ name: String, in place: String = "query", _ meaning: String, _ schema: String, isRequired: Bool = false
    ) -> Parameter {
        let json =
            "{\"name\":\(name.json),\"in\":\(place.json),\"required\":\(isRequired || place == "path"),"
            + "\"description\":\(meaning.json),\"schema\":\(schema)}"
        return (name, place, json)
    }

    private static let text = #"{"type":"string"}"#
    private static let place = #"{"type":"string","pattern":"^[0-9]{1,18}\\.[0-9]{1,18}$"}"#
    private static let number = #"{"type":"integer","minimum":0}"#
    private static let html = "text/html"
    private static let problem = "application/problem+json"
    private static let feed = parameter("feed", in: "path", "the feed's name", text)
    private static let limit = parameter(
        "limit", "the maximum number", #"{"type":"integer","minimum":1,"maximum":1000,"default":100}"#)
    private static let after = parameter("after", "the place behind which to go on, from Link", place)
    private static let lines = parameter(
        "format", "each object in a line of its own", #"{"type":"string","enum":["ndjson"]}"#)
    private static let rowFormat = parameter(
        "format", "CSV, or each item in a line of its own", #"{"type":"string","enum":["csv","ndjson"]}"#)
    private static let words = parameter("q", "only items that have all these words", text)
    private static let total = parameter(
        "total", "with the number of all in X-Total-Count", #"{"type":"string","enum":["true"]}"#)
    private static let before = parameter(
        "before", "the run, or the change of columns, before which to go on, from Link",
        #"{"type":"integer","minimum":1}"#)
    private static let ndjson = "application/x-ndjson"
    private static let ofChanges = [
        lines, total, limit,
        parameter(
            "kind", "only this kind; may be repeated",
            #"{"type":"string","enum":["new","changed","removed","returned"]}"#),
        parameter(
            "before", "the place before which to go on, from Link",
            "{\"type\":\"string\",\"pattern\":\(ChangeMoment.pattern.json)}"),
    ]
    private static let unknown: Other = (404, "no such feed", problem)
    private static let wrong: Other = (400, "a parameter is not what it has to be", problem)
    private static let strange: Other = (400, "there is no such parameter", problem)
    private static let notHere: Other = (404, "no such feed, or this server does not do that", problem)
    private static let foreign: Other = (403, "read-only, or without the token of GET /session", problem)
    private static let upstreamErrors: [Other] = [
        (409, "another process works on the feed, or a later command took the place", problem),
        (422, "the definition cannot be used", problem), (502, "the upstream fails or refuses", problem),
        (503, "the upstream asked us to wait", problem),
    ]

    private static func command(_ word: String, _ summary: String) -> Operation {
        Operation(
            path: "/feeds/{feed}/\(word)", method: "post", summary: summary + "; answers when the run has ended",
            parameters: [feed], schema: see("run"),
            others: [(303, "to the list, for a form of a page", nil), strange, unknown, foreign] + upstreamErrors)
    }

    private static let operations: [Operation] =
        tables + [
            command("reload", "Requests the first page"), command("more", "Requests the next page"),
            command("sync", "Brings the feed up to date"),
        ] + changesOfFeeds + listsOfFeeds + searches + additions + pages

    /// The same paths for a list of a feed that has one for each row of another.
    private static let listsOfFeeds: [Operation] = tables.filter { operation in
        ["", "/items", "/items/{key}", "/export", "/sections", "/runs"].contains {
            operation.path == "/feeds/{feed}" + $0
        }
    }.map { operation in
        var list = operation
        list.path = operation.path.replacing("/feeds/{feed}", with: "/feeds/{feed}/parts/{part}")
        list.parameters.insert(
            parameter(
                "part", in: "path",
                "the key of the row that has the list; values of several columns with commas between",
                text), at: 1)
        list.summary = operation.summary + ", for a list of a feed"
        return list
    }

    /// A page, or a part of one.
    private static func page(
        _ path: String, _ summary: String, _ parameters: [Parameter] = [], others: [Other] = []
    ) -> Operation {
        Operation(path: path, summary: summary, parameters: parameters, type: html, others: others)
    }

    private static func change(_ action: FeedAction, _ summary: String, form: [(String, String)]? = nil) -> Operation {
        Operation(
            path: "/feeds/{feed}/\(action.rawValue)", method: "post", summary: summary, parameters: [feed],
            form: form.map { $0.map { (name: $0.0, meaning: $0.1) } }, needed: form.map { [$0[0].0] } ?? [],
            schema: action == .remove || action == .definition ? #"{"type":"object"}"# : see("status"),
            others: [
                (303, "to the page, for a form of a page", nil), strange, unknown, foreign,
                (409, "not in the configuration, a list of another, or at work", problem),
                (422, "the reason why it cannot be changed so", problem),
            ])
    }

    /// Changes of feeds in the configuration.
    private static let changesOfFeeds = [
        change(.pause, "Pauses the feed: nothing syncs it when it is due"), change(.resume, "Ends a pause"),
        change(.rename, "Gives the feed another name, in the store, too", form: [("name", "the new name")]),
        change(
            .definition, "Checks other lines for the feed, or writes them, and tells the difference",
            form: [
                ("text", "the lines, with the feed's name"), ("do", "`write`; otherwise they are only checked"),
                ("base", "what pages send"),
            ]),
        change(.remove, "Removes the feed from the configuration; its items stay"),
        change(.restore, "Undoes the removal, as long as the server runs"),
    ]

    /// The tables of the store.
    private static let tables: [Operation] = [
        Operation(path: "/feeds", summary: "All feeds with their states", schema: list("status")),
        Operation(
            path: "/feeds/{feed}", summary: "A feed with its state", parameters: [feed], schema: see("status"),
            others: [unknown]),
        Operation(
            path: "/feeds/{feed}/sections", summary: "The sections of a feed, in feed order",
            parameters: [feed], schema: list("section"), others: [unknown]),
        Operation(
            path: "/feeds/{feed}/items",
            summary:
                "Items in feed order, a page at a time: follow Link rel=next. With q and neither section nor order: the best that have all its words. With where, sort, columns, column or offset: a table of them",
            parameters: [
                feed, limit, after, parameter("section", "only this section; empty for the items without one", text),
                words,
                parameter(
                    "order", "in feed order and by pages, also with q; as `after`, not for a table",
                    #"{"type":"string","enum":["place"]}"#),
                parameter(
                    "where", "only items for which it is true, as in `stars > 100`; may be repeated, up to 20 times",
                    text),
                parameter("sort", "the column that sorts them; -NAME sorts downwards", text),
                parameter("columns", "only these columns, separated by commas", text),
                parameter("column", "only this column, whose name may have a comma; may be repeated", text),
                parameter(
                    "offset", "in a table: how many to pass over",
                    "{\"type\":\"integer\",\"minimum\":0,\"maximum\":\(TableView.mostOffset)}"),
                rowFormat, total,
            ], schema: list("item"), otherTypes: ["text/csv", ndjson], others: [wrong, unknown]),
        Operation(
            path: "/feeds/{feed}/export", summary: "All items in feed order",
            parameters: [feed, rowFormat], type: "text/csv", otherTypes: [ndjson], others: [wrong, unknown]),
        Operation(
            path: "/feeds/{feed}/parts",
            summary:
                "The lists of a feed that has one for each row of another; each has the paths of a feed below its own",
            parameters: [
                feed, limit, parameter("after", "the list after which to go on, from Link", text), lines,
            ], schema: list("status"), otherTypes: [ndjson], others: [wrong, unknown]),
        Operation(
            path: "/feeds/{feed}/definition", summary: "The lines of a feed in the configuration, as YAML",
            parameters: [feed], type: "text/yaml",
            others: [
                unknown, (401, "without the token", problem), (403, "read-only, or without a configuration", problem),
                (409, "the feed is not in the configuration, or a list of another", problem),
                (422, "they hold a credential", problem),
            ]),
        Operation(
            path: "/feeds/{feed}/items/{key}", summary: "An item, also one that was removed",
            parameters: [feed, parameter("key", in: "path", "the item's key, as JSON or as text", text)],
            schema: see("item"), others: [(404, "no such feed or item", problem)]),
        Operation(
            path: "/feeds/{feed}/changes",
            summary: "The changes of a feed's items, the newest first: follow Link rel=next",
            parameters: [feed] + ofChanges,
            schema: list("change"), otherTypes: [ndjson], others: [wrong, unknown]),
        Operation(
            path: "/changes",
            summary: "The changes of all feeds' items, the newest first; a page for browsers", parameters: ofChanges,
            schema: list("change"), otherTypes: [html, ndjson], others: [wrong]),
        Operation(
            path: "/feeds/{feed}/runs", summary: "The runs of a feed, the newest first: follow Link rel=next",
            parameters: [feed, limit, before, lines, total], schema: list("run"), otherTypes: [ndjson],
            others: [wrong, unknown]),
        Operation(
            path: "/feeds/{feed}/schema", summary: "The changes of a feed's columns, the newest first",
            parameters: [feed, limit, before, lines], schema: list("column_change"), otherTypes: [ndjson],
            others: [wrong, unknown]),
        Operation(
            path: "/runs", summary: "The runs of all feeds, the newest first: follow Link rel=next",
            parameters: [limit, before, lines, total], schema: list("run"), otherTypes: [ndjson], others: [wrong]),
        Operation(path: "/quota", summary: "The limits that hosts reported", schema: list("quota")),
        Operation(
            path: "/events",
            summary:
                "The event log as server-sent events, live. Each has the event's id, and a row of the table `event` as data; one named `change` says that the store has changed otherwise",
            parameters: [
                parameter("feed", "only this feed", text),
                parameter("Last-Event-ID", in: "header", "the last event that is known; without it, from now on", text),
                parameter("after", "the same, where no header can be sent", number),
                parameter("changes", "`data-changes` of a page; a later change is sent at once", number),
            ], type: "text/event-stream", others: [wrong, unknown]),
        Operation(
            path: "/session", summary: "The token that a change needs",
            schema:
                #"{"type":"object","properties":{"token":{"type":["string","null"]},"read_only":{"type":"boolean"}},"required":["token","read_only"]}"#
        ),
        Operation(
            path: "/health", summary: "The store's readability", schema: healthSchema,
            others: [(503, "the configuration cannot be used, or the store was replaced", healthSchema)]),
        Operation(path: "/metrics", summary: "Figures in Prometheus' text format", type: "text/plain"),
        Operation(path: "/openapi.json", summary: "This description", schema: #"{"type":"object"}"#),
    ]

    /// Searches of a feed's upstream.
    private static let searches: [Operation] = [
        Operation(
            path: "/search/{feed}", method: "post",
            summary: "Searches the feed's upstream: the rows that are found; the latest text of a page wins",
            parameters: [feed],
            form: [
                ("q", "what to search for, three characters or more"), ("as", "what tells the page from others"),
                (
                    "number",
                    "which text of the page it is, counted up: one that is overtaken on its way is not searched for"
                ),
            ],
            type: html,
            others: [(204, "a later text took its place", nil), notHere, foreign] + upstreamErrors),
        Operation(
            path: "/search/{feed}/more", method: "post", summary: "The next page of what was found", parameters: [feed],
            form: [("q", "what was searched for"), ("after", "the place behind which to go on")],
            needed: ["q"], type: html,
            others: [(400, "it was not searched for", problem), notHere, foreign] + upstreamErrors),
        Operation(
            path: "/search/{feed}/keep", method: "post", summary: "Makes a feed of a search", parameters: [feed],
            form: [("q", "what was searched for"), ("name", "the new feed's name")], needed: ["q", "name"], type: nil,
            status: 303,
            others: [notHere, foreign, (422, "the name cannot be used", problem)]),
    ]

    private static let feedForm = [
        ("name", "the feed's name"), ("source", "a URL, or a preset's name"),
        ("parameters", "one name=value per line"), ("headers", "one Name: value per line"),
        ("goes_on", "there, if the feed goes on with what is stored of a removed one"),
        ("as", "what tells the page from others"),
    ].map { (name: $0.0, meaning: $0.1) }

    /// Adding feeds.
    private static let additions: [Operation] = [
        Operation(
            path: "/add/check", method: "post", summary: "The state of a new feed's steps; asks no other server",
            form: feedForm, schema: stepsSchema,
            others: [notHere, foreign, (422, "the configuration is wrong", problem)]
        ),
        Operation(
            path: "/add/look", method: "post",
            summary: "Asks the new feed's server, and shows what was found; the latest look of a page wins",
            form: feedForm, type: html,
            others: [(204, "a step is not right, or a later look took its place", nil), notHere, foreign]),
        Operation(
            path: "/add", method: "post", summary: "Adds a feed to the configuration, and stores its first page",
            form: feedForm, needed: ["name", "source"], type: nil, status: 303,
            others: [notHere, foreign, (422, "what is wrong", html)]),
        Operation(
            path: "/add/demo", method: "post", summary: "Adds the feeds of the demo", form: [], type: nil, status: 303,
            others: [notHere, foreign, (422, "what is wrong", html)]),
    ]

    /// The paths of the pages and their forms.
    private static let pages: [Operation] = [
        page("/search/{feed}", "The page that searches a feed's upstream", [feed], others: [notHere]),
        page("/add", "The page that adds a feed", others: [notHere]),
        page("/login", "The page that asks for the token"),
        page("/settings/{feed}", "The page that changes a feed", [feed], others: [unknown]),
        page("/table/{feed}", "A feed as a table", [feed], others: [unknown]),
        page(
            "/find", "The page with the items of all feeds that have all words of a text",
            [parameter("q", "the text", text)]),
        page("/changes/{feed}", "The page of a feed's changes", [feed], others: [unknown]),
        page(
            "/list/{feed}/rows", "Rows of a list, or those that have the words of a text",
            [
                feed, limit, after, words,
                parameter("order", "with `q`: in feed order, by pages", #"{"const":"place"}"#),
            ], others: [wrong, unknown]),
        page("/list/{feed}/state", "The state of a feed, as its list shows it", [feed], others: [unknown]),
        Operation(
            path: "/picture/{feed}", summary: "The picture of an item",
            parameters: [
                feed, parameter("key", "the item's key as JSON", text, isRequired: true),
                parameter("column", "with `number`: a column of HTML", text),
                parameter("number", "which of the pictures of that HTML, from 0", number),
                parameter("q", "the text for which the item was found on the feed's server", text),
            ], type: "image/*",
            others: [(404, "it has none, or its server does not give it", problem)]),
        Operation(
            path: "/login", method: "post", summary: "Begins a browser's session, where a token is needed",
            form: [("token", "the token"), ("to", "the path to go on to")], needed: ["token"], type: nil, status: 303,
            others: [(403, "that is not the token", html)]),
        Operation(
            path: "/open", summary: "Begins a browser's session with the code that serve printed",
            parameters: [parameter("code", "the code, which works once", text, isRequired: true)], type: nil,
            status: 303,
            others: [(403, "the code was used, or is too old", html)]),
        Operation(path: "/logout", method: "post", summary: "Ends a browser's session", type: nil, status: 303),
    ]

    /// The names of the parameters that a request of a path takes in its query; nil if there is no such path.
    static func queryParameters(at parts: [String], of method: String) -> [String]? {
        let found = operations.first { ($0.method == "post") == (method == "POST") && isPath($0.path, parts) }
        return found?.parameters.filter { $0.place == "query" }.map(\.name)
    }

    private static func isPath(_ path: String, _ parts: [String]) -> Bool {
        let words = path.split(separator: "/")
        return words.count == parts.count && zip(words, parts).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }

    /// The methods of a path; empty if there is nothing at it.
    static func methods(at parts: [String]) -> [String] {
        let found = operations.filter { isPath($0.path, parts) }
        return found.flatMap { $0.method == "get" ? ["GET", "HEAD"] : ["POST"] }
    }

    private static let healthSchema =
        #"{"type":"object","properties":{"ok":{"type":"boolean"},"feeds":{"type":"integer"},"#
        + #""listeners":{"type":"integer"},"configuration":{"type":["string","null"]},"#
        + #""store":{"type":["string","null"]},"#
        + #""feedsync":{"type":"string"}},"required":["ok"]}"#
    private static let stepsSchema =
        #"{"type":"object","required":["steps","goes_on"],"properties":{"goes_on":{"type":"boolean"},"#
        + #""steps":{"type":"array","items":{"type":"object","required":["step","open","right"],"properties":{"#
        + #""step":{"enum":["name","source","request","look"]},"open":{"type":"boolean"},"right":{"type":"boolean"},"#
        + #""problem":{"type":["string","null"]},"advice":{"type":["string","null"]},"#
        + #""note":{"type":["string","null"]}}}}}}"#

    private static let json: String = {
        var paths: [(path: String, operations: [String])] = []
        for operation in operations {
            let text = description(of: operation)
            if let place = paths.firstIndex(where: { $0.path == operation.path }) {
                paths[place].operations.append(text)
            } else {
                paths.append((operation.path, [text]))
            }
        }
        let list = paths.map { "\($0.path.json):{\($0.operations.joined(separator: ","))}" }.joined(separator: ",")
        let item =
            #""item":{"type":"object","description":"a row of the feed's table: the model's columns, then _section, _generation, _position, _first_seen_at, _changed_at and _removed_at"}"#
        let problem =
            "\"problem\":{\"type\":\"object\",\"properties\":{\"title\":\(text),\"status\":{\"type\":\"integer\"},\"error\":\(see("error")),"
            + #""advice":{"type":["string","null"]},"version":{"const":1}},"required":["title","status","error"]}"#
        let definitions = ResultSchema.definitions(at: schemas).dropLast()
        return "{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"feedsync serve\",\"version\":\(FeedSyncVersion.text.json),"
            + "\"description\":\"A store of feedsync, with the names of its tables. Each GET but /events and /export has an ETag. Each answer that is not for browsers has a Link to this description, a list one to its next page.\"},"
            + #""security":[{},{"token":[]},{"session":[]}],"#
            + "\"paths\":{\(list)},\"components\":{\"schemas\":\(definitions),\(item),\(problem)},"
            + "\"securitySchemes\":\(securitySchemes)}}"
    }()

    private static let securitySchemes =
        #"{"token":{"type":"http","scheme":"bearer","description":"the token, from the file that serve names"},"#
        + #""session":{"type":"apiKey","in":"cookie","name":"feedsync","description":"what POST /login and GET /open give; its name is longer"},"#
        + #""page":{"type":"apiKey","in":"header","name":"X-FeedSync-Token","description":"the token of GET /session"}}"#

    private static func description(of operation: Operation) -> String {
        func response(_ meaning: String, _ type: String?, _ schema: String, _ others: [String] = []) -> String {
            let others = others.map { ",\($0.json):{\"schema\":\(text)}" }.joined()
            let content = type.map { ",\"content\":{\($0.json):{\"schema\":\(schema)}\(others)}" } ?? ""
            return "{\"description\":\(meaning.json)\(content)}"
        }
        func schema(_ type: String?) -> String { type == problem ? see("problem") : text }
        var responses = [
            "\"\(operation.status)\":"
                + response("success", operation.type, operation.schema ?? text, operation.otherTypes)
        ]
        for other in operation.others {
            responses.append("\"\(other.status)\":" + response(other.meaning, other.type, schema(other.type)))
        }
        // A missing token, another host name, or a store that cannot be read.
        responses.append("\"default\":" + response("an error, with its reason", problem, see("problem")))
        let words = operation.path.split(separator: "/").filter { !$0.hasPrefix("{") }.map { $0.prefix { $0 != "." } }
        let id =
            operation.method + words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
            + (operation.path.hasSuffix("}") ? "One" : "")
        var members = [
            "\"operationId\":\(id.json)", "\"summary\":\(operation.summary.json)",
            "\"parameters\":[\(operation.parameters.map(\.json).joined(separator: ","))]",
            "\"responses\":{\(responses.joined(separator: ","))}",
        ]
        if operation.method == "post" {
            let isLogin = operation.path == "/login"
            members.append(isLogin ? #""security":[{}]"# : #""security":[{"page":[]},{"token":[]}]"#)
        }
        if let form = operation.form {
            let fields = form.map { "\($0.name.json):{\"type\":\"string\",\"description\":\($0.meaning.json)}" }
            members.append(
                #""requestBody":{"content":{"application/x-www-form-urlencoded":{"schema":{"type":"object","#
                    + "\"required\":[\(operation.needed.map(\.json).joined(separator: ","))],"
                    + "\"properties\":{\(fields.joined(separator: ","))}}}}}")
        }
        return "\(operation.method.json):{\(members.joined(separator: ","))}"
    }
}
