package import JSON

/// Flags in the body that say whether there is a further page.
package struct MoreFlag: Sendable, Hashable {
    /// Where it stands that there is one; nil where that is not read.
    let more: Path?
    /// Where it stands that there is none; nil where that is not read.
    let last: Path?

    /// The flags that stand there.
    package init(more: Path? = nil, last: Path? = nil) {
        self.more = more
        self.last = last
    }

    /// The members with their values.
    var canonicalText: String { (more.map { " more \($0)" } ?? "") + (last.map { " last \($0)" } ?? "") }

    /// The paths to read.
    var bodyPaths: [Path] { [more, last].compactMap(\.self) }

    /// Whether any flag is read.
    var isRead: Bool { more != nil || last != nil }

    /// What a page's flags say: nothing where they are absent or `null`. One that says that there is no more outranks the
    /// other.
    func says(_ page: PaginationInput, of style: some Paginator) -> Bool? {
        let more = more.flatMap { Self.isTrue(page.value(at: $0, of: style)) }
        // A last page may well be told by its mere presence, and any other page by its absence.
        let last = last.flatMap { Self.isTrue(page.value(at: $0, of: style)) }
        return more == false || last == true ? false : more ?? last.map(!)
    }

    /// The flag that promises more, where a list ends.
    func sign(_ page: PaginationInput, of style: some Paginator) -> SignOfMore? {
        guard says(page, of: style) == true else { return nil }
        return bodyPaths.lazy.compactMap { path in
            page.value(at: path, of: style).map { SignOfMore.at(path, $0, .flag, page.secrets) }
        }.first
    }

    /// False for `false`, 0, an empty text and the text `false`; nothing for `null`, and where there is nothing.
    private static func isTrue(_ value: JSONScalar?) -> Bool? {
        switch value {
        case nil, .null: nil
        case .boolean(false), .integer(0), .text("false"), .text(""): false
        default: true
        }
    }
}
