internal import Editing
internal import FeedSync

extension ConfigurationFile {
    /// - Throws: `Failure` with exit code 78 for a text that cannot be used.
    func configuration(in text: [UInt8], _ environment: [String: String]) throws(Failure) -> Configuration {
        try configuring { () throws(ConfigurationError) in
            try configuration(of: text, environment: environment)
        }
    }

    /// The text with more feeds.
    ///
    /// - Throws: `Failure` with exit code 78 for a text to which nothing can be added.
    func adding(_ entries: [FeedEntry], to text: [UInt8]) throws(Failure) -> [UInt8] {
        var text = text
        do throws(ConfigurationError) {
            for entry in entries { text = try ConfigurationEditor(text, file: path).adding(entry) }
        } catch {
            throw Failure(
                .configuration, error.diagnostics.map(\.description),
                advice: "run it again with --dry-run, and add the lines it prints to \(path) yourself")
        }
        return text
    }
}

extension Failure {
    /// The failure for a feed that cannot be added or changed.
    init(_ error: EditingError) {
        let code: ExitCode =
            switch error.place {
            case .words: .usage
            case .configuration: .configuration
            case .page: .data
            case .feed(let kind): ExitCode(kind)
            }
        self.init(code, error.messages, explanation: error.explanation, advice: error.advice)
    }
}

/// Runs `body`, and turns why a feed cannot be added or changed into a failure.
func editing<Result>(_ body: () throws(EditingError) -> Result) throws(Failure) -> Result {
    do throws(EditingError) { return try body() } catch { throw Failure(error) }
}
