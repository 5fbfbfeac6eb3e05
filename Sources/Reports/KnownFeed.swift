package import FeedSync

/// A feed that is configured, stored, or both.
package struct KnownFeed: Sendable, JSONRecord {
    package let definition: FeedDefinition?
    package let record: FeedRecord?

    package init(definition: FeedDefinition?, record: FeedRecord?) {
        (self.definition, self.record) = (definition, record)
    }

    package var name: String { definition?.name ?? record?.name ?? "" }
    package var model: String? { definition.map(\.model) ?? record?.model }
    /// The URL of its pages, without the query.
    package var url: String { record?.url ?? definition?.shownURL ?? "" }

    /// Its row of the table `feed`, or the row of a feed that was never loaded.
    package var fields: JSONFields { (record ?? FeedRecord(name: name, model: model, url: url)).fields }

    /// The feeds that are configured or stored, configured ones first, with their records.
    package static func all(_ definitions: [FeedDefinition], _ records: [FeedRecord]) -> [KnownFeed] {
        let stored = Dictionary(records.map { ($0.name, $0) }) { first, _ in first }
        let configured = Set(definitions.map(\.name))
        return definitions.map { KnownFeed(definition: $0, record: stored[$0.name]) }
            + records.filter { !configured.contains($0.name) }.map { KnownFeed(definition: nil, record: $0) }
    }
}
