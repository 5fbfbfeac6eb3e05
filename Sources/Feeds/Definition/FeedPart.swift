/// The list of one row of a parent, as a part of the feed that has the lists of all its rows.
///
/// It is mirrored as a feed of its own: it has its own crawl, page cursor, validators, watermark and due time. Its rows
/// are in the feed's table, with the parent's key in front.
package struct FeedPart: Sendable, Hashable {
    /// The feed that it is a part of.
    package let feed: String
    /// The parent's key in the feed's table: the columns with their values, as in the parent's.
    package let key: [KeyColumn]

    /// A column of the parent's key.
    package struct KeyColumn: Sendable, Hashable {
        /// Its name in the feed's table.
        package let name: String
        /// The row's value.
        package let value: KeyValue

        package init(name: String, value: KeyValue) {
            self.name = name
            self.value = value
        }
    }

    /// A value of a key.
    package enum KeyValue: Sendable, Hashable {
        case integer(Int64)
        case real(Double)
        case text(String)
    }

    package init(feed: String, key: [KeyColumn]) {
        self.feed = feed
        self.key = key
    }

    /// The name of a list: its feed and the parent's key, as in `releases/107914493`. No feed's name has a slash.
    package static func name(of feed: String, key: [KeyValue]) -> String {
        ([feed] + key.map { PercentCoding.encoded($0.text) }).joined(separator: "/")
    }

    /// The feed that something is the name of a part of; nil for the name of a feed.
    package static func feed(ofPart name: String) -> String? {
        // Bytes, because this runs for each page; characters are slow.
        name.utf8.firstIndex(of: UInt8(ascii: "/")).map { String(name[..<$0]) }
    }
}

extension FeedPart.KeyValue {
    /// The value as text.
    package var text: String {
        switch self {
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let value): value
        }
    }
}

extension FeedDefinition {
    /// The feed whose table receives the items: the feed itself, or that of a list.
    package var owner: String { part?.feed ?? name }
}

/// A row of a parent.
package struct ParentRow: Sendable, Hashable {
    /// Its key.
    package let key: [FeedPart.KeyColumn]
    /// The values that the feed's request has of it and of the rows above it, by column.
    package let values: [ParentColumn: String]

    package init(key: [FeedPart.KeyColumn], values: [ParentColumn: String]) {
        self.key = key
        self.values = values
    }
}

extension FeedDefinition {
    /// The columns of the parent and of feeds above it that a request has values of, each once.
    package var parentColumns: [ParentColumn] {
        var seen: Set<ParentColumn> = []
        return (templates + columns.compactMap { $0.derivation?.value }).flatMap(\.columns).filter {
            seen.insert($0).inserted
        }
    }

    /// The definition of the list of one row.
    ///
    /// - Throws: `FeedSyncError` of kind `unfollowable` where the row's values would lead to a place that the feed may
    ///   not ask.
    package func part(for row: ParentRow) throws(FeedSyncError) -> FeedDefinition {
        var part = self
        part.name = FeedPart.name(of: name, key: row.key.map(\.value))
        part.part = FeedPart(feed: name, key: row.key)
        part.forEach = nil
        // The feed has them for all its parts.
        part.hook = nil
        part.model = nil
        part.url = url.filled(row.values, isURL: true)
        part.query = query.map { NamedTemplate(name: $0.name, value: $0.value.filled(row.values, isURL: false)) }
        part.headers = headers.map { NamedTemplate(name: $0.name, value: $0.value.filled(row.values, isURL: false)) }
        part.body = body?.mapped { $0.filled(row.values, isURL: false) }
        part.columns = columns.map { column in column.withValue { $0.filled(row.values, isURL: false) } }
        for value in part.headers.flatMap(\.value.parts) {
            if case .literal(let text) = value, text.utf8.contains(where: { $0 < 32 && $0 != 9 || $0 == 127 }) {
                throw FeedSyncError(
                    .unfollowable, "a value of the parent's row has a control character, which no header may have")
            }
        }
        try part.checkAddress(of: self)
        return part
    }

    /// Checks that a parent's data does not choose the host: only a complete URL in a row leads to a host, and it must
    /// be one that the feed may request.
    private func checkAddress(of feed: FeedDefinition) throws(FeedSyncError) {
        let text = url.description
        let path = text.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let leads = path.split(separator: UInt8(ascii: "/")).contains {
            $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8)
        }
        if leads, !feed.url.columns.isEmpty {
            throw FeedSyncError(
                .unfollowable, "a value of the parent's row is `.` or `..`, which would lead to another place",
                advice: "leave such rows out with `for_each: {feed: …, where: …}`", url: maskedURL)
        }
        guard case .column(_, let column) = feed.url.parts.first else { return }
        let origin = Self.origin(of: text)
        if let origin, origin == feed.forEach?.origin { return }
        // As most are written; to take all of them apart for each row would cost more than its request.
        let isAllowed =
            origin.map { origin in
                feed.allowOrigins.contains(origin) || feed.allowOrigins.contains { Self.origin(of: $0) == origin }
            } ?? false
        let hasCredentials = feed.authentication != nil || feed.templates.contains { !$0.references.isEmpty }
        if isAllowed, !hasCredentials { return }
        let what = origin.map { "leads to \($0)" } ?? "is not a URL"
        throw FeedSyncError(
            .unfollowable,
            "the `\(column)` of the parent's row \(what), which the feed may not ask"
                + (isAllowed ? " with its credentials" : ""),
            advice: isAllowed ? "leave out `auth`" : "if that is right, add it to `allow_origins`", url: maskedURL)
    }

    /// Scheme, host and port of a URL, in the form in which they are compared; nil for other text.
    static func origin(of url: String) -> String? {
        let text = url.lowercased()
        guard let scheme = ["https://", "http://"].first(where: text.hasPrefix) else { return nil }
        let ends = "/?#\\".utf8
        var authority = Substring(text.utf8.dropFirst(scheme.utf8.count).prefix { !ends.contains($0) })
        guard !authority.isEmpty, !authority.utf8.contains(UInt8(ascii: "@")) else { return nil }
        let standard = scheme == "https://" ? ":443" : ":80"
        if authority.hasSuffix(standard) { authority.removeLast(standard.count) }
        return scheme + authority
    }
}
