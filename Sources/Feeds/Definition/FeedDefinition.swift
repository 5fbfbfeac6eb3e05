/// One feed: its request, its pagination, the place of its items, and the columns to keep.
///
/// It is made from a configuration file, with a preset's members for those that the file lacks.
public struct FeedDefinition: Sendable {
    /// The feed's name.
    public package(set) var name: String
    /// The preset it starts from.
    package let presetName: String?
    /// The URL of the first page.
    package internal(set) var url: Template
    /// The JSON body, which makes requests POSTs; nil for GETs.
    package internal(set) var body: BodyTemplate?
    /// Query parameters besides those in `url`, in order; a name may come several times.
    package internal(set) var query: [NamedTemplate]
    /// Header fields, in order.
    package internal(set) var headers: [NamedTemplate]
    /// The authentication of the requests.
    package let authentication: Authentication?
    /// Other origins, as `https://host:port`, that may be followed to; they never get credentials.
    package let allowOrigins: [String]
    /// The format of the bodies; nil to discover it.
    package let format: FeedFormat?
    /// The place of the items in the body; nil to discover it, or if the body itself is the array or the only item.
    package let items: ItemsRule?
    /// The names of the columns that identify items; empty to discover them.
    public let key: [String]
    /// The rule that groups items into sections.
    package let section: SectionRule?
    /// The model view that shows this feed.
    public package(set) var model: String?
    /// The table's columns with the key's among them; no two names are alike.
    package let columns: [ColumnDefinition]
    /// True if columns for all other members of the items are discovered.
    package let hasOpenColumns: Bool
    /// The rule that finds the next page.
    package let pagination: any Paginator
    /// The partitions in which it is requested; nil for a feed without partitions.
    package let partitioning: PartitionScheme?
    /// Responses that mean something else than HTTP says, in the order in which they are tried.
    package let responses: [ResponseRule]
    /// The mode of `sync`.
    package let sync: SyncRule
    /// The interval of complete crawls for a sync that usually reads less; nil for never.
    package let fullCrawlEvery: Duration?
    /// The rule for proving that a sync missed nothing.
    package let verify: VerifyRule
    /// True if each item's JSON is kept.
    package let keepsRaw: Bool
    /// The rule for stored values whose members an item lacks; nil where items come whole, and such values go.
    package let missing: MissingMember?
    /// The interval of `sync --due`; nil to use the upstream's or the default.
    public let every: Duration?
    /// The time limit of a response.
    package let timeout: Duration
    /// The number of further tries for a failed request.
    package let retries: Int
    /// The most pages of one crawl.
    package let maxPages: Int?
    /// The memory that a page may use.
    package let memory: PageMemory
    /// The connections to the host.
    package let connection: ConnectionRule
    /// The mark of a removed item; nil without one.
    package let removed: RemovedRule?
    /// Members of the item whose changes are ignored.
    package let ignore: [Path]
    /// The columns to show of an item; nil to choose them automatically.
    package let show: ShowRule?
    /// The rule for searching; nil if the feed cannot be searched.
    package let search: SearchRule?
    /// True if the store keeps the changes of rows.
    package let keepsChanges: Bool
    /// The change hook, if any.
    package internal(set) var hook: ChangeHook?
    /// The parent, whose rows each have a list of this feed; nil for a feed that is one list.
    package var forEach: ForEachRule?
    /// The list of the feed that this definition requests; nil for a whole feed.
    package var part: FeedPart?
    /// The feed's position in its file.
    public let position: SourcePosition

    /// The time a response may take if nothing is said.
    package static let standardTimeout = Duration.seconds(30)
    /// The default number of further tries.
    package static let standardRetries = 5
    /// The default interval of complete crawls.
    package static let standardFullCrawl = Duration.seconds(86_400)
    /// The longest time that any member may give: ten years.
    static let longestTime = Duration.seconds(3650 * 86_400)
    /// The most columns of a feed.
    package static let mostColumns = 1_000
}
