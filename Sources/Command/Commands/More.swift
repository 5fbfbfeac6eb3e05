internal import FeedSync

extension Command {
    /// `more FEED... [--pages N | --all]`
    static let more = Command(
        name: "more", operands: "FEED...", count: 1...anyNumber, options: [.pages, .all] + Option.requesting,
        store: .writes(), endsGracefully: true, summary: "Fetch the next page (or pages) of each feed",
        explanation: """
            Fetches the page after the last one stored, and adds its items at the end. A feed that was
            never loaded starts with its first page. If there are no further pages, nothing is requested.
            If a page fails, the next run tries it again.
            """,
        example: "feedsync more swift-repos --pages 3"
    ) { session throws(Failure) in
        let pages = try session.invocation.count(.pages)
        try session.invocation.check(.pages, without: .all)
        let command: RequestCommand =
            session.invocation.has(.all) ? .allPages : pages.map(RequestCommand.nextPages) ?? .nextPage
        return try await CommandRuns(session: session, command: command).perform()
    }
}
