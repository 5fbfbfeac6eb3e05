internal import FeedSync
internal import HTTPServer

/// Why a command ends early: the one form that every error takes before it is shown.
struct Failure: Error, Sendable {
    /// How the process ends.
    let code: ExitCode
    /// What went wrong, one line each; the first can be shown without the others.
    let messages: [String]
    /// Further lines, printed as they are.
    let explanation: String?
    /// What to try next.
    let advice: String?

    init(_ code: ExitCode, _ messages: [String], explanation: String? = nil, advice: String? = nil) {
        self.code = code
        self.messages = messages
        self.explanation = explanation
        self.advice = advice
    }

    /// What is wrong on the command line.
    static func usage(_ message: String, advice: String) -> Failure {
        Failure(.usage, [message], advice: advice)
    }

    /// A word that names nothing, with the nearest one that does.
    static func unknown(_ what: String, _ word: String, among words: [String], advice: String) -> Failure {
        let nearest = NearestWord.suggestion(for: word, among: words)
        let hint = nearest.map { "; did you mean \($0)?" } ?? ""
        return .usage("no such \(what): \(word)\(hint)", advice: advice)
    }
}

extension Failure {
    /// What went wrong on a feed.
    init(_ error: FeedSyncError, feed: String? = nil) {
        let place = feed.map { "\($0): " } ?? ""
        guard error.kind != .cancelled else {
            // Somebody who stopped it does not care which request it hit.
            self.init(ExitCode(error.kind), [place + "stopped; everything fetched so far is kept"])
            return
        }
        self.init(ExitCode(error.kind), [place + error.description], advice: error.advice)
    }

    /// The diagnostics of a configuration, each with its position.
    init(_ error: ConfigurationError) {
        self.init(error, advice: nil)
    }

    /// The diagnostics of a configuration, and what to try.
    init(_ error: ConfigurationError, advice: String?) {
        self.init(.configuration, error.diagnostics.map(\.description), advice: advice)
    }

    /// A server that cannot start.
    init(_ error: ServerError) {
        self.init(.unavailable, ["the demo server cannot start: \(error)"])
    }
}

/// Runs `body`, and turns the library's error into a failure.
func failing<Result, Problem: Error>(
    _ convert: (Problem) -> Failure,
    _ body: () async throws(Problem) -> Result
) async throws(Failure) -> Result {
    do throws(Problem) { return try await body() } catch { throw convert(error) }
}
