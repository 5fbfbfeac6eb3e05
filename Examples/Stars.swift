import FeedSync

/// The repositories in a language, those with the most stars first.
func stars(in language: String) throws(ConfigurationError) -> FeedDefinition {
    try FeedDefinition("stars", ["preset": "github.search", "query": ["q": "language:\(language)"]])
}
