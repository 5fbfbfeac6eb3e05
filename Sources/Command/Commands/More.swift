internal import FeedSync

extension Command {
    /// `more FEED... [--pages N | --all]`
    static let more = Command(
        "more", operands: "FEED...", count: 1...anyNumber, options: [.pages, .all] + Option.requesting,
        endsGracefully: true, summary: "Request the next page of feeds, or several",
        explanation: """
            Goes on where the feed stands: the next page is requested and its items are added at the end. A feed that
            was never loaded begins with its first page. Where the upstream has no further page, nothing is requested.
            A page that fails is the next one again.
            """,
        example: "feedsync more swift-repos --pages 3"
    ) { session throws(Failure) in
        let pages = try session.invocation.count(.pages)
        guard session.invocation.has(.all) else {
            return try await session.perform(pages.map(RequestCommand.nextPages) ?? .nextPage)
        }
        guard pages == nil else {
            throw .usage("--pages and --all contradict each other", advice: session.invocation.command.helpAdvice)
        }
        return try await session.perform(.allPages)
    }
}
