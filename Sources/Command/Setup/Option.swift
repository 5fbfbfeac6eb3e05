/// An option of the command line.
enum Option: String, Sendable, CaseIterable {
    case config, store, json, quiet, wait
    case maxWait = "max-wait"
    case pages, all, section, limit, last, follow, header, columns
    /// Another option of the same name, with a value.
    case namedColumns = "columns="
    /// Another option of the same name, without a value.
    case oldColumns = "columns=="
    /// As `since`, and also a run.
    case sinceRun = "since="
    case `where`, since, at, sort, removed, format, output, ndjson, csv, tsv, markdown, ack, schema
    case feed
    case dryRun = "dry-run"
    case online, due, jobs, fail, hell
    case maxTime = "max-time"
    case maxRequests = "max-requests"
    case data, yes, repair
    case curl, opml, connector, openapi, har, set, request, items, key, sync, every, paginate
    /// Another option of the same name, for the key of one item.
    case ofKey = "key="
    /// Another option of the same name, with a value.
    case body = "data="
    case verbose, trace, response
    case listen, open
    case tokenFile = "token-file"
    case noToken = "no-token"
    case host, proxy
    case allowOrigin = "allow-origin"
    case readOnly = "read-only"
    /// Another option of the same name, without a value.
    case dueSync = "sync="
    case man, help, version

    /// The options of most commands.
    static let general: [Option] = [.config, .store, .json, .quiet, .help]

    /// The options of commands that make requests.
    static let fetching: [Option] = [.maxWait, .verbose, .trace]

    /// The options of commands that make requests and store the responses.
    static let requesting: [Option] = [.wait] + fetching

    /// The option as written on the command line.
    var written: String { "--\(name)" }

    /// Its name on the command line.
    private var name: String { String(rawValue.prefix { $0 != "=" }) }

    /// The option of that name: the command's own if several have it.
    static func named(_ name: String, of command: Command?) -> Option? {
        let named = allCases.filter { $0.name == name }
        return named.first { command?.takes($0) ?? false } ?? named.first
    }

    /// Its short form.
    var letter: Character? {
        switch self {
        case .quiet: "q"
        case .help: "h"
        case .follow: "f"
        case .verbose: "v"
        case .header: "H"
        case .request: "X"
        case .body: "d"
        case .output: "o"
        default: nil
        }
    }

    /// True if every occurrence counts, not only the last.
    var isRepeatable: Bool { [.header, .verbose, .feed, .host, .proxy, .allowOrigin, .set].contains(self) }

    /// The placeholder for its value in help; nil if it takes none.
    var placeholder: String? {
        switch self {
        case .config, .store, .trace: "PATH"
        case .wait, .maxWait, .maxTime: "DURATION"
        case .limit: "N|all"
        case .format: "FORMAT"
        case .output: "PATH"
        case .namedColumns, .sort: "NAMES"
        case .where: "SQL"
        case .since, .at: "TIME"
        case .sinceRun: "TIME|RUN|last"
        case .pages, .last, .jobs, .maxRequests: "N"
        case .section, .ack: "NAME"
        case .feed: "FEED"
        case .header: "'NAME: VALUE'"
        case .curl: "'curl ...'"
        case .opml: "FILE"
        case .connector: "FILE|FOLDER|URL"
        case .openapi: "FILE|URL"
        case .har: "FILE"
        case .set: "NAME=VALUE"
        case .request: "METHOD"
        case .body: "JSON"
        case .items: "JSON-PATH"
        case .key: "NAMES"
        case .ofKey: "KEY"
        case .sync: "MODE"
        case .every: "DURATION"
        case .paginate: "STYLE"
        case .listen: "HOST:PORT|unix:PATH"
        case .tokenFile: "PATH"
        case .host: "NAME"
        case .proxy: "ADDRESS"
        case .allowOrigin: "ORIGIN"
        case .json, .quiet, .all, .follow, .columns, .oldColumns, .dryRun, .online, .due, .fail, .hell, .man, .help,
            .version,
            .removed,
            .ndjson, .csv, .tsv, .markdown, .data, .yes, .repair, .verbose, .response, .open, .noToken,
            .readOnly, .dueSync, .schema:
            nil
        }
    }

