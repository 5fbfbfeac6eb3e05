/// One feed: what to request, how to page, where the items are, what to keep of them.
///
/// Made from a configuration file, with a preset's members where the file has none of its own.
public struct FeedDefinition: Sendable {
    /// The feed's name.
    public package(set) var name: String
    /// The preset it starts from.
    public let presetName: String?
    /// Where the first page is.
    public let url: Template
    /// The JSON body, which makes requests POSTs; nil for GETs.
    public let body: BodyTemplate?
    /// Query parameters besides those in `url`, in order; a name may come several times.
    public let query: [NamedTemplate]
    /// Header fields, in order.
    public let headers: [NamedTemplate]
    /// How requests show who asks.
    public let authentication: Authentication?
    /// Other origins, as `https://host:port`, that may be followed to; they never get credentials.
    public let allowOrigins: [String]
    /// Where the items are in the body; nil where that is to be found, or the body itself is the array or the only item.
    public let items: ItemsRule?
    /// The names of the columns that tell items apart; none where they are to be found.
    public let key: [String]
    /// What the items are grouped by.
    public let section: SectionRule?
    /// The model view that shows this feed.
    public package(set) var model: String?
    /// The table's columns with the key's among them; no two names are alike.
    public let columns: [ColumnDefinition]
    /// Whether columns for whatever the items have besides are to be found.
    public let hasOpenColumns: Bool
    /// How the next page is found.
    public let pagination: any Paginator
    /// How it is asked for in parts; nil for a feed that is asked for as a whole.
    public let partitioning: PartitionScheme?
    /// Responses that mean something else than HTTP says, in the order in which they are tried.
    public let responses: [ResponseRule]
    /// How `sync` works.
    public let sync: SyncRule
    /// How often a sync that usually reads less crawls every page; nil for never.
    public let fullCrawlEvery: Duration?
    /// When a sync looks for a proof that it missed nothing.
    package let verify: VerifyRule
    /// Whether each item's JSON is kept.
    public let keepsRaw: Bool
    /// How often `sync --due` asks; nil where the upstream or the default may say.
    public let every: Duration?
    /// How long a response may take.
    public let timeout: Duration
    /// How often a failed request is tried again.
    public let retries: Int
    /// The most pages of one crawl.
    public let maxPages: Int?
    /// How an item says that it is gone; nil where none does.
    public let removed: RemovedRule?
    /// Parts of the item whose change does not count as one.
    public let ignore: [Path]
    /// Where the feed stands in its file.
    public let position: SourcePosition

    /// The time a response may take if nothing is said.
    public static let standardTimeout = Duration.seconds(30)
    /// How often a request is tried again if nothing is said.
    public static let standardRetries = 5
    /// How often every page is crawled if nothing is said.
    public static let standardFullCrawl = Duration.seconds(86_400)
    /// The longest time that any member may give: ten years.
    static let longestTime = Duration.seconds(3650 * 86_400)
    /// The most columns of a feed.
    package static let mostColumns = 1_000
}

/// What feeds have where neither they nor their preset say something else.
struct FeedDefaults: Sendable {
    var timeout: Duration?
    var retries: Int?
    var every: Duration?
    var maxPages: Int?
    var keepsRaw: Bool?
}

extension MappingDecoder {
    /// The members that feeds and `defaults` have in common.
    func feedDefaults() -> FeedDefaults {
        FeedDefaults(
            timeout: duration("timeout", in: .milliseconds(1)...Duration.seconds(86_400)),
            retries: integer("retries", in: 0...100),
            every: duration("every", in: .seconds(1)...FeedDefinition.longestTime),
            maxPages: integer("max_pages", in: 1...Int.max),
            keepsRaw: boolean("raw"))
    }
}
