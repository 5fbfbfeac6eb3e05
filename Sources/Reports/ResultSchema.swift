internal import FeedSync

/// The output of commands with `--json`, as a JSON Schema.
///
/// Source: <https://json-schema.org/draft/2020-12>
package enum ResultSchema {
    /// A kind of object, its members in order; each is always there.
    private struct Object {
        let name: String
        let meaning: String
        let members: [(name: String, schema: String)]

        /// - Parameter hasVersion: True if it is printed by itself, and not only in another one.
        init(_ name: String, _ meaning: String, _ members: KeyValuePairs<String, String>, hasVersion: Bool = true) {
            self.name = name
            self.meaning = meaning
            self.members =
                members.map { ($0.key, $0.value) }
                + (hasVersion ? [("version", "{\"const\":\(ResultVersion.current)}")] : [])
        }

        /// The same object with others' members before its own.
        func with(_ others: Object) -> Object {
            Object(name, meaning, joined: others.members.filter { $0.name != "version" } + members)
        }

        private init(_ name: String, _ meaning: String, joined members: [(name: String, schema: String)]) {
            (self.name, self.meaning, self.members) = (name, meaning, members)
        }

        var json: String {
            let properties = members.map { "\($0.name.json):\($0.schema)" }.joined(separator: ",")
            return "\(name.json):{\"description\":\(meaning.json),\"type\":\"object\",\"properties\":{\(properties)},"
                + "\"required\":\(members.map(\.name).json),\"additionalProperties\":false}"
        }
    }

    private static let text = #"{"type":"string"}"#
    private static let count = #"{"type":"integer","minimum":0}"#
    private static let flag = #"{"type":"boolean"}"#
    private static let anything = "{}"
    private static let textOrNull = #"{"type":["string","null"]}"#
    private static let countOrNull = #"{"type":["integer","null"],"minimum":0}"#
    private static let mapping = #"{"type":"object"}"#
    private static let mappingOrNull = #"{"type":["object","null"]}"#
    private static let time = see("time")
    private static let timeOrNull = orNull("time")

    private static func see(_ name: String) -> String { "{\"$ref\":\"#/$defs/\(name)\"}" }
    private static func orNull(_ name: String) -> String { "{\"anyOf\":[\(see(name)),{\"type\":\"null\"}]}" }
    private static func list(of schema: String) -> String { "{\"type\":\"array\",\"items\":\(schema)}" }
    private static func word(_ words: [String]) -> String { "{\"enum\":\(words.json)}" }

    private static let feed = Object(
        "feed", "a feed: a row of the table `feed`",
        [
            "name": text, "model": textOrNull, "url": text, "status": text, "no_more_data": flag,
            "next_page": textOrNull, "generation": count, "item_count": count, "complete": flag, "verified": flag,
            "reloaded_at": timeOrNull, "synced_at": timeOrNull, "full_at": timeOrNull, "next_due_at": timeOrNull,
            "error": orNull("error"),
        ])
    private static let run = Object(
        "run", "a run: a row of the table `run`; without an id if none was started",
        [
            "id": countOrNull, "feed": text, "command": text, "started_at": timeOrNull, "finished_at": timeOrNull,
            "outcome": textOrNull, "complete": flag, "verified": flag, "reason": textOrNull, "pages": count,
            "requests": count, "bytes": count, "inserted": count, "updated": count, "unchanged": count,
            "removed": count, "error": orNull("error"),
        ])
    private static let state = word([
        "running", "failing", "limited", "new", "loading", "stale", "incomplete", "fresh",
    ])
    private static let preset = Object(
        "preset", "a definition to start from", ["name": text, "description": text, "parameters": list(of: text)])

    private static let objects: [Object] = [
        feed, run, preset,
        Object("status", "a feed with its state", ["state": state, "why": textOrNull]).with(feed),
        Object(
            "plan", "when a feed is due",
            [
                "feed": text, "state": state, "why": textOrNull, "next_due_at": timeOrNull, "due": flag,
                "terms": list(of: see("term")), "lists": orNull("lists"),
            ]),
        Object(
            "lists", "which lists come next, of a feed with one for each row of another",
            [
                "parent": text, "rows": count, "never": count, "changed": count, "due": count,
                "next": list(of: see("next_list")),
            ], hasVersion: false),
        Object(
            "next_list", "a list that is among the next, and why",
            ["feed": text, "reason": word(["never", "changed", "due"]), "next_due_at": timeOrNull, "failing": flag],
            hasVersion: false),
        Object(
            "term", "what makes it due then", ["term": text, "value": textOrNull, "reason": text], hasVersion: false),
        Object(
            "event", "a row of the table `event`",
            [
                "id": count, "at": time, "feed": text, "run": countOrNull, "status": text, "page": countOrNull,
                "inserted": count, "updated": count, "unchanged": count, "removed": count, "error": orNull("error"),
            ]),
        Object(
            "change", "a row of the view `change`, with what the item is called and the columns as they came to be",
            [
                "at": time, "feed": text, "run": count, "kind": word(["new", "changed", "removed", "returned"]),
                "key": anything, "title": anything, "before": mappingOrNull, "after": mappingOrNull,
            ]),
        Object(
            "column_change", "a column that is new in the items, that no item has any more, or whose type changed",
            [
                "at": time, "feed": text, "run": count, "kind": word(ColumnChange.Kind.allCases.map(\.rawValue)),
                "column": text, "before": textOrNull, "after": textOrNull,
            ]),
        Object(
            "check", "what can be told of a feed without a request",
            ["feed": text, "url": text, "pagination": text, "warnings": list(of: text)]),
        Object(
            "page", "what a feed's first page would store",
            [
                "feed": text, "item_count": count, "next_page": textOrNull, "requests": count, "bytes": count,
                "key": list(of: text), "columns": list(of: see("column")), "sections": list(of: see("section")),
                "items": list(of: mapping), "notices": list(of: text), "error": #"{"type":"null"}"#,
            ]),
        Object("column", "a column of the model", ["name": text, "type": textOrNull], hasVersion: false),
        Object(
            "section", "a row of the table `section`",
            ["feed": text, "name": textOrNull, "position": count, "item_count": count],
            hasVersion: false),
        Object("failed_page", "a page that did not come", ["feed": text, "error": see("error")]),
        Object("preset_file", "a preset with its file", ["yaml": text]).with(preset),
        Object(
            "finding", "what `doctor` found out",
            [
                "subject": text, "level": word(["ok", "warning", "problem"]), "feed": textOrNull, "message": text,
                "advice": textOrNull,
            ]),
        Object("paths", "which files are used", ["configuration": textOrNull, "store": textOrNull]),
        Object("configuration_path", "which configuration is used", ["configuration": text]),
        Object("store_path", "which store is used", ["store": text]),
        Object(
            "explanation", "all that is known of a feed",
            [
                "feed": text, "preset": textOrNull, "definition": mapping, "found": list(of: text),
                "warnings": list(of: text), "request": orNull("request"), "lists": orNull("lists"),
                "store": orNull("stored"),
            ]),
        Object(
            "request", "the next request",
            [
                "command": text, "method": text, "url": text, "headers": mapping, "body": textOrNull,
                "conditional": flag,
            ], hasVersion: false),
        Object(
            "stored", "what the store knows of a feed",
            [
                "file": text, "feed": orNull("stored_feed"), "crawl": orNull("crawl"), "sign": textOrNull,
                "quota": list(of: see("quota")),
                "run": orNull("stored_run"),
            ], hasVersion: false),
        Object("stored_feed", "a row of the table `feed`", [:], hasVersion: false).with(feed),
        Object("stored_run", "a row of the table `run`", [:], hasVersion: false).with(run),
        Object(
            "crawl", "the last crawl",
            [
                "started_at": timeOrNull, "pages": count, "ended": flag, "complete": flag, "reason": textOrNull,
                "stored_pages": count, "pages_with_validators": count,
            ], hasVersion: false),
        Object(
            "quota", "a row of the view `quota`",
            [
                "origin": text, "resource": text, "remaining": #"{"type":["integer","null"]}"#,
                "reset_at": timeOrNull, "blocked_until": timeOrNull,
            ], hasVersion: false),
        Object(
            "response", "the response at which a run failed last",
            [
                "feed": text, "at": time, "run": count, "error": see("error"), "url": text, "http_status": count,
                "headers": list(of: see("field")), "body": text, "byte_count": count,
            ]),
        Object("field", "a header field", ["name": text, "value": text], hasVersion: false),
        Object(
            "added", "a feed that was added, or would be",
            ["feed": text, "definition": mapping, "findings": list(of: see("evidence")), "file": textOrNull]),
        Object(
            "evidence", "what `add` found, and what says so",
            [
                "subject": text, "found": textOrNull, "certainty": word(["certain", "likely", "guess", "nothing"]),
                "evidence": text,
            ], hasVersion: false),
        Object(
            "collection", "a list that a document describes, or that was recorded",
            [
                "path": text, "items": text, "key": textOrNull, "pagination": textOrNull, "sign_in": textOrNull,
                "needs": list(of: text), "summary": text,
            ]),
        Object(
            "translated", "the feeds that a description of an API became, and what became none",
            [
                "added": list(of: see("translated_feed")), "known": list(of: text),
                "left_out": list(of: see("left_out")),
                "file": textOrNull,
            ]),
        Object(
            "translated_feed", "a list that became a feed",
            ["stream": text, "feed": text, "definition": mapping, "notes": list(of: text)], hasVersion: false),
        Object(
            "left_out", "a list that became no feed, and why",
            ["stream": text, "kind": text, "reason": text, "line": countOrNull], hasVersion: false),
        Object(
            "removed", "a feed that was removed, and its items that stay",
            ["feed": text, "file": text, "item_count": count]),
        Object("edited", "a feed whose members were changed", ["feed": text, "file": text]),
        Object("signed_in", "a feed with tokens, and the file that keeps them", ["feed": text, "file": text]),
        Object("deleted", "a feed that was removed with its items", ["feed": text, "file": text, "deleted": count]),
        Object(
            "renamed", "a feed with its old and new name",
            ["feed": text, "name": text, "file": text, "is_stored": flag]),
        Object("reset", "a feed that starts anew", ["feed": text, "is_stored": flag]),
        Object(
            "rekeyed", "a feed whose items have another key; no count if they had it already",
            ["feed": text, "key": #"{"type":["array","null"],"items":{"type":"string"}}"#, "row_count": countOrNull]),
        Object("pruned", "a feed, and how many of its items were deleted", ["feed": text, "deleted": count]),
        Object(
            "pruned_columns", "a feed, and its columns that were deleted",
            ["feed": text, "columns": list(of: see("pruned_column"))]),
        Object(
            "pruned_column", "a column, and how many rows had a value in it", ["column": text, "values": count],
            hasVersion: false),
        Object("backup", "the copy", ["file": text, "bytes": count]),
        Object(
            "copied", "a table of a store that was copied",
            ["table": text, "rows": count, "checksum": text, "copied": flag]),
        Object(
            "error", "why something failed",
            ["kind": text, "message": text, "http_status": countOrNull, "url": textOrNull], hasVersion: false),
    ]

    /// The objects that each command prints, also with an option that prints others.
    private static let commands: KeyValuePairs<String, [String]> = [
        "add": ["added"], "add --connector": ["translated"], "add --openapi": ["collection", "translated"],
        "add --har": ["collection", "translated"],
        "reload": ["run"], "more": ["run"], "sync": ["run"], "plan": ["plan"],
        "status": ["status"], "changes": ["change"], "events": ["event"], "feeds": ["feed"],
        "path": ["paths", "configuration_path", "store_path"], "explain": ["explanation"],
        "explain --response": ["response"], "remove": ["removed"], "remove --data": ["deleted"],
        "edit": ["edited"], "login": ["signed_in"], "rename": ["renamed"], "reset": ["reset"], "rekey": ["rekeyed"],
        "prune": ["pruned"],
        "prune --columns": ["pruned_columns"],
        "backup": ["backup"],
        "store": ["copied"],
        "presets": ["preset", "preset_file"], "check": ["check"], "check --online": ["page", "failed_page"],
        "doctor": ["finding"],
    ]

    /// Commands that print one object a line, and no list.
    private static let lineCommands: Set<String> = ["changes", "events"]

    /// The objects by their names, which refer to one another below this path.
    package static func definitions(at path: String) -> String {
        "{\((objects.map(\.json) + [timeDefinition]).joined(separator: ",").replacing("#/$defs/", with: path))}"
    }

    private static let timeDefinition =
        #""time":{"type":"string","pattern":"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$"}"#

    /// The schema: an object with each command's output, by the command's name.
    package static var json: String {
        let properties = commands.map { command, names in
            let objects = names.map(see)
            let one = objects.count == 1 ? objects[0] : "{\"anyOf\":[\(objects.joined(separator: ","))]}"
            return "\(command.json):\(lineCommands.contains(command) ? one : list(of: one))"
        }
        return #"{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"feedsync --json","#
            + #""description":"The output of each command with --json, by its name; `events` and `changes` print one object a line.","#
            + "\"type\":\"object\",\"properties\":{\(properties.joined(separator: ","))},\"additionalProperties\":false,"
            + "\"$defs\":\(definitions(at: "#/$defs/"))}"
    }
}
