import FeedSync

/// A form whose next field opens when the last is right. When all are, they make a feed.
@MainActor
final class FeedForm {
    struct Field: Sendable, Equatable {
        var text = ""
        var isOpen = false
        var problem: String?
    }

    /// The fields, now and after each change: name, address, and the query that is sent as `q`.
    nonisolated let fields: AsyncStream<[Field]>
    /// The feed; nil as long as a field is not right.
    private(set) var definition: FeedDefinition?

    private let shown: AsyncStream<[Field]>.Continuation
    private var texts = ["", "", ""]

    init() {
        (fields, shown) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        check()
    }

    func typed(_ text: String, into index: Int) {
        texts[index] = text
        check()
    }

    private func check() {
        definition = nil
        var isOpen = true
        shown.yield(
            texts.enumerated().map { index, text in
                var field = Field(text: text, isOpen: isOpen)
                guard isOpen, !text.isEmpty else { isOpen = false; return field }
                do throws(ConfigurationError) {
                    let made = try feed(upTo: index)
                    if index == texts.count - 1 { definition = made }
                } catch {
                    field.problem = error.diagnostics.first?.problem
                    isOpen = false
                }
                return field
            })
    }

    /// The feed of the fields up to one; what is not asked for yet is right.
    private func feed(upTo index: Int) throws(ConfigurationError) -> FeedDefinition {
        let url = index > 0 ? texts[1] : "https://example.org"
        return try FeedDefinition(
            texts[0], ["preset": "github.search", "url": "\(url)", "query": ["q": "\(texts[2])"]])
    }
}
