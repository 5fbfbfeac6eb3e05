internal import SQLite

/// A titled group of a feed's items, in feed order.
public struct FeedSection: Sendable, Identifiable {
    /// The feed's name.
    public let feed: String
    /// The section's name; nil for items without one.
    public let name: String?
    /// Its place among the feed's sections, from 0.
    public let position: Int
    /// The number of its items at the upstream.
    public let itemCount: Int
    let store: Store

    /// The identity of a section in its mirror.
    public struct ID: Sendable, Hashable {
        /// The feed's name.
        public let feed: String
        /// The section's name; nil for items without one.
        public let name: String?
    }

    /// The section's identity: it stays the same while items come and go.
    public var id: ID { ID(feed: feed, name: name) }

    /// The section as a JSON object with the view's column names.
    package var json: String {
        var object = JSONObjectText()
        object.add("feed", feed)
        object.add("name", name)
        object.add("position", position)
        object.add("item_count", itemCount)
        return object.text
    }
}

extension FeedSection: Hashable {
    /// True if it is the same section, at the same position, with as many items.
    public static func == (one: FeedSection, other: FeedSection) -> Bool {
        one.id == other.id && one.position == other.position && one.itemCount == other.itemCount
    }

    /// Hashes its identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Store {
    /// The feed's sections in feed order; a feed that groups nothing has one, without a name.
    package func sections(of feed: String) throws(FeedSyncError) -> [FeedSection] {
        // The view `section` has the same rows, but may have been changed by other programs.
        let sql = """
            SELECT feed, name, row_number() OVER (ORDER BY generation DESC, position) - 1 AS position, item_count
            FROM _section WHERE feed = ? ORDER BY position
            """
        return try records(sql, [.text(feed)]) { row in
            FeedSection(
                feed: try row.textOrEmpty("feed"), name: try row.text("name"), position: try row.count("position"),
                itemCount: try row.count("item_count"), store: self)
        }
    }
}

extension FeedSection {
    /// The section's rows, in feed order, decoded into the caller's type.
    ///
    /// A property is the column of its name, or else the column whose name in camel case it is (`fullName` finds
    /// `full_name`). Integers are checked to fit, Booleans are 0 or 1, times are strings (ISO 8601, UTC), NULL and a
    /// missing column are nil in an optional. Arrays, dictionaries and structs are read from JSON text.
    ///
    ///     struct Repository: Decodable {
    ///         let fullName: String
    ///         let stars: Int
    ///         let topics: [String]
    ///     }
    ///     for try await sections in mirror.sections(of: "swift-repos") {
    ///         for section in sections {
    ///             let repositories = try await section.items(as: Repository.self, limit: 10)
    ///         }
    ///     }
    ///
    /// - Parameters:
    ///   - type: The type of the rows.
    ///   - limit: The maximum number of rows; nil for all.
    ///   - offset: The number of rows to skip, from 0.
    /// - Throws: `FeedSyncError` of kind `store`, or `undecodable`, which names the feed, the column and the row's key.
    /// - Isolation: decodes on a thread of the pool, neither on the caller's actor nor on the store's.
    @concurrent
    public func items<Item: Decodable & Sendable>(
        as type: Item.Type = Item.self, limit: Int? = nil, offset: Int = 0
    ) async throws(FeedSyncError) -> [Item] {
        let page = try await store.rows(of: feed, section: .some(name), offset: offset, limit: limit)
        return try await page.items(of: feed, as: type)
    }
}
