extension FetchFailure {
    /// A failure that cost no request of its own.
    package init(_ error: FeedSyncError) {
        self.init(error: error, requestCount: 0, byteCount: 0, quota: [])
    }

    /// A failure after a response had come.
    package init(_ error: FeedSyncError, after fetched: FetchedPage) {
        self.init(
            error: error, requestCount: fetched.requestCount, byteCount: fetched.byteCount, quota: fetched.quota)
    }
}
