/// The rule for a stored value whose member an item lacks: `missing` in the configuration.
package enum MissingMember: String, Sendable, Hashable, CaseIterable {
    /// It stays: items hold only what changed.
    case keep
}
