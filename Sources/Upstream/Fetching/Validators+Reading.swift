package import HTTP

extension Validators {
    /// The validators of a response that brought the page. A page that was modified in the second of the response may
    /// change again in it, and a 304 would not show that.
    ///
    /// Source: https://www.rfc-editor.org/rfc/rfc9110#section-8.8.2.2
    package init(of response: Response) {
        let isWeak = response.etag == nil && response.lastModified == response.headers["Date"]
        self.init(etag: response.etag, lastModified: isWeak ? nil : response.lastModified)
    }

    /// The validators after a 304: its own outrank the stored ones.
    package func refreshed(by response: Response) -> Validators {
        Validators(etag: response.etag ?? etag, lastModified: response.lastModified ?? lastModified)
    }
}

extension Headers {
    /// Puts in the fields that make a request conditional; without validators takes them out.
    package mutating func setConditions(_ validators: Validators?) {
        self["If-None-Match"] = validators?.etag
        self["If-Modified-Since"] = validators?.lastModified
    }
}
