extension Store {
    /// What was found of that which the feed's definition leaves open; nil as long as nothing is kept.
    ///
    /// - Throws: `FeedError` of kind `store`.
    public func findings(of feed: String) throws(FeedError) -> Findings? { nil }
}
