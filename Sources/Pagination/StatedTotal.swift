package import JSON

/// Where the body says how many elements there are.
package struct StatedTotal: Sendable, Hashable {
    /// Where it stands.
    package let path: Path
    /// Where the body says that the figure is a lower bound; nil where the figure's name has no such neighbour.
    private let bound: Path?

    /// The figure at a path.
    package init(_ path: Path) {
        self.path = path
        bound = Self.neighbours[path.lastName ?? ""].map { Path(path.segments.dropLast() + [.member($0)]) }
    }

    private static let neighbours = ["value": "relation", "numFound": "numFoundExact"]

    /// The member with its value.
    var canonicalText: String { "total \(path)" }

    /// The paths to read.
    var bodyPaths: [Path] { [path, bound].compactMap(\.self) }

    /// The figure of a page: what counts less than what has come counts something else.
    ///
    /// - Parameter least: The elements that are known to be there.
    func reported(_ page: PaginationInput, of style: some Paginator, atLeast least: Int) -> ReportedCount {
        ReportedCount(
            path, page.value(at: path, of: style), atLeast: least, isBound: isBound(page, of: style),
            secrets: page.secrets)
    }

    /// Whether the figure is no more than a lower bound or an estimate.
    private func isBound(_ page: PaginationInput, of style: some Paginator) -> Bool {
        if path.lastName.map({ PagingNames.isEstimate(MemberName($0)) }) == true { return true }
        guard let bound, let name = bound.lastName, let value = page.value(at: bound, of: style) else { return false }
        return Self.saysBound(MemberName(name).folded, value)
    }

    /// Whether a member beside a total, its name folded, says that the total is a lower bound or an estimate.
    static func saysBound(_ name: String, _ value: JSONScalar) -> Bool {
        switch name {
        case "relation": value == .text("gte")
        case "numfoundexact", "istotalexact", "totalisexact", "exact": value == .boolean(false)
        case "isestimate", "isestimated", "totalisestimate", "isapproximate", "approximate", "estimated":
            value == .boolean(true)
        default: false
        }
    }

    /// Whether all have come.
    func isReached(_ page: PaginationInput, of style: some Paginator) -> Bool {
        reported(page, of: style, atLeast: page.crawlElementCount).exact == page.crawlElementCount
    }

    /// The page's end with the figure, where it can be true.
    func added(to end: NextPage, after page: PaginationInput, of style: some Paginator) -> NextPage {
        var end = end
        end.total = reported(page, of: style, atLeast: page.crawlElementCount).total(at: end.next, page)
        return end
    }
}

extension Path {
    /// The name of the member that it leads to; nil where it leads elsewhere.
    package var lastName: String? {
        if case .member(let name)? = segments.last { name } else { nil }
    }
}
