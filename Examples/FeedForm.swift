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
        var fields = texts.map { Field(text: $0) }
        // A field that is not asked for yet is right.
        var right = ["", "https://example.org", ""]
        for index in fields.indices {
            fields[index].isOpen = true
            if texts[index].isEmpty { break }
            right[index] = texts[index]
            do throws(ConfigurationError) {
                let feed = try FeedDefinition(
                    right[0], ["preset": "github.search", "url": "\(right[1])", "query": ["q": "\(right[2])"]])
                if index == 2 { definition = feed }
            } catch {
                fields[index].problem = error.diagnostics.first?.problem
                break
            }
        }
        shown.yield(fields)
    }
}
