package import JSON

/// Where the body says how many elements there are, for styles that need no such figure to go on.
package struct StatedTotal: Sendable, Hashable {
    /// Where it stands.
    package let path: Path

    /// The figure at a path.
    package init(_ path: Path) { self.path = path }

    /// The member with its value.
    var canonicalText: String { "total \(path)" }

    /// The page's end with the figure, where it can be true: what counts less than what has come counts something else.
    func added(to end: NextPage, after page: PaginationInput, of style: some Paginator) -> NextPage {
        let count = page.value(at: path, of: style)?.count
        return NextPage(
            next: end.next, total: count.flatMap { $0 >= page.crawlElementCount ? $0 : nil }, notice: end.notice)
    }
}
