internal import Concurrency
internal import FeedSync

/// Watches an engine while a command runs, for the progress line and for the report of a failed run.
///
/// - Isolation: any task.
final class RunWatch: Sendable {
    /// The known facts about a run.
    struct Findings: Sendable {
        /// Its number; nil if nothing happened.
        var run: Int?
        /// The pages it committed.
        var pages = 0
        /// The new items it stored.
        var inserted = 0
        /// The changed items it stored.
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
            // Readers cannot follow more than ten changes a second.
            while (try? await ContinuousClock().sleep(for: .milliseconds(100))) != nil { progress.paint() }
        }
    }

    /// Records something that happened, on the engine's thread, so that no other thread is woken.
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

    /// Erases the progress line, and returns the findings.
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
    /// True if a page was committed with it; `noMoreData` follows an `endHeader` or replaces an `endFooter`.
    fileprivate var endsPage: Bool { [.endHeader, .endFooter, .noMoreData].contains(self) }
}
