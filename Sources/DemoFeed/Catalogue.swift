internal import HTTPServer
internal import JSON

/// The repositories, rendered once, in each order that a request may ask for.
struct Catalogue: Sendable {
    private let items: [RenderedItem]
    /// The texts of the items in which words are found.
    private let texts: [String]
    private let byStars: [Int]
    private let byUpdate: [Int]
    private let byMatch: [Int]

    init(count: Int) {
        var generator = RepositoryGenerator()
        let repositories = generator.repositories(count)
        var random = SplitMix64(seed: 0x5047)
        items = repositories.map { RenderedItem($0) }
        texts = repositories.map { one in
            ([one.name, one.description ?? ""] + one.topics).joined(separator: "\n").lowercased()
        }
        byMatch = random.shuffled(Array(repositories.indices))
        // The number decides between equal ones, so that the order is total.
        byStars = repositories.indices.sorted { (repositories[$0].stars, $1) > (repositories[$1].stars, $0) }
        byUpdate = repositories.indices.sorted { (repositories[$0].updatedAt, $1) > (repositories[$1].updatedAt, $0) }
    }

    var count: Int { items.count }

    /// The repositories that have all words of `q`, in the order of the request.
    ///
    /// `sort` is `stars`, `updated` or else the best match, `order` is `desc` or `asc`. Every repository has the
    /// qualifiers of a search, such as `language:swift`.
    ///
    /// Source: https://docs.github.com/en/search-github/searching-on-github/searching-for-repositories
    func search(_ request: ServerRequest) -> [Int] {
        let descending =
            switch request.parameter("sort") {
            case "stars": byStars
            case "updated": byUpdate
            default: byMatch
            }
        let order = request.parameter("order") == "asc" ? descending.reversed() : descending
        let words = (request.parameter("q") ?? "").lowercased().split(whereSeparator: \.isWhitespace)
            .filter { !$0.contains(":") }
        return words.isEmpty ? order : order.filter { index in words.allSatisfy { texts[index].contains($0) } }
    }

    /// A page of search results.
    func page(_ page: RequestedPage, of found: [Int], at url: String) -> JSONFields {
        let shown = page.slice(of: found).map { items[$0].json(at: url) }
        return ["total_count": found.count, "incomplete_results": false, "items": shown]
    }
}
