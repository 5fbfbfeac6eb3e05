/// A feed as far as it is known: its definition, what was found of the rest, and the plan that follows from both.
package struct ResolvedFeed: Sendable {
    /// The definition as the user gave it.
    package let declared: FeedDefinition
    package let findings: Findings
    /// The definition with the findings in it.
    package let definition: FeedDefinition
    package let plan: DecodePlan

    /// - Throws: `FeedSyncError` of kind `configuration` if the definition contradicts itself.
    package init(_ declared: FeedDefinition, _ findings: Findings = Findings()) throws(FeedSyncError) {
        self.declared = declared
        self.findings = findings
        definition = try declared.settled(by: findings)
        plan = try DecodePlan(definition)
    }

    /// The columns that the definition does not have; those that it has stay as they are.
    package var openColumns: Set<String> {
        guard declared.hasOpenColumns else { return [] }
        return Set(definition.columns.map(\.name)).subtracting(declared.columns.map(\.name)).subtracting(definition.key)
    }
}
