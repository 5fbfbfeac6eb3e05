internal import FeedSync

extension Command {
    /// `reload FEED...`
    static let reload = Command(
        "reload", operands: "FEED...", count: 1...anyNumber, options: Option.requesting, endsGracefully: true,
        summary: "Request the first page of feeds",
        explanation: """
            Requests the first page of each feed and stores it. What it has comes first in the feed's order from then
            on; rows of earlier pages stay. A page that the upstream says is the same costs nothing and changes nothing.
            If the page cannot be had, the feed stays as it was.
            """,
        example: "feedsync reload swift-repos"
    ) { session throws(Failure) in
        try await session.perform(.reload)
    }
}
