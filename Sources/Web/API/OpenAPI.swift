internal import FeedSync
internal import HTTPServer
internal import Reports

/// The API's description.
///
/// Source: <https://spec.openapis.org/oas/v3.1.0>
enum OpenAPI {
    static let response = Responses.json(json)

    private struct Operation {
        let path: String
        let method: String
        let summary: String
        var parameters: [String] = []
        /// The schema of what it answers, as JSON; nil for text.
        var schema: String?
        var type = "application/json"
        var errors: [(status: Int, meaning: String)] = []
    }

    private static let schemas = "#/components/schemas/"
    private static func see(_ name: String) -> String { "{\"$ref\":\"\(schemas)\(name)\"}" }
    private static func list(_ name: String) -> String { "{\"type\":\"array\",\"items\":\(see(name))}" }

    private static func parameter(_ name: String, in place: String = "query", _ meaning: String, _ schema: String)
        -> String
    {
        "{\"name\":\(name.json),\"in\":\(place.json),\"required\":\(place == "path"),"
            + "\"description\":\(meaning.json),\"schema\":\(schema)}"
    }

    private static let text = #"{"type":"string"}"#
    private static let feed = parameter("feed", in: "path", "the feed's name", text)
    private static let limit = parameter(
        "limit", "how many at most", #"{"type":"integer","minimum":1,"maximum":1000,"default":100}"#)
    private static let unknown = (status: 404, meaning: "no such feed")
    private static let commandErrors = [
        unknown, (status: 403, meaning: "read-only, or without the token of GET /session"),
        (status: 409, meaning: "another process works on the feed, or a reload took the command's place"),
        (status: 422, meaning: "the definition cannot be used"),
        (status: 502, meaning: "the upstream fails or refuses"),
        (status: 503, meaning: "the upstream asked us to wait"),
    ]

    private static let operations: [Operation] = [
        Operation(path: "/feeds", method: "get", summary: "All feeds with their states", schema: list("status")),
        Operation(
            path: "/feeds/{feed}", method: "get", summary: "A feed with its state", parameters: [feed],
            schema: see("status"), errors: [unknown]),
        Operation(
            path: "/feeds/{feed}/sections", method: "get", summary: "The sections of a feed, in feed order",
            parameters: [feed], schema: list("section"), errors: [unknown]),
        Operation(
            path: "/feeds/{feed}/items", method: "get",
            summary:
                "Items in feed order, a page at a time: follow Link rel=next. With q: those with all its words, the best first",
            parameters: [
                feed, limit, parameter("after", "the place behind which to go on, from Link", text),
                parameter("section", "only this section; empty for the items without one", text),
                parameter("q", "only items that have all these words", text),
            ], schema: list("item"), errors: [(400, "`after` is no place"), unknown]),
        Operation(
            path: "/feeds/{feed}/runs", method: "get", summary: "The runs of a feed, the newest first",
            parameters: [feed, limit], schema: list("run"), errors: [unknown]),
        Operation(
            path: "/runs", method: "get", summary: "The runs of all feeds, the newest first", parameters: [limit],
            schema: list("run")),
        Operation(path: "/quota", method: "get", summary: "What hosts said of their limits", schema: list("quota")),
        Operation(
            path: "/feeds/{feed}/reload", method: "post",
            summary: "Requests the first page; answers when the run has ended",
            parameters: [feed, token], schema: see("run"), errors: commandErrors),
        Operation(
            path: "/feeds/{feed}/more", method: "post",
            summary: "Requests the next page; answers when the run has ended",
            parameters: [feed, token], schema: see("run"), errors: commandErrors),
        Operation(
            path: "/feeds/{feed}/sync", method: "post",
            summary: "Brings the feed up to date; answers when the run has ended",
            parameters: [feed, token], schema: see("run"), errors: commandErrors),
        Operation(
            path: "/events", method: "get",
            summary:
                "The event log as server-sent events, live. Each has the event's id, and a row of the table `event` as data",
            parameters: [
                parameter("feed", "only this feed", text),
                parameter("Last-Event-ID", in: "header", "the last event that is known; without it, from now on", text),
                parameter("after", "the same, where no header can be sent", text),
            ], type: "text/event-stream", errors: [unknown]),
        Operation(
            path: "/session", method: "get", summary: "What a change is to be sent with",
            schema:
                #"{"type":"object","properties":{"token":{"type":"string"},"read_only":{"type":"boolean"}},"required":["token","read_only"]}"#
        ),
        Operation(
            path: "/health", method: "get", summary: "Whether the store can be read",
            schema: #"{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}"#,
            errors: [(503, "the configuration cannot be used as it stands")]),
        Operation(
            path: "/metrics", method: "get", summary: "Figures in Prometheus' text format",
            type: "text/plain; version=0.0.4"),
    ]

    private static let token = parameter("X-FeedSync-Token", in: "header", "the token of GET /session", text)

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
            "\"problem\":{\"type\":\"object\",\"properties\":{\"error\":\(see("error")),"
            + #""advice":{"type":["string","null"]},"version":{"const":1}},"required":["error"]}"#
        let definitions = ResultSchema.definitions(at: schemas).dropLast()
        return "{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"feedsync serve\",\"version\":\(FeedSyncVersion.text.json),"
            + "\"description\":\"A store of feedsync, with the names of its tables. Each GET has an ETag.\"},"
            + "\"paths\":{\(list)},\"components\":{\"schemas\":\(definitions),\(item),\(problem)}}}"
    }()

    private static func description(of operation: Operation) -> String {
        let type = operation.type.json
        let schema = operation.schema ?? text
        var responses = "\"200\":{\"description\":\"as asked for\",\"content\":{\(type):{\"schema\":\(schema)}}}"
        for error in operation.errors {
            responses +=
                ",\"\(error.status)\":{\"description\":\(error.meaning.json),\"content\":{\"application/json\":{\"schema\":\(see("problem"))}}}"
        }
        let words = operation.path.split(separator: "/").filter { !$0.hasPrefix("{") }
        let id =
            operation.method + words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
            + (operation.path.hasSuffix("}") ? "One" : "")
        return "\(operation.method.json):{\"operationId\":\(id.json),\"summary\":\(operation.summary.json),"
            + "\"parameters\":[\(operation.parameters.joined(separator: ","))],\"responses\":{\(responses)}}"
    }
}
