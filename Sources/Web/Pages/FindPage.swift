internal import Concurrency
internal import FeedSync
internal import HTTPServer
internal import Reports
internal import Text

/// The page with the items of all feeds that have all words of a text.
struct FindPage: Page {
    private let visit: Visit
    /// The text as typed, and its words.
    private let typed: String
    private let text: SearchText
    private var found: [Found] = []
    /// The feeds that were not searched to the end.
    private var left: [KnownFeed] = []

    /// The most items of a feed that are shown; a link leads to all of them.
    private static let hitsOfFeed = 5

    /// The items found in a feed.
    private struct Found: Sendable {
        let feed: KnownFeed
        let rows: ItemRows
        let items: FoundItems
        let count: Int
    }

    init(_ visit: Visit) async throws(FeedSyncError) {
        self.visit = visit
        typed = String((visit.request.parameter("q") ?? "").prefix(200))
        text = SearchText(typed)
        let most = visit.site.settings.work.page
        // A feed without an index is read through: one that takes long does not keep the others from being searched.
        let began = ContinuousClock.now
        for feed in try await visit.served.feeds() where !text.isEmpty && feed.record?.itemCount ?? 0 > 0 {
            let limit = WorkLimit(most / 4)
            guard began.duration(to: .now) < most else {
                left.append(feed)
                continue
            }
            switch await Self.find(text, in: feed, visit.served, limit) {
            case .success(let one): if let one, one.count > 0 { found.append(one) }
            case .failure(let error):
                guard limit.isExceeded else { throw error }
                left.append(feed)
            }
        }
    }

    private static func find(
        _ text: SearchText, in feed: KnownFeed, _ served: Served, _ limit: WorkLimit
    ) async -> Result<Found?, FeedSyncError> {
        await WorkLimit.$current.withValue(limit) {
            await Result { () async throws(FeedSyncError) in try await find(text, in: feed, served) }
        }
    }

    private static func find(
        _ text: SearchText, in feed: KnownFeed, _ served: Served
    ) async throws(FeedSyncError) -> Found? {
        guard let store = served.search else { return nil }
        let shape = try await served.shape(of: feed, in: store)
        var query = ItemQuery(feed: feed.name, limit: Self.hitsOfFeed)
        query.textLimit = RowShape.textLimit
        query.columns = shape.columns
        let (items, count) = try await FeedSearch(text, in: feed, served).found(like: query, isRanked: true)
        let rows = ItemRows(
            feed: feed.name, shape: shape, listing: items.listing, sections: [],
            parents: try await ItemParents(of: items.items.map(\.item), of: feed, in: store, served))
        return Found(feed: feed, rows: rows, items: items, count: count)
    }

    var response: ServerResponse {
        visit.frame.page("find", title: typed.isEmpty ? "Search" : "\(typed) in all feeds", searched: typed) { html in
            html.element("h1", text: "Search")
            if text.isEmpty {
                return html.element(
                    "p", .class("hint"), text: "Type words above: items that have all of them are found.")
            }
            let count = found.reduce(0) { $0 + $1.count }
            html.element(
                "p", .class("meta"),
                text: count == 0
                    ? "No item of any feed has these words."
                    : "\(NumberFormat.count(count, "item")) in \(NumberFormat.count(found.count, "feed"))")
            for one in found {
                html.element("section", .class("part")) { html in
                    let link = Link.own("list", one.feed.name, query: [("q", typed)])
                    html.element("h2") { html in
                        html.element("a", .href(link), text: one.feed.name)
                        html.text(" ")
                        html.element("span", .class("count"), text: NumberFormat.count(one.count))
                    }
                    one.rows.write(one.items, text, to: &html)
                    if one.count > one.items.items.count {
                        html.element("p") { html in
                            html.element(
                                "a", .href(link), text: "All \(NumberFormat.count(one.count)) in \(one.feed.name)")
                        }
                    }
                }
            }
            guard !left.isEmpty else { return }
            html.element("section", .class("part")) { html in
                html.element("h2", text: "Not searched, because it takes long")
                html.element("ul") { html in
                    for feed in left {
                        html.element("li") {
                            $0.element("a", .href(.own("list", feed.name, query: [("q", typed)])), text: feed.name)
                        }
                    }
                }
            }
        }
    }
}
