package import Concurrency
package import HTTPServer

/// An upstream whose items have a time, and that is asked for stretches of time by two parameters, `from` and `to`.
package final class TimedList: Sendable {
    /// The ends that a stretch contains.
    package enum Borders: String, Sendable, CaseIterable { case closed, halfOpen, open }

    /// The notation of its parameters.
    package enum Notation: String, Sendable, CaseIterable { case seconds, days }

    /// The items, and what was asked for.
    package struct State: Sendable {
        /// The items' times by id, in seconds since 1970.
        package var times: [Int: Int64]
        /// Its clock, in seconds since 1970: later items are not there yet.
        package var now: Int64
        /// Called before each answer.
        package var beforeAnswer: (@Sendable (inout State) -> Void)?
        /// The stretches asked for so far.
        package var asked: [String] = []
        /// The answers before one that fails; nil for none.
        package var answersBeforeFailure: Int?
    }

    /// The state.
    package let state: Lock<State>
    private let borders: Borders
    private let notation: Notation
    /// Its zone: seconds east of UTC. Only days depend on it.
    private let zone: Int64
    private let pageSize: Int

    /// A list of items with these times.
    package init(
        _ times: [Int: Int64], now: Int64, borders: Borders = .closed, notation: Notation = .seconds, zone: Int64 = 0,
        pageSize: Int = .max
    ) {
        state = Lock(State(times: times, now: now))
        (self.borders, self.notation, self.zone, self.pageSize) = (borders, notation, zone, pageSize)
    }

    /// The items as rows, by id.
    package var rows: [String] {
        state.withLock { $0.times.sorted { $0.key < $1.key }.map { "\($0.key)|\($0.value)" } }
    }

    /// Changes the items, or what happens.
    package func edit(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    /// The items of a stretch by id, page by page: `after` is the last id of the page before.
    package func answer(_ request: ServerRequest) -> ServerResponse {
        state.withLock { state in
            state.beforeAnswer?(&state)
            if let left = state.answersBeforeFailure {
                state.answersBeforeFailure = left - 1
                if left <= 0 { return .status(500) }
            }
            let (from, to) = (request.parameter("from") ?? "", request.parameter("to") ?? "")
            let after = request.parameter("after").flatMap { Int($0) }
            if after == nil { state.asked.append("\(from)..\(to)") }
            guard let begin = second(from), let end = second(to), begin <= end else {
                return .json(#"{"error":"no stretch of time"}"#, status: 400)
            }
            let met = state.times.filter { contains(begin, end, $0.value) && $0.value <= state.now }
                .sorted { $0.key < $1.key }.filter { $0.key > after ?? .min }.prefix(pageSize)
            return .json("[\(met.map { #"{"id":\#($0.key),"at":\#($0.value)}"# }.joined(separator: ","))]")
        }
    }

    private func contains(_ begin: Int64, _ end: Int64, _ time: Int64) -> Bool {
        let isOfDays = notation == .days
        let time = isOfDays ? day(time + zone) : time
        let (begin, end) = isOfDays ? (day(begin), day(end)) : (begin, end)
        return switch borders {
        case .closed: begin <= time && time <= end
        // No upstream leaves out the day from which it is asked.
        case .open where !isOfDays: begin < time && time < end
        case .halfOpen, .open: begin <= time && time < end
        }
    }

    private func day(_ second: Int64) -> Int64 { (second - (second % 86_400 + 86_400) % 86_400) / 86_400 }

    /// A parameter's value in seconds: a number, or a day as the number of its first second.
    private func second(_ text: String) -> Int64? {
        guard notation == .days else { return Int64(text) }
        let parts = text.split(separator: "-").compactMap { Int64($0) }
        guard parts.count == 3 else { return nil }
        // Days since 1970: https://howardhinnant.github.io/date_algorithms.html
        let year = parts[1] <= 2 ? parts[0] - 1 : parts[0]
        let dayOfYear = (153 * (parts[1] + (parts[1] > 2 ? -3 : 9)) + 2) / 5 + parts[2] - 1
        let dayOfEra = (year % 400) * 365 + (year % 400) / 4 - (year % 400) / 100 + dayOfYear
        return (year / 400 * 146_097 + dayOfEra - 719_468) * 86_400
    }
}
