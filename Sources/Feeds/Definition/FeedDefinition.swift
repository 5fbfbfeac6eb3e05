/// One feed: what to request, how to page, where the items are, what to keep of them.
///
/// Made from a configuration file, with a preset's members where the file has none of its own.
public struct FeedDefinition: Sendable {
    /// The feed's name.
    public package(set) var name: String
    /// The preset it starts from.
    package let presetName: String?
    /// Where the first page is.
    package internal(set) var url: Template
    /// The JSON body, which makes requests POSTs; nil for GETs.
    package internal(set) var body: BodyTemplate?
    /// Query parameters besides those in `url`, in order; a name may come several times.
    package internal(set) var query: [NamedTemplate]
    /// Header fields, in order.
    package internal(set) var headers: [NamedTemplate]
    /// How requests show who asks.
    package let authentication: Authentication?
    /// Other origins, as `https://host:port`, that may be followed to; they never get credentials.
    package let allowOrigins: [String]
    /// What the bodies are; nil where that is to be found.
    package let format: FeedFormat?
    /// Where the items are in the body; nil where that is to be found, or the body itself is the array or the only item.
    package let items: ItemsRule?
    /// The names of the columns that tell items apart; none where they are to be found.
    public let key: [String]
    /// What the items are grouped by.
    package let section: SectionRule?
    /// The model view that shows this feed.
    public package(set) var model: String?
    /// The table's columns with the key's among them; no two names are alike.
    package let columns: [ColumnDefinition]
    /// Whether columns for whatever the items have besides are to be found.
    package let hasOpenColumns: Bool
    /// How the next page is found.
    package let pagination: any Paginator
    /// How it is asked for in parts; nil for a feed that is asked for as a whole.
    package let partitioning: PartitionScheme?
    /// Responses that mean something else than HTTP says, in the order in which they are tried.
    package let responses: [ResponseRule]
    /// How `sync` works.
    package let sync: SyncRule
    /// How often a sync that usually reads less crawls every page; nil for never.
    package let fullCrawlEvery: Duration?
    /// When a sync looks for a proof that it missed nothing.
    package let verify: VerifyRule
    /// Whether each item's JSON is kept.
    package let keepsRaw: Bool
    /// How often `sync --due` asks; nil where the upstream or the default may say.
    public let every: Duration?
    /// How long a response may take.
    package let timeout: Duration
    /// How often a failed request is tried again.
    package let retries: Int
    /// The most pages of one crawl.
    package let maxPages: Int?
    /// How much memory a page may take.
    package let memory: PageMemory
    /// How requests reach the host.
    package let connection: ConnectionRule
    /// How an item says that it is gone; nil where none does.
    package let removed: RemovedRule?
    /// Parts of the item whose change does not count as one.
    package let ignore: [Path]
    /// What people want to see of an item; nil where that is to be found.
    package let show: ShowRule?
    /// What can be searched for words; nil for nothing.
    package let search: SearchRule?
    /// Whether the store keeps what changed in rows.
    package let keepsChanges: Bool
    /// Who is told what changes; nil for nobody.
    package internal(set) var hook: ChangeHook?
    /// The feed whose rows each have a list of it; nil for a feed that is one list.
    package var forEach: ForEachRule?
    /// Which part of its feed it is; nil for a whole feed.
    package var part: FeedPart?
    /// Where the feed stands in its file.
    public let position: SourcePosition

    /// The time a response may take if nothing is said.
    package static let standardTimeout = Duration.seconds(30)
    /// How often a request is tried again if nothing is said.
    package static let standardRetries = 5
    /// How often every page is crawled if nothing is said.
    package static let standardFullCrawl = Duration.seconds(86_400)
    /// The longest time that any member may give: ten years.
    static let longestTime = Duration.seconds(3650 * 86_400)
    /// The most columns of a feed.
    package static let mostColumns = 1_000
}
