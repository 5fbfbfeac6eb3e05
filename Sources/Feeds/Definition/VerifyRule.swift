/// The rule for proofs in `sync`, for `verify` in the configuration.
package enum VerifyRule: String, Sendable, Hashable, CaseIterable {
    /// Proofs that cost little.
    case auto
    /// By every page again.
    case always
    /// Not at all.
    case never
}
