/// A flag in the body that says whether there is a further page.
struct MoreFlag: Sendable, Hashable, CustomStringConvertible {
    /// Where it stands.
    let path: Path

    /// Reads the path `more`; nil where there is none.
    init?(_ members: MappingReader) {
        guard let path = members.path("more") else { return nil }
        self.path = path
    }

    /// The member with its value.
    var canonicalText: String { "more \(path)" }

    /// The flag's place for a message.
    var description: String { "`\(path)`" }

    /// What a page's flag says: no if it is `false`, 0 or the text `false`; nothing where it is absent or `null`.
    func says(_ value: JSONScalar?) -> Bool? {
        switch value {
        case nil, .null: nil
        case .boolean(false), .integer(0), .text("false"): false
        default: true
        }
    }
}
