internal import FeedSync
internal import HTTPServer

/// The early end of a command: the one form that every error takes before it is shown.
struct Failure: Error, Sendable {
    /// The exit code of the process.
    let code: ExitCode
    /// The reasons, one line each; the first can be shown alone.
    let messages: [String]
    /// Further lines, printed as they are.
    let explanation: String?
    /// The next thing to try.
    let advice: String?

    init(_ code: ExitCode, _ messages: [String], explanation: String? = nil, advice: String? = nil) {
        self.code = code
        self.messages = messages
        self.explanation = explanation
        self.advice = advice
    }

    /// A fault of the command line.
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
    /// The failure of a feed.
    init(_ error: FeedSyncError, feed: String? = nil) {
        let place = feed.map { "\($0): " } ?? ""
        guard error.kind != .cancelled else {
            // After a stop by the user, the interrupted request is of no interest.
            self.init(ExitCode(error.kind), [place + "stopped; everything fetched so far is kept"])
            return
        }
        self.init(ExitCode(error.kind), [place + PeopleTimes.written(in: error.description)], advice: error.advice)
    }

    /// The diagnostics of a configuration, each with its position.
    init(_ error: ConfigurationError) {
        self.init(error, advice: nil)
    }

    /// The diagnostics of a configuration, with advice.
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
