internal import Concurrency
internal import FeedSync

/// Follows what an engine does while a command runs: for the progress line, and to know what a run did that fails.
///
/// - Isolation: any task.
final class RunWatch: Sendable {
    /// What was seen of a run.
    struct Findings: Sendable {
        /// Its number; nil if nothing happened.
        var run: Int?
        /// Pages that it committed.
        var pages = 0
        /// New items that it stored.
        var inserted = 0
        /// Items that it stored anew.
        var updated = 0
    }

    private let progress: ProgressLine
    private let findings = Lock(Findings())
    private let onEvent: @Sendable (StatusEvent) -> Void
    private let painter: Task<Void, Never>?

    init(progress: ProgressLine, onEvent: @escaping @Sendable (StatusEvent) -> Void = { _ in }) {
        self.progress = progress
        self.onEvent = onEvent
        guard progress.isShown else {
            painter = nil
            return
        }
        painter = Task {
            // Ten times a second is as fast as anybody reads.
            while (try? await ContinuousClock().sleep(for: .milliseconds(100))) != nil { progress.paint() }
        }
    }

    /// Takes note of something that happened; on the engine's thread, so that nobody is woken for it.
    func follow(_ activity: EngineActivity) {
        if progress.isShown { progress.follow(activity) }
        guard case .event(let event) = activity else { return }
        findings.withLock { findings in
            findings.run = event.run
            if event.error == nil, event.status.endsPage { findings.pages += 1 }
            findings.inserted += event.items.inserted
            findings.updated += event.items.updated
        }
        onEvent(event)
    }

    /// Erases the progress line; what was seen.
    func end() async -> Findings {
        if let painter {
            painter.cancel()
            await painter.value
            progress.erase()
        }
        return findings.withLock { $0 }
    }
}

extension RefreshStatus {
    /// Whether a page was committed with it; `noMoreData` comes behind an `endHeader`, or in place of an `endFooter`.
    fileprivate var endsPage: Bool { [.endHeader, .endFooter, .noMoreData].contains(self) }
}
