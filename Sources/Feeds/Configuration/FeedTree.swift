/// The feeds of a configuration as a tree: those with `for_each` stand below their parents.
enum FeedTree {
    /// Sets the depth of each feed with a parent, and the origin to which URLs in its parent's rows may lead; reports
    /// missing parents, and feeds that are their own ancestors.
    static func connect(_ feeds: inout [FeedDefinition], log: Diagnostics) {
        let indices = Dictionary(feeds.enumerated().map { ($1.name, $0) }) { first, _ in first }
        for index in feeds.indices {
            guard let rule = feeds[index].forEach else { continue }
            var ancestors: [String] = []
            var origin: String?
            var above = rule.feed
            var seen: Set<String> = [feeds[index].name]
            while true {
                guard let parent = indices[above] else {
                    if above == rule.feed {
                        log.report(
                            "feed `\(feeds[index].name)` has a list for each row of `\(above)`, but there is no feed `\(above)`",
                            at: feeds[index].position, word: above,
                            suggestion: NearestWord.suggestion(for: above, among: feeds.map(\.name)))
                    }
                    break
                }
                guard seen.insert(above).inserted else {
                    log.report(
                        "feed `\(feeds[index].name)` goes through its own rows: its `for_each` leads back to it",
                        at: feeds[index].position)
                    break
                }
                if above != rule.feed { ancestors.append(above) }
                origin = origin ?? FeedDefinition.origin(of: feeds[parent].url.literalPrefix)
                guard let next = feeds[parent].forEach?.feed else { break }
                above = next
            }
            let own = FeedDefinition.origin(of: feeds[index].url.literalPrefix)
            feeds[index].forEach?.ancestors = ancestors
            feeds[index].forEach?.origin = own ?? origin
            check(feeds[index], log: log)
        }
    }

    /// Reports columns of feeds that are not above a feed.
    static func check(_ feed: FeedDefinition, log: Diagnostics) {
        guard let rule = feed.forEach else { return }
        let others = rule.ancestors.isEmpty ? "" : ", nor of a feed above it"
        for template in feed.templates {
            for column in template.columns where column.feed != rule.feed && !rule.ancestors.contains(column.feed) {
                log.report(
                    "`\(column.word)` in feed `\(feed.name)` names no column of `\(rule.feed)`, whose rows its `for_each` goes through\(others)",
                    at: template.position, word: column.word,
                    suggestion: NearestWord.suggestion(for: column.feed, among: [rule.feed] + rule.ancestors).map {
                        "{\($0).\(column.name)}"
                    })
            }
        }
    }
}
