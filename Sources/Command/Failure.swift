internal import Editing
internal import FeedSync
internal import Text

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
        .usage("no such \(what): \(word)\(NearestWord.question(for: word, among: words))", advice: advice)
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
        let isOfWords = error.kind == .configuration && error.advice == FeedSyncError.adviceOnLists
        self.init(
            isOfWords ? .usage : ExitCode(error.kind), [place + PeopleTimes.written(in: error.description)],
            advice: error.advice.map { PeopleTimes.written(in: $0) })
    }

    /// The diagnostics of a configuration, each with its position.
    init(_ error: ConfigurationError, advice: String? = nil) {
        self.init(.configuration, error.diagnostics.map(\.description), advice: advice)
    }

    /// The failure for a feed that cannot be added or changed.
    init(_ error: EditingError) {
        let code: ExitCode =
            switch error.place {
            case .words: .usage
            case .configuration: .configuration
            case .page: .data
            case .feed(let kind): ExitCode(kind)
            }
        self.init(
            code, error.messages.map { PeopleTimes.written(in: $0) }, explanation: error.explanation,
            advice: error.advice.map { PeopleTimes.written(in: $0) })
    }

    /// A file that cannot be made because its folder is missing; nil if that is there.
    static func missingFolder(of path: String, _ code: ExitCode = .store) -> Failure? {
        guard let folder = MissingPath(path)?.missingFolder else { return nil }
        return Failure(
            code, ["\(path) cannot be written: the folder \(folder) does not exist"],
            advice: "mkdir -p \(ShellWord.quoted(folder))")
    }

    /// The failure of a command that needs a store.
    ///
    /// - Parameter options: The options that name it, for the command that creates it.
    static func noStore(at path: String?, _ options: String) -> Failure {
        let missing = path.flatMap(MissingPath.init)
        if let folder = missing?.missingFolder {
            return Failure(
                .store, ["no store at \(path ?? ""): the folder \(folder) does not exist"],
                advice: "check the path: feedsync path shows which store is used otherwise")
        }
        if let nearest = missing?.nearest {
            return Failure(.store, ["no store at \(path ?? ""); did you mean \(nearest)?"])
        }
        return Failure(.store, ["no store at \(path ?? "") yet"], advice: "feedsync sync\(options)  # creates it")
    }
}

extension ConfigurationFile {
    /// - Throws: `Failure` with exit code 78 for a text that cannot be used.
    func configuration(in text: [UInt8], _ environment: [String: String]) throws(Failure) -> Configuration {
        try configuring(try configuration(of: text, environment: environment))
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
                error, advice: "run it again with --dry-run, and add the lines it prints to \(path) yourself")
        }
        return text
    }

    /// The text; empty if there is no file.
    ///
    /// - Throws: `Failure` with exit code 73.
    func contents() throws(Failure) -> [UInt8] {
        do throws(FeedSyncError) { return try text() } catch { throw Failure(error) }
    }

    /// Changes the text, as `edit(isPrivate:failing:_:)`.
    ///
    /// - Throws: The error of `change`, or `Failure` with exit code 73; the file is then unchanged.
    @discardableResult
    func edit(_ change: ([UInt8]) throws(Failure) -> [UInt8]) throws(Failure) -> Bool {
        try edit(failing: { Failure($0) }, change)
    }
}

/// The value of an expression whose diagnostics become a failure.
func configuring<Value>(_ value: @autoclosure () throws(ConfigurationError) -> Value) throws(Failure) -> Value {
    do throws(ConfigurationError) { return try value() } catch { throw Failure(error) }
}

/// The value of an expression; the reason why a feed cannot be added or changed becomes a failure.
func editing<Value>(_ value: @autoclosure () throws(EditingError) -> Value) throws(Failure) -> Value {
    do throws(EditingError) { return try value() } catch { throw Failure(error) }
}
