internal import HTTPServer
internal import JSON

/// The repositories, rendered once, in each order that a request may ask for.
struct Catalogue: Sendable {
    private let items: [RenderedItem]
    private let byStars: [Int]
    private let byUpdate: [Int]
    private let byMatch: [Int]

    init(count: Int) {
        var generator = RepositoryGenerator()
        let repositories = generator.repositories(count)
        var random = SplitMix64(seed: 0x5047)
        items = repositories.map { RenderedItem($0) }
        byMatch = random.shuffled(Array(repositories.indices))
        // The number decides between equal ones, so that the order is total.
        byStars = repositories.indices.sorted { (repositories[$0].stars, $1) > (repositories[$1].stars, $0) }
        byUpdate = repositories.indices.sorted { (repositories[$0].updatedAt, $1) > (repositories[$1].updatedAt, $0) }
    }

    var count: Int { items.count }

    /// A page of search results; `sort` is `stars`, `updated` or else the best match, `order` is `desc` or `asc`.
    func search(_ page: RequestedPage, _ request: ServerRequest, at url: String) -> JSONFields {
        let descending =
            switch request.parameter("sort") {
            case "stars": byStars
            case "updated": byUpdate
            default: byMatch
            }
        let order = request.parameter("order") == "asc" ? descending.reversed() : descending
        let found = page.slice(of: order).map { items[$0].json(at: url) }
        return ["total_count": count, "incomplete_results": false, "items": found]
    }
}
