/// An option of the command line.
enum Option: String, Sendable, CaseIterable {
    case config, store, json, quiet, wait
    case maxWait = "max-wait"
    case pages, all, section, limit, last, follow, header, columns
    case dryRun = "dry-run"
    case online, due, jobs
    case maxTime = "max-time"
    case maxRequests = "max-requests"
    case help, version

    /// Those that every command takes.
    static let general: [Option] = [.config, .store, .json, .quiet, .help]

    /// Those of commands that make requests.
    static let requesting: [Option] = [.wait, .maxWait]

    /// As it is written on the command line.
    var written: String { "--\(rawValue)" }

    /// Its letter, for short.
    var letter: Character? {
        switch self {
        case .quiet: "q"
        case .help: "h"
        case .follow: "f"
        default: nil
        }
    }

    /// What stands for its value in help texts; nil if it takes none.
    var placeholder: String? {
        switch self {
        case .config, .store: "PATH"
        case .wait, .maxWait, .maxTime: "DURATION"
        case .pages, .limit, .last, .jobs, .maxRequests: "N"
        case .section: "NAME"
        case .header: "'NAME: VALUE'"
        case .json, .quiet, .all, .follow, .columns, .dryRun, .online, .due, .help, .version: nil
        }
    }

    /// What it does.
    var summary: String {
        switch self {
        case .config: "the configuration file (else $FEEDSYNC_CONFIG, ./feedsync.yaml, your own)"
        case .store: "the SQLite file (else $FEEDSYNC_STORE, the configuration's `store`)"
        case .json: "print JSON with the names of the store's tables"
        case .quiet: "print failures alone; a feed that has to wait is none"
        case .wait: "wait so long for another process to let go of a feed (0s)"
        case .maxWait: "wait at most so long when an upstream asks to (30s)"
        case .pages: "stop after N pages"
        case .all: "go on to the end"
        case .section: "show this section alone"
        case .limit: "show at most N"
        case .last: "begin with the last N"
        case .follow: "go on with events as they come"
        case .header: "a header field for every request; may be given several times"
        case .columns: "write the columns that were found into the file, too"
        case .dryRun: "print the definition, and change nothing"
        case .online: "fetch a page of each feed, and show what it would store"
        case .due: "only feeds whose time has come; `feedsync plan` tells when that is"
        case .jobs: "work on N feeds at once (4); each host still gets one request at a time"
        case .maxTime: "begin no request after that time; what is left goes on next time"
        case .maxRequests: "begin no more than N requests; what is left goes on next time"
        case .help: "explain the command"
        case .version: "print the version"
        }
    }
}
