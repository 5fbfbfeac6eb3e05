internal import FeedSync
internal import HTTPServer
internal import Reports

/// The changes that a request wants.
struct ChangeSelection: Sendable {
    /// The name of the feed; nil for all feeds.
    let feed: String?
    let kinds: Set<ItemChange.Kind>
    /// The parameters that chose the kinds.
    let kindWords: [(name: String, value: String)]
    private let before: ChangeMoment?

    init(_ feed: String?, _ request: ServerRequest) {
        self.feed = feed
        let words = request.query.filter { $0.name == "kind" && ItemChange.Kind(rawValue: $0.value) != nil }
        let chosen = Set(words.compactMap { ItemChange.Kind(rawValue: $0.value) })
        kinds = chosen.isEmpty ? [.new, .changed, .removed, .returned] : chosen
        kindWords = words.prefix(4).map { (name: $0.name, value: $0.value) }
        before = request.parameter("before").flatMap(ChangeMoment.init(text:))
    }

    /// The changes, and the shapes of the rows of their feeds.
    func recent(
        in served: Served, limit: Int
    ) async throws(FeedSyncError) -> (recent: RecentChanges, shapes: [String: RowShape]) {
        guard let store = served.search else { return (RecentChanges(), [:]) }
        let feeds =
            if let feed { [try await served.feed(named: feed)].compactMap(\.self) } else { try await served.feeds() }
        var queries: [ChangeQuery] = []
        var shapes: [String: RowShape] = [:]
        for feed in feeds where feed.record != nil {
            let shape = try await served.shape(of: feed, in: store)
            var query = ChangeQuery(feed: feed.name)
            query.title = shape.rule.title
            queries.append(query)
            shapes[feed.name] = shape
        }
        return (try await store.recentChanges(queries, kinds: kinds, before: before, limit: limit), shapes)
    }
}

extension ChangeMoment {
    /// The place in the form that requests use.
    var text: String { "\(at)~\(count)" }

    /// The form of it, for the API's description too.
    static let pattern = #"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z~[0-9]{1,7}$"#

    init?(text: String) {
        let bytes = Array(text.utf8)
        // A text that is no day may sort between two days.
        guard (26...32).contains(bytes.count),
            zip("0000-00-00T00:00:00.000Z~".utf8, bytes).allSatisfy({ form, byte in
                form == UInt8(ascii: "0") ? byte.isASCIIDigit : form == byte
            }),
            let count = Int(text.suffix(bytes.count - 25)), bytes[25...].allSatisfy(\.isASCIIDigit)
        else { return nil }
        self.init(at: String(text.prefix(24)), count: count)
    }
}
