package import JSON

/// Flags in the body that say whether there is a further page.
package struct MoreFlag: Sendable, Hashable {
    /// The path of the flag for a further page; nil without one.
    let more: Path?
    /// The path of the flag for the last page; nil without one.
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

    /// True if any flag is read.
    var isRead: Bool { more != nil || last != nil }

    /// The meaning of a page's flags; nil if they are absent or `null`. A flag for the end outranks the other.
    ///
    /// A flag for a further page at `[name=value]` says that there is none where no element meets the condition.
    func says(_ page: PaginationInput, of paginator: some Paginator) -> Bool? {
        let more = more.flatMap { path in
            let value = page.value(at: path, of: paginator)
            return value == nil && path.hasCondition ? false : Self.isTrue(value)
        }
        // The mere presence of the flag may mark the last page, and its absence any other page.
        let last = last.flatMap { Self.isTrue(page.value(at: $0, of: paginator)) }
        return more == false || last == true ? false : more ?? last.map(!)
    }

    /// The flag that promises more, where a list ends.
    func sign(_ page: PaginationInput, of paginator: some Paginator) -> SignOfMore? {
        guard says(page, of: paginator) == true else { return nil }
        return bodyPaths.lazy.compactMap { path in
            page.value(at: path, of: paginator).map { SignOfMore.at(path, $0, .flag, page.secrets) }
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
