package import HTTP

extension Validators {
    /// The validators of a response that brought the page. Without an entity tag, a date does not count that a later
    /// version of the page may have, too.
    package init(of response: Response) {
        let isVague = response.etag == nil && response.isJustModified
        self.init(etag: response.etag, lastModified: isVague ? nil : response.lastModified)
    }

    /// The validators after a 304: its own outrank the stored ones.
    package func refreshed(by response: Response) -> Validators {
        let etag = response.etag ?? etag
        let isVague = etag == nil && response.isJustModified
        return Validators(etag: etag, lastModified: isVague ? nil : response.lastModified ?? lastModified)
    }
}

extension Headers {
    /// Puts in the fields that make a request conditional; without validators takes them out.
    mutating func setConditions(_ validators: Validators?) {
        self["If-None-Match"] = validators?.etag
        self["If-Modified-Since"] = validators?.lastModified
    }
}
