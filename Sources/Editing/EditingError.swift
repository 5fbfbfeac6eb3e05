package import FeedSync

/// A feed that cannot be added or changed, with the reason.
package struct EditingError: Error, Sendable, Hashable {
    /// The place of the reason.
    package enum Place: Sendable, Hashable {
        /// In the user's words for the feed.
        case words
        /// In the configuration, as it was before.
        case configuration
        /// The page: it is not a feed.
        case page
        /// In the engine, the upstream or the file.
        case feed(FeedSyncError.Kind)
    }

    package let place: Place
    /// The reasons, one line each; the first can be shown alone.
    package let messages: [String]
    /// Further lines, to be shown as they are.
    package var explanation: String?
    /// The next thing to try.
    package let advice: String?

    init(_ place: Place, _ messages: [String], explanation: String? = nil, advice: String? = nil) {
        (self.place, self.messages) = (place, messages)
        (self.explanation, self.advice) = (explanation, advice)
    }

    package static func words(_ message: String, advice: String? = nil) -> EditingError {
        EditingError(.words, [message], advice: advice)
    }

    /// The faults of a configuration, apart from the feed.
    init(_ error: ConfigurationError) {
        self.init(.configuration, error.diagnostics.map(\.description))
    }

    /// Faults in the words of a user, whose positions would be in a text that was never written.
    init(inWords error: ConfigurationError, advice: String? = nil) {
        self.init(
            .words,
            error.diagnostics.map { diagnostic in
                diagnostic.problem + (diagnostic.suggestion.map { "; did you mean `\($0)`?" } ?? "")
            }, advice: advice)
    }

    package init(_ error: FeedSyncError) {
        self.init(.feed(error.kind), [error.description], advice: error.advice)
    }
}

/// The value of an expression whose diagnostics become an error of the configuration.
func configuring<Value>(_ value: @autoclosure () throws(ConfigurationError) -> Value) throws(EditingError) -> Value {
    do throws(ConfigurationError) { return try value() } catch { throw EditingError(error) }
}

/// The value of an expression that uses the store or a row of it. Its error becomes the feed's.
func storing<Value>(
    _ value: @autoclosure () async throws(FeedSyncError) -> Value
) async throws(EditingError) -> Value {
    do throws(FeedSyncError) { return try await value() } catch { throw EditingError(error) }
}

extension ConfigurationFile {
    /// The present text.
    func presentText() throws(EditingError) -> [UInt8] {
        do throws(FeedSyncError) { return try text() } catch { throw EditingError(error) }
    }

    /// An editor of a text of the file.
    func editor(of text: [UInt8]) throws(EditingError) -> ConfigurationEditor {
        try configuring(try ConfigurationEditor(text, file: path))
    }

    /// The configuration that a text of the file makes.
    package func configuration(
        of text: [UInt8], environment: [String: String]
    ) throws(ConfigurationError) -> Configuration {
        try Configuration.parse(text, file: path, environment: environment, allowsCommands: mayRunCommands)
    }
}