    /// Its effect.
    var summary: String {
        switch self {
        case .config:
            "the configuration (default: $FEEDSYNC_CONFIG, ./feedsync.yaml, or feedsync.yaml in $XDG_CONFIG_HOME/feedsync)"
        case .store: "the SQLite file (default: $FEEDSYNC_STORE, or `store` in the configuration)"
        case .json: "print JSON, with the store's column names"
        case .quiet: "print no notes and no progress; what a command did only if it failed"
        case .wait: "wait up to DURATION for another process to finish with the feed (default: 0s)"
        case .maxWait: "the longest pause to accept when the server asks us to wait (default: 30s)"
        case .pages: "fetch N pages"
        case .all: "fetch all remaining pages"
        case .section: "show only this section"
        case .limit: "at most N (default: all)"
        case .last: "start with the last N events"
        case .follow: "keep printing what happens from now on"
        case .header: "send this header with every request; can be given several times"
        case .columns: "also write the columns that were found"
        case .oldColumns: "delete the columns that the definition has no more, with all their values"
        case .namedColumns: "these columns, separated by commas"
        case .where: "only items for which this is true, as in 'stars > 100'"
        case .since: "only what is new or changed since TIME: 90m, 7d, 2w, 1mo, today, yesterday or 2026-11-21"
        case .at: "the items as they were at TIME, as far as `keep` reaches"
        case .sinceRun: "only what happened since TIME (default: 1d), since that run, or in each feed's last one"
        case .sort: "sort by these columns, separated by commas; -NAME sorts downwards"
        case .ack: "only what is new since the last time with this name, and remember how far it got"
        case .feed: "only this feed; can be given several times"
        case .schema: "the changes of columns in place of those of items: new, gone, or of another type"
        case .removed: "also items that the server no longer has"
        case .format: "csv, tsv, json, ndjson (one JSON object per line) or markdown"
        case .output:
            "write to this file in place of stdout, in the format of its ending; it is replaced when all is written"
        case .ndjson, .csv, .tsv, .markdown: "as --format \(rawValue)"
        case .dryRun: "print the outcome, and change nothing"
        case .hell: "serve an upstream that is broken in every way, until stopped"
        case .online: "fetch a page of each feed, and show what would be stored"
        case .due: "only feeds that are due (see `feedsync plan`)"
        case .fail: "exit with 1 unless all is well"
        case .jobs: "sync N feeds at a time (default: 4)"
        case .maxTime: "start no new requests after DURATION"
        case .maxRequests: "make at most N requests"
        case .curl: "the request that this curl command makes, as a browser copies it"
        case .opml: "add every feed of this OPML file, without a request"
        case .connector: "add the streams of this low-code connector; operands choose some"
        case .openapi: "list the collections of this OpenAPI or Swagger document; operands are paths to add"
        case .har: "list the collections that a browser recorded in this HAR file; operands are URLs or paths to add"
        case .set:
            "write this member of the feed, or give a value that the connector or document needs; can be given several times"
        case .request: "GET or POST (default: POST with --data, else GET)"
        case .body: "send this JSON as the body of each request"
        case .items: "where the items are, as in data.list"
        case .key: "what identifies an item: columns or paths, separated by commas"
        case .ofKey: "only what happened to the item with this key, all of it unless --since is given"
        case .sync: "auto, new or all; or '{mode: since, param: since, from: updated_at}'"
        case .every: "sync --due takes the feed this often (default: 15m)"
        case .paginate: "link, none, ...; or with what it needs: '{style: page, param: page}'"
        case .data: "also delete all that the store has of the feed"
        case .yes: "do not ask"
        case .repair: "rebuild what can be rebuilt from the stored items"
        case .verbose: "print each request, its response and how long it took, on stderr; twice: with headers"
        case .trace: "write all requests and responses to this file, in the HAR format that browsers open"
        case .response: "print the response at which a run failed last"
        case .listen: "where to listen (default of serve: 127.0.0.1:8420)"
        case .tokenFile: "a file with the token that clients need, also to read"
        case .noToken: "let everybody on this machine send commands"
        case .host: "another name of the server, at which a proxy passes requests on; can be given several times"
        case .allowOrigin:
            "another site whose scripts may use the API, as https://app.example; can be given several times"
        case .proxy: "the address of a proxy, which says who its clients are; can be given several times"
        case .readOnly: "take no commands, and only read the store"
        case .dueSync: "also sync feeds when they are due"
        case .open: "open a browser"
        case .man: "print it as a manual page, for packages"
        case .help: "show help for the command"
        case .version: "print the version"
        }
    }
}
