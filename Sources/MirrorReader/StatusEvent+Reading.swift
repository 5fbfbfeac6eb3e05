extension StatusEvent {
    init(_ row: RecordRow) throws {
        self.init(
            id: try row.id("id"), at: try row.textOrEmpty("at"), feed: try row.textOrEmpty("feed"),
            run: try row.id("run"), status: try row.word("status") ?? .none, page: try row.integer("page"),
            items: try row.itemFigures(), error: try row.text("error"))
    }

    /// The error, without its advice, which the store does not keep; nil if it did not fail.
    public var failure: FeedSyncError? { error.map(FeedSyncError.init(stored:)) }
}
