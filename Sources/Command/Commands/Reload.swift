internal import FeedSync

extension Command {
    /// `reload FEED...`
    static let reload = Command(
        name: "reload", operands: "FEED...", count: 1...anyNumber, options: Option.requesting,
        store: .writes(isUrgent: true), endsGracefully: true,
        summary: "Fetch the first page of each feed",
        explanation: """
            Fetches the first page of each feed and stores it. Its items move to the top of the feed; the
            rows of other pages stay. An unchanged page (304) changes nothing. If the page cannot be
            fetched, nothing changes.
            """,
        example: "feedsync reload swift-repos"
    ) { session throws(Failure) in
        try await CommandRuns(session: session, command: .reload).perform()
    }
}
