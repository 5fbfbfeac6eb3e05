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
    private let follower: Task<Findings, Never>
    private let painter: Task<Void, Never>

    init(_ engine: SyncEngine, progress: ProgressLine, onEvent: @escaping @Sendable (StatusEvent) -> Void = { _ in }) {
        self.progress = progress
        let activity = engine.activity
        follower = Task {
            var findings = Findings()
            for await step in activity {
                progress.follow(step)
                guard case .event(let event) = step else { continue }
                findings.run = event.run
                if event.error == nil, event.status.endsPage { findings.pages += 1 }
                findings.inserted += event.items.inserted
                findings.updated += event.items.updated
                onEvent(event)
            }
            return findings
        }
        painter = Task {
            // Ten times a second is as fast as anybody reads.
            while (try? await ContinuousClock().sleep(for: .milliseconds(100))) != nil { progress.paint() }
        }
    }
}

extension RunWatch {
    /// Stops following once everything that has happened was seen, and erases the progress line.
    func end() async -> Findings {
        painter.cancel()
        // What is in the stream already still comes.
        follower.cancel()
        let findings = await follower.value
        await painter.value
        progress.erase()
        return findings
    }
}

extension RefreshStatus {
    /// Whether a page was committed with it; `noMoreData` comes behind an `endHeader`, or in place of an `endFooter`.
    fileprivate var endsPage: Bool { [.endHeader, .endFooter, .noMoreData].contains(self) }
}
