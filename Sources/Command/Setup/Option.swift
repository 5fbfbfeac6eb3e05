/// An option of the command line.
enum Option: String, Sendable, CaseIterable {
    case config, store, json, quiet, wait
    case maxWait = "max-wait"
    case pages, all, section, limit, last, follow, header, columns
    case dryRun = "dry-run"
    case online, due, jobs, fail, hell
    case maxTime = "max-time"
    case maxRequests = "max-requests"
    case man, help, version

    /// The options of most commands.
    static let general: [Option] = [.config, .store, .json, .quiet, .help]

    /// The options of commands that make requests.
    static let requesting: [Option] = [.wait, .maxWait]

    /// The option as written on the command line.
    var written: String { "--\(rawValue)" }

    /// Its short form.
    var letter: Character? {
        switch self {
        case .quiet: "q"
        case .help: "h"
        case .follow: "f"
        default: nil
        }
    }

    /// Whether each of several counts, and not only the last.
    var isRepeatable: Bool { self == .header }

    /// The placeholder for its value in help; nil if it takes none.
    var placeholder: String? {
        switch self {
        case .config, .store: "PATH"
        case .wait, .maxWait, .maxTime: "DURATION"
        case .pages, .limit, .last, .jobs, .maxRequests: "N"
        case .section: "NAME"
        case .header: "'NAME: VALUE'"
        case .json, .quiet, .all, .follow, .columns, .dryRun, .online, .due, .fail, .hell, .man, .help, .version: nil
        }
    }

    /// What it does.
    var summary: String {
        switch self {
        case .config:
            "the configuration (default: $FEEDSYNC_CONFIG, ./feedsync.yaml, or feedsync.yaml in $XDG_CONFIG_HOME/feedsync)"
        case .store: "the SQLite file (default: $FEEDSYNC_STORE, or `store` in the configuration)"
        case .json: "print JSON, with the store's column names"
        case .quiet: "print only failures (having to wait is not one)"
        case .wait: "wait up to DURATION for another process to finish with the feed (default: 0s)"
        case .maxWait: "the longest pause to accept when the server asks us to wait (default: 30s)"
        case .pages: "fetch N pages"
        case .all: "fetch all remaining pages"
        case .section: "show only this section"
        case .limit: "show at most N items (default: 100)"
        case .last: "start with the last N events"
        case .follow: "keep printing events as they happen"
        case .header: "send this header with every request; can be given several times"
        case .columns: "also write the columns that were found"
        case .dryRun: "print the definition, and change nothing"
        case .hell: "serve an upstream that is broken in every way, until stopped"
        case .online: "fetch a page of each feed, and show what would be stored"
        case .due: "only feeds that are due (see `feedsync plan`)"
        case .fail: "exit with 1 unless all is well"
        case .jobs: "sync N feeds at a time (default: 4)"
        case .maxTime: "start no new requests after DURATION"
        case .maxRequests: "make at most N requests"
        case .man: "print it as a manual page, for packages"
        case .help: "show help for the command"
        case .version: "print the version"
        }
    }
}
