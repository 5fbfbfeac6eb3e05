extension FetchCost {
    package mutating func add(_ failure: FetchFailure) {
        requestCount += failure.requestCount
        byteCount += failure.byteCount
        quota += failure.quota
    }

    /// The page with this on its account, too.
    package func added(to page: FetchedPage) -> FetchedPage {
        FetchedPage(
            kind: page.kind, response: page.response, requestCount: page.requestCount + requestCount,
            byteCount: page.byteCount + byteCount, quota: quota + page.quota)
    }

    /// The failure with this on its account, too.
    package func added(to failure: FetchFailure) -> FetchFailure {
        FetchFailure(
            error: failure.error, requestCount: failure.requestCount + requestCount,
            byteCount: failure.byteCount + byteCount, quota: quota + failure.quota, isHeldBack: failure.isHeldBack)
    }
}
