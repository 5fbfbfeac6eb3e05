/// What the store keeps of a definition.
extension FeedDefinition {
    /// The names of the columns that tell rows apart: those of the parent's key, then the item's; a JSON array.
    var keyColumnsJSON: String {
        let names = (part?.key.map(\.name) ?? []) + key
        return "[\(names.map(JSONText.string).joined(separator: ","))]"
    }

    /// A hash of the definition, which is another one when the definition changes. The store keeps one for each part.
    func fingerprint(salt: String) -> String { fingerprint(salt: salt, common: commonLines(salt: salt)) }

    /// The same, with what all parts of the feed have in common.
    package func fingerprint(salt: String, common: CommonLines) -> String {
        var hash = FNV1a()
        hash.add(canonicalText(salt: salt, common: common).utf8)
        return hash.digits
    }
}
