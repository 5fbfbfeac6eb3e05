/// A feed as far as it is known: its definition, the findings about the rest, and the resulting plan.
///
/// Immutable. A class, because a run passes it on with each page, and definitions are large.
package final class ResolvedFeed: Sendable {
    /// The user's definition.
    package let declared: FeedDefinition
    package let findings: Findings
    /// The definition with the findings.
    package let definition: FeedDefinition
    package let plan: DecodePlan

    /// - Throws: `FeedSyncError` of kind `configuration` if the definition contradicts itself.
    package init(_ declared: FeedDefinition, _ findings: Findings = Findings()) throws(FeedSyncError) {
        self.declared = declared
        self.findings = findings
        definition = try declared.settled(by: findings)
        plan = try DecodePlan(definition)
    }

    /// Checks that a definition does not contradict itself, without the plan.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration`.
    package static func check(_ definition: FeedDefinition) throws(FeedSyncError) {
        _ = try DecodePlan.keyColumns(of: definition)
    }

    /// The columns that were discovered. Columns of the definition stay as they are.
    package var openColumns: Set<String> {
        guard declared.hasOpenColumns else { return [] }
        return Set(definition.columns.map(\.name)).subtracting(declared.columns.map(\.name)).subtracting(definition.key)
    }
}
