internal import Text

/// The rules for searching while the user types: the latest text wins. They are pure; `TypedSearch` performs their
/// effects.
///
/// | typed | what happens |
/// | --- | --- |
/// | a text of two characters or fewer, unless `least` says otherwise | the request under way is cancelled; what waits is dropped |
/// | the text that was searched for last | nothing; what waits is dropped |
/// | another text, half a second (`interval`) or more after the last request | it is requested, and the older request cancelled |
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
    private let least: Int
    /// The minimum time between two requests.
    private let interval: Duration

    /// The text that was requested last; nil once that has failed or was cancelled.
    private var requested: String?
    private var isUnderWay = false
    private var waiting: String?
    private var isWaking = false
    private var earliest = Duration.zero

    /// - Parameters:
    ///   - least: The minimum number of characters of a searched text, from 1.
    ///   - interval: The minimum time between two requests, from 0.
    init(least: Int = 3, interval: Duration = .milliseconds(500)) {
        self.least = max(least, 1)
        self.interval = max(interval, .zero)
    }

    /// Takes a typed text, this long after the beginning.
    mutating func typed(_ typed: String, at time: Duration) -> [Effect] {
        // A space at an end finds nothing else.
        let text = String(typed.trimmingSpaces)
        guard text.count >= least else {
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
        earliest = time + interval
        return [.request(text)]
    }
}
