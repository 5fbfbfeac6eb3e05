internal import Concurrency
internal import FeedSync

/// Shows and records every request of a command, as `--verbose` and `--trace` ask.
///
/// - Isolation: any thread.
final class Tracing: Sendable {
    private let console: Console
    private let verbosity: Int
    private let archive: HTTPArchive?

    /// The tracing options of the command line; nil if there are none.
    ///
    /// - Throws: `Failure` with exit code 74 if the file cannot be written.
    init?(_ invocation: Invocation, console: Console) throws(Failure) {
        verbosity = invocation.times(.verbose)
        archive = try invocation.options[.trace].map { path throws(Failure) in try HTTPArchive(path: path) }
        self.console = console
        if verbosity == 0, archive == nil { return nil }
    }

    /// Takes in something that happened on a feed.
    func follow(_ feed: String, _ trace: RequestTrace) {
        if verbosity > 0 {
            let lines = TraceText(feed: feed, hasHeaders: verbosity > 1, palette: console.errorPalette).lines(trace)
            console.trace(lines)
        }
        guard let archive, case .ended(let exchange) = trace else { return }
        if let failure = archive.add(exchange, of: feed) { console.fail(failure) }
    }
}
