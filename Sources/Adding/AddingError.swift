package import FeedSync

/// Why a feed cannot be added.
package struct AddingError: Error, Sendable, Hashable {
    /// Where the reason is.
    package enum Place: Sendable, Hashable {
        /// In what was said of the feed.
        case words
        /// In the configuration, as it was before.
        case configuration
        /// The page: it is not a feed.
        case page
        /// In the engine, the upstream or the file.
        case feed(FeedSyncError.Kind)
    }

    package let place: Place
    /// What went wrong, one line each; the first can be shown without the others.
    package let messages: [String]
    /// Further lines, to be shown as they are.
    package var explanation: String?
    /// What to try next.
    package let advice: String?

    init(_ place: Place, _ messages: [String], explanation: String? = nil, advice: String? = nil) {
        (self.place, self.messages) = (place, messages)
        (self.explanation, self.advice) = (explanation, advice)
    }

    static func words(_ message: String, advice: String? = nil) -> AddingError {
        AddingError(.words, [message], advice: advice)
    }

    /// What the configuration has against it, without the feed.
    init(_ error: ConfigurationError) {
        self.init(.configuration, error.diagnostics.map(\.description))
    }

    init(_ error: FeedSyncError) {
        self.init(.feed(error.kind), [error.description], advice: error.advice)
    }
}
