internal import YAML

extension ConfigurationEditor {
    /// What changes in the text when a feed gets another name: its name, in quotes where it was in quotes.
    ///
    /// - Returns: nil where there is no feed of the name, or its name is more than a word.
    func renaming(of name: String, to new: String) -> [Edit]? {
        guard let key = feeds?.pairs.first(where: { $0.key.text == name })?.key, key.shape == .scalar, !key.isMarked
        else { return nil }
        switch bytes[key.bytes].first {
        case UInt8(ascii: "'"): return [Edit(key.bytes, "'\(new)'")]
        case UInt8(ascii: "\""): return [Edit(key.bytes, ConfigurationText.scalar(new, asJSON: true))]
        default: return [Edit(key.bytes, ConfigurationText.scalar(new))]
        }
    }
}
