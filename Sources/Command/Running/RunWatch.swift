internal import FeedSync

/// Follows what an engine does while a command runs: for the progress line, and to know the run's number.
///
/// - Isolation: any task.
final class RunWatch: Sendable {
    private let progress: ProgressLine
    private let follower: Task<Int?, Never>
    private let painter: Task<Void, Never>

    init(_ engine: SyncEngine, progress: ProgressLine, onEvent: @escaping @Sendable (StatusEvent) -> Void = { _ in }) {
        self.progress = progress
        let activity = engine.activity
        follower = Task {
            var run: Int?
            for await step in activity {
                progress.follow(step)
                guard case .event(let event) = step else { continue }
                run = event.run
                onEvent(event)
            }
            return run
        }
        painter = Task {
            // Ten times a second is as fast as anybody reads.
            while (try? await ContinuousClock().sleep(for: .milliseconds(100))) != nil { progress.paint() }
        }
    }
}

extension RunWatch {
    /// Stops following once everything that has happened was seen, and erases the progress line.
    ///
    /// - Returns: The run's number; nil if nothing happened.
    func end() async -> Int? {
        painter.cancel()
        // What is in the stream already still comes.
        follower.cancel()
        let run = await follower.value
        await painter.value
        progress.erase()
        return run
    }
}
