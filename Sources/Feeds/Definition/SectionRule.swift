internal import YAML

/// The rule that groups a feed's items into sections.
package struct SectionRule: Sendable, Hashable {
    /// The span of time that makes one section.
    package enum Interval: String, Sendable, Hashable, CaseIterable {
        /// As in `2026-11-21T02`.
        case hour
        /// As in `2026-11-21`.
        case day
        /// As in `2026-11`.
        case month
        /// As in `2026`.
        case year
    }

    /// The path of the section's name, or of the time, in the item.
    package let path: Path
    /// The span of time, where the value is a timestamp.
    package let interval: Interval?
}

extension MappingDecoder {
    /// The feed's `section`: a path, or `{path, by}`.
    func sectionRule(_ name: String) -> SectionRule? {
        guard let node = node(name) else { return nil }
        guard node.pairs != nil, let members = reader(name) else {
            return path(name, node).map { SectionRule(path: $0, interval: nil) }
        }
        defer { members.finish() }
        members.require("path", "say where in the item the section is")
        let interval = members.choice("by", SectionRule.Interval.self)
        return members.path("path").map { SectionRule(path: $0, interval: interval) }
    }
}
