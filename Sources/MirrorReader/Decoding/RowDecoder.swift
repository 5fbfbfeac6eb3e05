/// Decodes the rows of a feed into the caller's type.
///
/// A property is the column of its name, or else the column whose name in camel case it is: `fullName` finds
/// `full_name`. Integers of every width, floating point, Booleans, strings, optionals and `RawRepresentable` types are
/// read from plain columns, everything else from a column of JSON text.
struct RowDecoder {
    private let feed: String
    private let layout: RowLayout
    private let key: [String]

    init(feed: String, page: RowPage) {
        self.feed = feed
        layout = RowLayout(page.columns)
        key = page.key
    }

    /// The row as an `Item`.
    ///
    /// - Throws: `FeedSyncError` of kind `undecodable`, which names the feed, the column and the row's key.
    func decode<Item: Decodable>(_ type: Item.Type, from row: StoredRow) throws(FeedSyncError) -> Item {
        do {
            return try Item(from: ValueDecoder(.row(RowMembers(layout: layout, row: row)), at: []))
        } catch let error as DecodingError {
            throw self.error(error.reason, at: error.path, in: row, as: type)
        } catch {
            throw self.error("\(error)", at: [], in: row, as: type)
        }
    }

    private func error(
        _ reason: String, at path: [any CodingKey], in row: StoredRow, as type: Any.Type
    ) -> FeedSyncError {
        let members = RowMembers(layout: layout, row: row)
        let values = key.map { name in
            "\(name) \(Excerpt.quoted(members.stored(name)?.description ?? "", limit: 40))"
        }
        var place = "the row with \(values.joined(separator: ", ")) of feed `\(feed)`"
        if let first = path.first {
            let rest = path.dropFirst().map { step in step.intValue.map { "[\($0)]" } ?? "." + step.stringValue }
            place = "column `\(layout.column(first.stringValue))\(rest.joined())` of \(place)"
        }
        return FeedSyncError(
            .undecodable, "\(place) cannot be decoded as \(type): \(reason)",
            advice: "make the property optional or of another type, or give the column a `type` in the definition")
    }
}

extension DecodingError {
    /// The place of the error; a missing key is part of the path.
    fileprivate var path: [any CodingKey] {
        switch self {
        case .keyNotFound(let key, let context): context.codingPath + [key]
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            context.codingPath
        @unknown default: []
        }
    }

    fileprivate var reason: String {
        switch self {
        case .keyNotFound(_, let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
            .dataCorrupted(let context):
            context.debugDescription
        @unknown default: "\(self)"
        }
    }
}

extension Store {
    /// The items of a feed, decoded into the caller's type.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration` for a column that the feed does not have, `store`, or
    ///   `undecodable`.
    package nonisolated func items<Item: Decodable & Sendable>(
        of feed: String, as type: Item.Type, section: String??, where filters: [ColumnFilter],
        sortedBy order: [ItemOrder], offset: Int, limit: Int?
    ) async throws(FeedSyncError) -> [Item] {
        let known = try await columns(of: feed).map(\.name)
        guard !known.isEmpty else { return [] }
        if let unknown = (filters.map(\.column) + order.map(\.column)).first(where: { !known.contains($0) }) {
            throw FeedSyncError(
                .configuration, "feed `\(feed)` has no column `\(unknown)`",
                advice: "name one of: \(known.joined(separator: ", "))")
        }
        var query = ItemQuery(feed: feed, limit: limit)
        (query.section, query.filters, query.order, query.offset) = (section, filters, order, max(offset, 0))
        return try await rows(query).items(of: feed, as: type)
    }
}

extension RowPage {
    /// The rows of `feed`, decoded into the caller's type; see `FeedSection.items`.
    ///
    /// - Throws: `FeedSyncError` of kind `undecodable`, which names the feed, the column and the row's key.
    /// - Isolation: decodes on a thread of the pool.
    @concurrent
    package func items<Item: Decodable & Sendable>(
        of feed: String, as type: Item.Type
    ) async throws(FeedSyncError) -> [Item] {
        let decoder = RowDecoder(feed: feed, page: self)
        var items: [Item] = []
        items.reserveCapacity(rows.count)
        for row in rows { items.append(try decoder.decode(type, from: row)) }
        return items
    }
}
