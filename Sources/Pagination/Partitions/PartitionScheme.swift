package import JSON

/// The partitions of a feed whose upstream serves only a limited number of items for each request.
package struct PartitionScheme: Sendable, Hashable {
    /// The query parameter that selects a partition.
    package struct Qualifier: Sendable, Hashable {
        /// The parameter; one that has a value in the feed's own request keeps it, with the qualifier behind it.
        package let parameter: String
        /// The text with `{from}` and `{to}`, the first and the last value of the partition, or `{end}`, the one behind
        /// it.
        package let template: String

        package init(parameter: String, template: String) {
            self.parameter = parameter
            self.template = template
        }
    }

    /// The qualifiers, in order.
    package let qualifiers: [Qualifier]
    /// The path of the value that decides an item's partition.
    package let path: Path
    /// The unit of the values.
    package let unit: PartitionUnit
    /// The path of the number of items in the partition; nil if the pagination has it.
    package let total: Path?
    /// The number of items that the upstream serves for one request; nil to learn it.
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
