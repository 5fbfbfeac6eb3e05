package import HTTP

extension FeedSyncError {
    /// The error with its response, unless it has one already.
    package func keeping(_ response: Response, to page: PreparedPage) -> FeedSyncError {
        guard self.response == nil, httpStatus != nil else { return self }
        let mask = TraceMask(page)
        var error = self
        error.response = FailedResponse(
            status: response.status, url: page.shown(response.url),
            headers: mask.headers(response.headers).map { FailedResponse.Field(name: $0.name, value: $0.value) },
            body: mask.text(of: response.body, limit: FailedResponse.mostBytes), byteCount: response.body.count)
        return error
    }
}
