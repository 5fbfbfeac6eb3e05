/// The rules for searching while the user types: the latest text wins. They are pure; `TypedSearch` performs their
/// effects.
///
/// | typed | what happens |
/// | --- | --- |
/// | a text of two characters or fewer | the request under way is cancelled; what waits is dropped |
/// | the text that was searched for last | nothing; what waits is dropped |
/// | another text, half a second or more after the last request | it is requested, and the older request cancelled |
/// | another text, earlier than that | it waits for the rest of that time, instead of what waits |
///
/// A text that failed may be searched for again.
struct SearchRules {
    /// An action to perform.
    enum Effect: Hashable {
        /// Request this text, and cancel the previous request.
        case request(String)
        /// Cancel the previous request.
        case cancel
        /// Call `woke` after this time.
        case wake(after: Duration)
    }

    /// The minimum number of characters of a searched text.
    static let leastCount = 3
    /// The minimum time between two requests.
    static let interval = Duration.milliseconds(500)

    /// The text that was requested last; nil once that has failed or was cancelled.
    private var requested: String?
    private var isUnderWay = false
    private var waiting: String?
    private var isWaking = false
    private var earliest = Duration.zero

    /// Takes a typed text, this long after the beginning.
    mutating func typed(_ text: String, at time: Duration) -> [Effect] {
        guard text.count >= Self.leastCount else {
            waiting = nil
            guard isUnderWay else { return [] }
            (requested, isUnderWay) = (nil, false)
            return [.cancel]
        }
        guard text != requested else {
            waiting = nil
            return []
        }
        guard time < earliest else { return request(text, at: time) }
        waiting = text
        guard !isWaking else { return [] }
        isWaking = true
        return [.wake(after: earliest - time)]
    }

    /// Handles the end of the requested time.
    mutating func woke(at time: Duration) -> [Effect] {
        isWaking = false
        return waiting.map { request($0, at: time) } ?? []
    }

    /// Takes the end of a request.
    ///
    /// - Returns: True if the request is still the wanted one.
    mutating func ended(_ text: String, failed: Bool) -> Bool {
        guard text == requested else { return false }
        isUnderWay = false
        if failed { requested = nil }
        return true
    }

    private mutating func request(_ text: String, at time: Duration) -> [Effect] {
        waiting = nil
        (requested, isUnderWay) = (text, true)
        earliest = time + Self.interval
        return [.request(text)]
    }
}
