internal import Concurrency
internal import Reports

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
