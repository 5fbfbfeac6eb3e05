package import HTTP

extension Validators {
    /// The validators of a response that brought the page.
    package init(of response: Response) {
        self.init(etag: response.etag, lastModified: response.lastModified)
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
