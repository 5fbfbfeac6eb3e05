package import JSON
package import Text

/// A count that the upstream gave with a page, if it can be true.
package struct ReportedCount {
    /// The count; nil where there is none that can be believed.
    package let value: Int?
    /// The reason for which the value is ignored.
    package let notice: String?
    /// True if the count is a lower bound or an estimate: it neither ends the list nor proves that all was read.
    package let isBound: Bool

    /// The most that is believed: the counts of very many parts can be added to one without an overflow.
    package static let most = 1_000_000_000_000

    /// The count at a path, unless it is no count or is less than the number of elements received.
    package init(
        _ path: Path?, _ scalar: JSONScalar?, atLeast least: Int, isBound: Bool = false, secrets: Secrets
    ) {
        self.isBound = isBound
        guard let path, let scalar, scalar != .null else {
            value = nil
            notice = nil
            return
        }
        guard let count = scalar.count else {
            value = nil
            notice = "`\(path)` is \(scalar.shown(secrets)), not a count; it is ignored"
            return
        }
        value = count >= least ? min(count, Self.most) : nil
        notice = count >= least || isBound ? nil : "`\(path)` says \(count), but \(least) were received; it is ignored"
    }

    /// The count where it is the list's; nil for a lower bound.
    var exact: Int? { isBound ? nil : value }

    /// The total of a page. A bound only shows that a page with items is not the last.
    func total(at next: PageCursor?, _ page: PaginationInput) -> Int? {
        guard isBound else { return value }
        guard next == nil, page.elementCount > 0, let value, value > page.crawlElementCount else { return nil }
        return value
    }
}
