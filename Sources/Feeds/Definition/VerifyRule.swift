/// When `sync` looks for a proof, as `verify` in the configuration says.
package enum VerifyRule: String, Sendable, Hashable, CaseIterable {
    /// Where it costs little.
    case auto
    /// By every page again.
    case always
    /// Not at all.
    case never
}
