import FeedSync

// The samples of Docs/library.md, which a test compares with it.

func releases(of owner: String, _ name: String) throws -> FeedDefinition {
    let releases = try FeedDefinition(
        "releases",
        ["preset": "github.releases", "url": "https://api.github.com/repos/\(owner)/\(name)/releases"])
    return releases
}

func issues(_ labels: String) throws -> FeedDefinition {
    let form: [String: String] = ["state": "open", "labels": labels]
    let issues = try FeedDefinition(
        "issues",
        ["preset": "github.issues", "url": "https://api.github.com/repos/swiftlang/swift/issues", "query": .init(form)])
    return issues
}

func popular(in feed: SyncEngine) async throws -> [Repository] {
    let popular = try await feed.storedItems(
        as: Repository.self, where: [ColumnFilter("stars", .above, "100")],
        sortedBy: [ItemOrder(column: "stars", isDescending: true)], limit: 20)
    return popular
}

func search(in mirror: FeedMirror) async {
    let search = TypedSearch(in: mirror, as: Repository.self, limit: 20) { text throws(ConfigurationError) in
        try FeedDefinition("search", ["preset": "github.search", "query": ["q": "\(text)"]])
    }
    search.send("swift")
    for await results in search.results {
        print(results.text, results.items.count, results.error?.message ?? "")
    }
}

func filter(in mirror: FeedMirror) async {
    let search = StoredSearch(in: mirror, feeds: ["articles"])
    search.send("swi")
    for await results in search.results {
        for hit in results.hits { print(hit.title.text, hit.excerpt.pieces.filter(\.isMatch)) }
    }
}
