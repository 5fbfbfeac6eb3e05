internal import HTTP

extension LoadedPage {
    /// The notice of a first page that the upstream has moved for good, with the line that follows it, and the new
    /// address; nil otherwise.
    func movedNotice(of feed: FeedDefinition) -> (address: String, text: String)? {
        let response = fetched.response
        guard page.cursor == nil, response.isMovedForGood else { return nil }
        let (old, new) = (Self.parts(page.shown(page.request.url)), Self.parts(page.shown(response.url)))
        let words = "`url` has moved for good, to \(new.place)"
        // What the definition refers to, and what the upstream makes of the query, is for its owner to see.
        guard feed.url.isLiteral, feed.part == nil, old.query == new.query else {
            return (String(new.place), words)
        }
        let own = Self.parts(feed.url.description).query
        return (String(new.place), "\(words): feedsync edit \(feed.name) 'url=\(new.place)\(own)'")
    }

    private static func parts(_ url: String) -> (place: Substring, query: Substring) {
        let end = url.firstIndex(of: "?") ?? url.endIndex
        return (url[..<end], url[end...])
    }
}
