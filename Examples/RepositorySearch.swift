import FeedSync

/// A search that follows what is typed.
final class RepositorySearch: Sendable {
    /// What the view shows for a text.
    struct Answer: Sendable, Equatable {
        let title: String
        let rows: [Repository]
    }

    private let search: TypedSearch<Repository>

    init(at url: String, in mirror: FeedMirror) {
        search = TypedSearch(in: mirror, limit: 20) { text throws(ConfigurationError) in
            try FeedDefinition("search", ["preset": "github.search", "url": "\(url)", "query": ["q": "\(text)"]])
        }
    }

    func typed(_ text: String) { search.send(text) }

    var answers: some AsyncSequence<Answer, Never> & Sendable {
        search.results.map { results in
            if let error = results.error { return Answer(title: error.message, rows: []) }
            let title = results.items.isEmpty ? "Nothing for “\(results.text)”" : "“\(results.text)”"
            return Answer(title: title, rows: results.items)
        }
    }
}
