internal import FeedSync
internal import Text

extension Command {
    /// `check`
    static let check = Command(
        name: "check", operands: "[FEED...]", count: 0...anyNumber, options: [.online] + Option.fetching,
        general: [.config, .json, .quiet, .help], store: .any, endsGracefully: true,
        summary: "Validate the configuration",
        explanation: """
            Reports every error in the configuration with file, line and column. Missing variables and
            files are warnings, not errors: they may exist when the feed runs. Credentials that are written
            out are warnings, too.

            With --online, fetches one page of each feed (or of the named feeds) and shows what would be
            stored and where the next page is. The store is not changed.
            """,
        example: "feedsync check --online swift-repos"
    ) { session throws(Failure) in
        let configuration = try session.configuration()
        let named = try session.feeds(of: configuration)
        let feeds = named.isEmpty ? configuration.feeds : named
        if session.invocation.has(.online) { return try await session.checkOnline(feeds, of: configuration) }
        let checks = feeds.map {
            FeedCheck(feed: $0, environment: session.environment, folder: configuration.folder)
        }
        if session.invocation.has(.json) {
            session.console.print(json: JSONLines.array(checks.map(\.result)))
            return .done
        }
        session.nameFiles(configuration)
        var table = Table(
            [.init(title: "") { $0.success($1) }, .init(title: "FEED") { $0.name($1) }, "URL", "PAGINATION"],
            hasTitles: false)
        for check in checks { table.add(["ok", check.feed.name, check.feed.maskedURL, check.style]) }
        session.console.print(table)
        if checks.isEmpty { session.console.note("\(configuration.file) has no feeds yet") }
        if let place = configuration.literalStorePassword {
            session.console.note("warning: \(FeedCheck.exposure(at: place)); \(FeedCheck.exposureAdvice(place.file))")
        }
        for check in checks {
            for warning in check.warnings { session.console.note("\(check.feed.name): warning: \(warning)") }
        }
        return .done
    }
}

/// The checks of a feed that need no request.
struct FeedCheck: Sendable, JSONRecord {
    let feed: FeedDefinition
    /// References that cannot be resolved now.
    let unresolved: [String]
    /// Credentials that every reader of the file can see.
    let exposed: [String]

    var warnings: [String] { unresolved + exposed.map { "\($0); \(Self.exposureAdvice(feed.position.file))" } }

    static func exposure(at place: SourcePosition) -> String { "\(place): a credential is written out" }

    /// Advice for literal credentials.
    static func exposureAdvice(_ file: String) -> String {
        let isOpen = FileStatus(of: file)?.isReadableByOthers ?? false
        return "write '${NAME}' to keep it in the environment"
            + (isOpen ? ", or let nobody else read the file: chmod 600 \(ShellWord.quoted(file))" : "")
    }

    init(feed: FeedDefinition, environment: [String: String], folder: String) {
        self.feed = feed
        // A command may ask for a password, or use the network: it is run only when a page is requested.
        exposed = feed.literalCredentials.map(Self.exposure)
        unresolved = feed.templates.map(\.withoutCommands).filter { !$0.isLiteral }.flatMap { template -> [String] in
            do throws(ConfigurationError) {
                _ = try template.resolved(environment: environment, relativeTo: folder)
                return []
            } catch {
                return error.diagnostics.map(\.description)
            }
        }
    }

    var style: String { type(of: feed.pagination).name }

    var fields: JSONFields {
        [
            "feed": feed.name,
            "url": feed.maskedURL,
            "pagination": style,
            "warnings": warnings,
        ]
    }
}
