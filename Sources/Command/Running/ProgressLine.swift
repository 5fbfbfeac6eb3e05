internal import Concurrency
internal import FeedSync
internal import Reports

/// The progress line of a run; it is shown only on a terminal.
///
/// - Isolation: any task.
final class ProgressLine: Sendable {
    private struct State {
        var page = 0
        var items = 0
        /// The elements that the crawl has met and their total, as the upstream reports it.
        var read: (count: Int, total: Int)?
        var reason = ""
        var resumesAt: ContinuousClock.Instant?
    }

    private let feed: String
    private let console: Console
    private let width: Int?
    private let start = ContinuousClock.now
    private let state = Lock(State())

    init(feed: String, console: Console, isShown: Bool = true) {
        self.feed = feed
        self.console = console
        width = isShown ? console.progressWidth : nil
    }

    /// True if the line is shown.
    var isShown: Bool { width != nil }

    /// Records something that happened.
    func follow(_ activity: EngineActivity) {
        state.withLock { state in
            switch activity {
            case .event(let event):
                state.reason = ""
                state.resumesAt = nil
                state.page = event.page ?? state.page
                state.items += event.items.inserted + event.items.updated + event.items.unchanged
            case .read(let count, let total): state.read = (count, total)
            case .fetching(.retry(let attempt, let reason)):
                state.reason = "\(DisplayWidth.printable(reason)), attempt \(attempt)"
                state.resumesAt = nil
            case .fetching(.paced(let duration)):
                // A shorter wait is over before it is read.
                guard duration >= .seconds(1) else { return }
                state.reason = "its turn, at the feed's rate"
                state.resumesAt = ContinuousClock.now + duration
            case .fetching(.waiting(let duration)):
                state.resumesAt = ContinuousClock.now + duration
            }
        }
    }

    /// Shows the current progress.
    func paint() {
        guard let width else { return }
        let (text, isWaiting) = state.withLock { (Self.text(of: $0, since: start), !$0.reason.isEmpty) }
        let (name, rest) = Self.fitted(feed, text, width: width)
        let palette = console.errorPalette
        console.showProgress("\(palette.name(name))  \(isWaiting ? palette.attention(rest) : palette.faint(rest))")
    }

    /// Removes the line.
    func erase() {
        guard width != nil else { return }
        console.showProgress("")
    }

    /// Fits both into the width; a long name leaves at least half of it for the text.
    static func fitted(_ feed: String, _ text: String, width: Int) -> (name: String, text: String) {
        // The last column stays free: some terminals break the line as soon as it is written.
        let room = max(0, width - 1 - 2)
        let name = DisplayWidth.cut(feed, to: max(room / 2, room - DisplayWidth.of(text)))
        return (name, DisplayWidth.cut(text, to: room - DisplayWidth.of(name)))
    }

    private static func text(of state: State, since start: ContinuousClock.Instant) -> String {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        // A total that the crawl has passed is wrong.
        let part = state.read.flatMap { $0.count <= $0.total ? $0 : nil }
        let count =
            part.map { "\(NumberFormat.count($0.count)) of \(NumberFormat.count($0.total, "item"))" }
            ?? NumberFormat.count(state.items, "item")
        let rate = state.items > 0 && seconds > 0 ? ", \(perSecond(state.items, seconds)) items/s" : ""
        let text = "page \(NumberFormat.count(max(1, state.page)))  \(count)\(rate)"
        guard !state.reason.isEmpty else { return text }
        guard let resumesAt = state.resumesAt else { return "\(text)  retrying: \(state.reason)" }
        let left = (resumesAt - ContinuousClock.now).components.seconds
        return "\(text)  waiting \(NumberFormat.time(seconds: left + 1)): \(state.reason)"
    }

    private static func perSecond(_ items: Int, _ seconds: Double) -> String {
        Int(exactly: (Double(items) / seconds).rounded()).map { NumberFormat.count($0) } ?? "many"
    }
}

/// The progress line for several feeds; it is shown only on a terminal.
///
/// - Isolation: any task.
final class FeedsProgress: Sendable {
    private struct State {
        /// The feeds that have ended. One may be tried again.
        var ended: Set<String> = []
        var atWork: [String] = []
    }

    private let total: Int
    private let console: Console
    private let state = Lock(State())

    init(total: Int, console: Console) {
        self.total = total
        self.console = console
    }

    /// A feed has started.
    func begin(_ feed: String) {
        paint { $0.atWork.append(feed) }
    }

    /// A feed has ended.
    func end(_ feed: String) {
        paint { state in
            state.ended.insert(feed)
            state.atWork.removeAll { $0 == feed }
        }
    }

    /// Removes the line.
    func erase() {
        if console.progressWidth != nil { console.showProgress("") }
    }

    private func paint(_ change: (inout State) -> Void) {
        let state = state.withLock { state in
            change(&state)
            return state
        }
        guard let width = console.progressWidth else { return }
        let title = "\(NumberFormat.count(state.ended.count)) of \(NumberFormat.count(total, "feed"))"
        let (name, rest) = ProgressLine.fitted(title, state.atWork.joined(separator: ", "), width: width)
        console.showProgress("\(console.errorPalette.name(name))  \(console.errorPalette.faint(rest))")
    }
}
