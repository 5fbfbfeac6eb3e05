/// A change of one item.
public struct ItemChange: Sendable {
    /// The way in which an item changed.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The item was stored for the first time.
        case new
        /// Columns of the item have other values.
        case changed
        /// The upstream has the item no more.
        case removed
        /// The upstream has the item again.
        case returned
    }

    /// The time, in UTC, ISO 8601 with milliseconds.
    public let at: String
    /// The feed's name.
    public let feed: String
    /// The run that brought it.
    public let run: Int
    /// The way in which the item changed.
    public let kind: Kind
    /// The item's key as JSON: a value, or an array of several.
    public let key: String
    /// The changed columns with their earlier values, in order, each as JSON; none for a new item.
    public let before: [(name: String, json: String)]
    /// The same columns with their values after the change. All of the model's for an item that is new or came back;
    /// none for a removed item. Later changes of the item do not matter, as far as the store keeps them.
    public let after: [(name: String, json: String)]
    /// The item's title, as JSON: the one after the change if `after` has its column, otherwise the present one; nil if
    /// the feed has no known column for it.
    public let title: String?
    /// The item's web page, as JSON; nil if the feed has no known column for it.
    public let link: String?
    /// All columns of the item as it is stored now, each as JSON; empty for an item that is not.
    public let item: [String: String]

    /// The columns of the view `change`, with the title and `after`.
    package var fields: JSONFields {
        [
            "at": at,
            "feed": feed,
            "run": run,
            "kind": kind.rawValue,
            "key": JSONDocument(key),
            "title": title.map(JSONDocument.init),
            "before": JSONDocument(Self.object(before)),
            "after": JSONDocument(Self.object(after)),
        ]
    }

    private static func object(_ members: [(name: String, json: String)]) -> String {
        guard !members.isEmpty else { return "null" }
        var object = JSONObjectText()
        for member in members { object.add(member.name, json: member.json) }
        return object.text
    }
}

/// The place up to which changes are known. Both numbers grow in the order of the commits.
public struct ChangePlace: Sendable, Hashable, Codable {
    /// The last event, whose page may have brought new items.
    public var event: Int64 = 0
    /// The last logged change of a stored row.
    public var change: Int64 = 0

    /// The place before all changes.
    public init() {}

    /// A place after all changes.
    static let end = {
        var place = ChangePlace()
        (place.event, place.change) = (.max, .max)
        return place
    }()

    /// True if something lies between the other place and this one.
    package func isBeyond(_ other: ChangePlace) -> Bool { event > other.event || change > other.change }
}

extension ItemChange: JSONRecord {}

/// The changes of a feed to read.
package struct ChangeQuery: Sendable {
    package let feed: String
    /// The place before the first change.
    package var after = ChangePlace()
    /// The place of the last change; nil for all.
    package var until: ChangePlace?
    /// The earliest time, as the store writes times.
    package var since: String?
    /// The earliest run.
    package var run: Int?
    /// The column of items' titles, or its path; nil to choose it by the names.
    package var title: String?
    /// The column of items' web pages, or its path; nil to choose it by the names.
    package var link: String?
    /// The key of the only item, as text: of several columns as a JSON array; nil for all items.
    package var key: String?

    package init(feed: String) {
        self.feed = feed
    }
}
