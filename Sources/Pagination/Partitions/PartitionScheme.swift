package import JSON

/// How a feed of which the upstream serves only so many items is asked for in partitions, each of which it serves whole.
package struct PartitionScheme: Sendable, Hashable {
    /// What a query parameter says of the partition.
    package struct Qualifier: Sendable, Hashable {
        /// The parameter; one that has a value in the feed's own request keeps it, with the qualifier behind it.
        package let parameter: String
        /// The text with `{from}` and `{to}`, the first and the last value of the partition, or `{end}`, the one behind it.
        package let template: String

        package init(parameter: String, template: String) {
            self.parameter = parameter
            self.template = template
        }
    }

    /// The qualifiers, in order.
    package let qualifiers: [Qualifier]
    /// Where in an item the value is that tells which partition it is in.
    package let path: Path
    /// What the values are.
    package let unit: PartitionUnit
    /// Where the body says how many items the partition has; nil where the pagination says so.
    package let total: Path?
    /// How many items of one request the upstream serves; nil where that is learned.
    package let cap: Int?
    /// The first and the last value.
    package let blocks: FeedBlocks

    /// A rule.
    package init(
        qualifiers: [Qualifier], path: Path, unit: PartitionUnit, total: Path?, cap: Int?, blocks: FeedBlocks
    ) {
        self.qualifiers = qualifiers
        self.path = path
        self.unit = unit
        self.total = total
        self.cap = cap
        self.blocks = blocks
    }

    /// The rule and its members on one line, equal for equal rules.
    package var canonicalText: String {
        let qualifiers = qualifiers.map { "\($0.parameter) \($0.template)" }.joined(separator: " ")
        let last = blocks.last.map { " to \($0)" } ?? ""
        return "partition \(unit.rawValue) \(path) from \(blocks.first)\(last) \(qualifiers)"
            + blocks.canonicalText + (total.map { " total \($0)" } ?? "") + (cap.map { " cap \($0)" } ?? "")
    }
}
