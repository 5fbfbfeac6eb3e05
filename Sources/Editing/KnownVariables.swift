internal import FeedSync
internal import HTTP

/// The environment variables that configured feeds send, and the servers that get them.
///
/// A person who types a feed in chooses its server, and may have no right to the owner's files and variables. So a feed
/// that comes over HTTP reads no file and runs no command, and a variable goes only to a server that has it already.
struct KnownVariables: Sendable {
    private var names: [Origin: Set<String>] = [:]

    /// The variables of these feeds.
    init(of feeds: [FeedDefinition]) {
        for feed in feeds {
            guard let origin = feed.origin else { continue }
            names[origin, default: []].formUnion(feed.variables)
        }
    }

    /// The reason not to take a definition that comes over HTTP in place of another; nil if it may be taken.
    ///
    /// A file or a command stays where it is. Nobody directs what has credentials, programs or conditions in SQL
    /// elsewhere: such a feed keeps its server, and the members that say where credentials and changes go.
    func problem(of feed: FeedDefinition, inPlaceOf old: FeedDefinition) -> String? {
        let isAtHome = feed.origin != nil && feed.origin == old.origin
        let kept = isAtHome ? Set(old.templates.flatMap(\.references)) : []
        if let problem = problem(of: feed, but: kept) { return problem }
        guard isAtHome || !(feed.holdsCredentials || old.holdsCredentials) else {
            return "a feed with credentials stays at its server"
        }
        let changed: [(name: String, isSame: Bool)] = [
            ("auth", feed.authentication == old.authentication), ("proxy", feed.proxyText == old.proxyText),
            ("ca", feed.connection.authorities?.path == old.connection.authorities?.path),
            ("client_certificate", feed.certificateTexts == old.certificateTexts),
            ("on_change", feed.hook == old.hook),
            ("for_each", feed.forEach?.condition == old.forEach?.condition),
        ]
        return changed.first { !$0.isSame }.map { "`\($0.name)` is changed only in the file" }
    }

    /// The reason not to take a feed that comes over HTTP; nil if it may be taken.
    ///
    /// - Parameter kept: The references that stay where they are.
    func problem(of feed: FeedDefinition, but kept: Set<Template.Part> = []) -> String? {
        for reference in feed.templates.flatMap(\.references) where !kept.contains(reference) {
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

    /// True if its requests show who asks.
    fileprivate var holdsCredentials: Bool {
        authentication != nil || connection.clientCertificate != nil || !literalCredentials.isEmpty
            || templates.contains { !$0.references.isEmpty }
    }

    fileprivate var proxyText: String? {
        switch connection.proxy {
        case .url(let template): template.description
        case .direct: "none"
        case nil: nil
        }
    }

    fileprivate var certificateTexts: [String?] {
        let certificate = connection.clientCertificate
        return [certificate?.certificate.path, certificate?.key?.path, certificate?.password?.description]
    }

    fileprivate var variables: [String] {
        templates.flatMap(\.references).compactMap { if case .environment(let name) = $0 { name } else { nil } }
    }
}
