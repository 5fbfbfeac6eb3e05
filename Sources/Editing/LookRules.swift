/// The rules for looking at a feed while it is typed: the latest draft wins. They are pure; `TypedFeed` performs their
/// effects.
///
/// | what was typed makes | what happens |
/// | --- | --- |
/// | no feed | nothing; what waits is dropped, and the look under way cancelled |
/// | the feed that was looked at last, or that is looked at | nothing; what waits is dropped |
/// | another feed | the look under way is cancelled; it is looked at when nothing was typed for 0.7 s |
///
/// Half an address may be another host's. Therefore nothing is requested while the user types, and at most one look
/// begins in 0.7 s. A feed whose look failed may be looked at again.
struct LookRules<Feed: Hashable> {
    /// An action to perform.
    enum Effect: Hashable {
        /// Look at this feed.
        case look(Feed)
        /// Cancel the look that is under way.
        case cancel
        /// Call `woke` after this time.
        case wake(after: Duration)
    }

    /// The pause in typing before a look.
    static var rest: Duration { .milliseconds(700) }

    /// The subject of the last look, or of the one under way; nil once it has failed or was cancelled.
    private var looked: Feed?
    private var isUnderWay = false
    private var waiting: (feed: Feed, until: Duration)?
    private var isWaking = false

    /// The form has this feed now, this long after the start; nil where it has no valid feed.
    mutating func typed(_ feed: Feed?, at time: Duration) -> [Effect] {
        guard feed != looked || feed == nil else {
            waiting = nil
            return []
        }
        var effects: [Effect] = []
        if isUnderWay {
            (isUnderWay, looked) = (false, nil)
            effects.append(.cancel)
        }
        guard let feed else {
            waiting = nil
            return effects
        }
        // The same text again does not start the wait again.
        if waiting?.feed != feed { waiting = (feed, time + Self.rest) }
        guard !isWaking else { return effects }
        isWaking = true
        return effects + [.wake(after: Self.rest)]
    }

    /// Handles the end of the requested time.
    mutating func woke(at time: Duration) -> [Effect] {
        isWaking = false
        guard let (feed, until) = waiting else { return [] }
        guard time >= until else {
            isWaking = true
            return [.wake(after: until - time)]
        }
        waiting = nil
        (looked, isUnderWay) = (feed, true)
        return [.look(feed)]
    }

    /// A look ended.
    ///
    /// - Returns: True if it is still the one that is wanted.
    mutating func ended(_ feed: Feed, failed: Bool) -> Bool {
        guard feed == looked, isUnderWay else { return false }
        isUnderWay = false
        if failed { looked = nil }
        return true
    }
}
