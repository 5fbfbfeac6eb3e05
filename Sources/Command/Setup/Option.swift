/// An option of the command line.
///
/// Two options may have one name: they differ in their effect, and the command that names one of them in its `options`
/// decides which is meant.
struct Option: Sendable, Hashable {
    /// Its name on the command line.
    private let name: String
    /// Its short form.
    let letter: Character?
    /// The placeholder for its value in help; nil if it takes none.
    let placeholder: String?
    /// True if every occurrence counts, not only the last.
    let isRepeatable: Bool
    /// Its effect.
    let summary: String

    private init(
        _ name: String, letter: Character? = nil, value placeholder: String? = nil, isRepeatable: Bool = false,
        _ summary: String
    ) {
        self.name = name
        self.letter = letter
        self.placeholder = placeholder
        self.isRepeatable = isRepeatable
        self.summary = summary
    }

    static let config = Option(
        "config", value: "PATH",
        "the configuration (default: $FEEDSYNC_CONFIG, ./feedsync.yaml, or feedsync.yaml in $XDG_CONFIG_HOME/feedsync)")
    static let store = Option(
        "store", value: "PATH", "the SQLite file (default: $FEEDSYNC_STORE, or `store` in the configuration)")
    static let json = Option("json", "print JSON, with the store's column names")
    static let quiet = Option(
        "quiet", letter: "q", "print no notes and no progress; report what a command did only if it failed")
    static let wait = Option(
        "wait", value: "DURATION", "wait up to DURATION for another process to finish with the feed (default: 0s)")
    static let maxWait = Option(
        "max-wait", value: "DURATION", "the longest pause to accept when the server asks us to wait (default: 30s)")
    static let pages = Option("pages", value: "N", "fetch N pages")
    static let all = Option("all", "fetch all remaining pages")
    static let section = Option("section", value: "NAME", "show only this section")
    static let limit = Option("limit", value: "N|all", "at most N (default: all)")
    static let last = Option("last", value: "N", "start with the last N events")
    static let follow = Option("follow", letter: "f", "keep printing what happens from now on")
    static let header = Option(
        "header", letter: "H", value: "'NAME: VALUE'", isRepeatable: true,
        "send this header with every request; can be given several times")
    static let columns = Option("columns", "also write the columns that were found")
    static let namedColumns = Option("columns", value: "NAMES", "these columns, separated by commas")
    static let oldColumns = Option(
        "columns", "delete the columns that the definition no longer has, with all their values")
    static let sinceRun = Option(
        "since", value: "TIME|RUN|last",
        "only what happened since TIME (default: 1d), since that run, or in each feed's last one")
    static let `where` = Option("where", value: "SQL", "only items for which this is true, as in 'stars > 100'")
    static let since = Option(
        "since", value: "TIME",
        "only what is new or changed since TIME: 90m, 7d, 2w, 1mo, today, yesterday or 2026-11-21")
    static let at = Option("at", value: "TIME", "the items as they were at TIME, as far as `keep` reaches")
    static let sort = Option(
        "sort", value: "NAMES", "sort by these columns, separated by commas; -NAME sorts downwards")
    static let removed = Option("removed", "also items that the server no longer has")
    static let format = Option(
        "format", value: "FORMAT", "csv, tsv, json, ndjson (one JSON object per line) or markdown")
    static let output = Option(
        "output", letter: "o", value: "PATH",
        "write to this file in place of stdout, in the format of its ending; it is replaced when all is written")
    static let ndjson = Option("ndjson", "as --format ndjson")
    static let csv = Option("csv", "as --format csv")
    static let tsv = Option("tsv", "as --format tsv")
    static let markdown = Option("markdown", "as --format markdown")
    static let ack = Option(
        "ack", value: "NAME", "only what is new since the last time with this name, and remember how far it got")
    static let schema = Option(
        "schema", "the changes of columns in place of those of items: new, gone, or of another type")
    static let feed = Option("feed", value: "FEED", isRepeatable: true, "only this feed; can be given several times")
    static let dryRun = Option("dry-run", "print the outcome, and change nothing")
    static let online = Option("online", "fetch a page of each feed, and show what would be stored")
    static let due = Option("due", "only feeds that are due (see `feedsync plan`)")
    static let jobs = Option("jobs", value: "N", "sync N feeds at a time (default: 4)")
    static let fail = Option("fail", "exit with 1 unless all is well")
    static let hell = Option("hell", "serve an upstream that is broken in every way, until stopped")
    static let maxTime = Option("max-time", value: "DURATION", "start no new requests after DURATION")
    static let maxRequests = Option("max-requests", value: "N", "make at most N requests")
    static let data = Option("data", "also delete all that the store has of the feed")
    static let yes = Option("yes", "do not ask")
    static let repair = Option("repair", "rebuild what can be rebuilt from the stored items")
    static let curl = Option(
        "curl", value: "'curl ...'", "the request that this curl command makes, as a browser copies it")
    static let opml = Option("opml", value: "FILE", "add every feed of this OPML file, without a request")
    static let connector = Option(
        "connector", value: "FILE|FOLDER|URL", "add the streams of this low-code connector; operands choose some")
    static let openapi = Option(
        "openapi", value: "FILE|URL",
        "list the collections of this OpenAPI or Swagger document; operands are paths to add")
    static let har = Option(
        "har", value: "FILE",
        "list the collections that a browser recorded in this HAR file; operands are URLs or paths to add")
    static let set = Option(
        "set", value: "NAME=VALUE", isRepeatable: true,
        "write this member of the feed, or give a value that the connector or document needs; can be given several times"
    )
    static let request = Option(
        "request", letter: "X", value: "METHOD", "GET or POST (default: POST with --data, else GET)")
    static let items = Option("items", value: "JSON-PATH", "where the items are, as in data.list")
    static let key = Option("key", value: "NAMES", "what identifies an item: columns or paths, separated by commas")
    static let sync = Option(
        "sync", value: "MODE", "auto, new or all; or '{mode: since, param: since, from: updated_at}'")
    static let every = Option("every", value: "DURATION", "sync --due takes the feed this often (default: 15m)")
    static let paginate = Option(
        "paginate", value: "STYLE", "link, none, ...; or with what it needs: '{style: page, param: page}'")
    static let ofKey = Option(
        "key", value: "KEY", "only what happened to the item with this key, all of it unless --since is given")
    static let body = Option("data", letter: "d", value: "JSON", "send this JSON as the body of each request")
    static let verbose = Option(
        "verbose", letter: "v", isRepeatable: true,
        "print each request, its response and how long it took, on stderr; twice: with headers")
    static let trace = Option(
        "trace", value: "PATH", "write all requests and responses to this file, in the HAR format that browsers open")
    static let response = Option("response", "print the response at which a run failed last")
    static let listen = Option(
        "listen", value: "HOST:PORT|unix:PATH", "where to listen (default of serve: 127.0.0.1:8420)")
    static let open = Option("open", "open a browser")
    static let tokenFile = Option("token-file", value: "PATH", "a file with the token that clients need, also to read")
    static let noToken = Option("no-token", "let everybody on this machine send commands")
    static let host = Option(
        "host", value: "NAME", isRepeatable: true,
        "another name of the server, at which a proxy passes requests on; can be given several times")
    static let proxy = Option(
        "proxy", value: "ADDRESS", isRepeatable: true,
        "the address of a proxy, which says who its clients are; can be given several times")
    static let allowOrigin = Option(
        "allow-origin", value: "ORIGIN", isRepeatable: true,
        "another site whose scripts may use the API, as https://app.example; can be given several times")
    static let readOnly = Option("read-only", "take no commands, and only read the store")
    static let dueSync = Option("sync", "also sync feeds when they are due")
    static let man = Option("man", "print it as a manual page, for packages")
    static let help = Option("help", letter: "h", "show help for the command")
    static let version = Option("version", "print the version")

    /// The options of most commands.
    static let general: [Option] = [.config, .store, .json, .quiet, .help]

    /// The options of commands that make requests.
    static let fetching: [Option] = [.maxWait, .verbose, .trace]

    /// The options of commands that make requests and store the responses.
    static let requesting: [Option] = [.wait] + fetching

    /// The option of that name: the command's own if others have the name, too.
    static func named(_ name: String, of command: Command?) -> Option? { first(of: command) { $0.name == name } }

    /// The option with that short form.
    static func named(_ letter: Character, of command: Command?) -> Option? {
        first(of: command) { $0.letter == letter }
    }

    private static func first(of command: Command?, where isMeant: (Option) -> Bool) -> Option? {
        command?.allOptions.first(where: isMeant) ?? Command.allOptions.first(where: isMeant)
    }

    /// The option as written on the command line.
    var written: String { "--\(name)" }
}
