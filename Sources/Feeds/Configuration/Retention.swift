/// The times for which the history of feeds is kept: runs, events, changes, and rows that are gone.
package struct Retention: Sendable, Hashable {
    /// The time for feeds without their own.
    package let standard: Duration
    /// The feeds' own times, by name.
    package private(set) var own: [String: Duration] = [:]

    /// The default time: 90 days.
    package static let standard = Retention(Duration.seconds(90 * 86_400))

    package init(_ standard: Duration) { self.standard = standard }

    /// The time for a feed.
    package subscript(feed: String) -> Duration { own[feed] ?? standard }

    /// Adds a feed's own time, if it has one.
    package mutating func add(_ feed: FeedDefinition) {
        if let keep = feed.keep { own[feed.owner] = keep }
    }

    /// The time before which a feed's history is deleted, as the store writes times; nil if there is none.
    ///
    /// - Parameter now: In seconds since 1970.
    package func limit(of feed: String, at now: Int64) -> String? {
        Timestamp(sinceEpoch: now - self[feed].components.seconds)?.text
    }
}

extension Configuration {
    /// The times for which the feeds' history is kept.
    package var retention: Retention {
        var retention = Retention(keep)
        for feed in feeds { retention.add(feed) }
        return retention
    }
}
