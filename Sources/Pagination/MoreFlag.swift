package import JSON

/// A flag in the body that says whether there is a further page.
package struct MoreFlag: Sendable, Hashable, CustomStringConvertible {
    /// Where it stands.
    let path: Path

    /// A flag that stands there.
    package init(path: Path) {
        self.path = path
    }

    /// The member with its value.
    var canonicalText: String { "more \(path)" }

    /// The flag's place for a message.
    package var description: String { "`\(path)`" }

    /// What the flag of a page without elements has to be told for, where it promises more.
    func notice(of page: PaginationInput, in style: some Paginator) -> String? {
        guard page.elementCount == 0, says(page.value(at: path, of: style)) == true else { return nil }
        return "\(self) says there is more, but the page is empty"
    }

    /// What a page's flag says: no if it is `false`, 0 or the text `false`; nothing where it is absent or `null`.
    func says(_ value: JSONScalar?) -> Bool? {
        switch value {
        case nil, .null: nil
        case .boolean(false), .integer(0), .text("false"): false
        default: true
        }
    }
}
