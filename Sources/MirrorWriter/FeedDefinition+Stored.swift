/// The parts of a definition that the store keeps.
extension FeedDefinition {
    /// The names of the key columns: those of the parent's key, then the item's; a JSON array.
    var keyColumnsJSON: String {
        let names = (part?.key.map(\.name) ?? []) + key
        return "[\(names.map(JSONText.string).joined(separator: ","))]"
    }

    /// A hash of the definition that changes whenever the definition does. The store keeps one for each part.
    package func fingerprint(salt: String) -> String { fingerprint(salt: salt, common: commonLines(salt: salt)) }

    /// The same hash, computed with the lines that all lists of the feed share.
    package func fingerprint(salt: String, common: CommonLines) -> String {
        var hash = FNV1a()
        hash.add(canonicalText(salt: salt, common: common).utf8)
        return hash.digits
    }
}
