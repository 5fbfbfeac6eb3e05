internal import FeedSync
internal import HTTP

/// The environment variables that configured feeds send, and the servers that get them.
///
/// Whoever types a feed in chooses its server, and may be nobody who may read the owner's files and variables: of a feed that
/// comes over HTTP no file is read, no command is run, and a variable goes only to a server that has it already.
struct KnownVariables: Sendable {
    private var names: [Origin: Set<String>] = [:]

    /// The variables of these feeds.
    init(of feeds: [FeedDefinition]) {
        for feed in feeds {
            guard let origin = feed.origin else { continue }
            names[origin, default: []].formUnion(feed.variables)
        }
    }

    /// The reason not to take a feed that comes over HTTP; nil if it may be taken.
    func problem(of feed: FeedDefinition) -> String? {
        for reference in feed.templates.flatMap(\.references) {
            switch reference {
            case .command: return "a command is never run for what is typed in here"
            case .file: return "a file is never read for what is typed in here"
            case .environment(let name):
                guard let origin = feed.origin, names[origin]?.contains(name) == true else {
                    return "`${\(name)}` is taken here only if a configured feed of the same server uses it already"
                }
            case .literal, .column: continue
            }
        }
        return nil
    }
}

extension FeedDefinition {
    /// The server that its requests go to; nil if that depends on a value kept elsewhere.
    fileprivate var origin: Origin? { (try? WebURL(url.description))?.origin }

    fileprivate var variables: [String] {
        templates.flatMap(\.references).compactMap { if case .environment(let name) = $0 { name } else { nil } }
    }
}
