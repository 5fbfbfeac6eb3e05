package import JSON
package import Text

/// The place of the number of elements in the body.
package struct StatedTotal: Sendable, Hashable {
    /// The path of the total.
    package let path: Path
    /// The path of the mark of a lower bound; nil if the total has no such neighbour.
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

    /// The total of a page: a number below that of received elements counts something else.
    ///
    /// - Parameter least: The number of elements known to exist.
    func reported(_ page: PaginationInput, of paginator: some Paginator, atLeast least: Int) -> ReportedCount {
        ReportedCount(
            path, isUncertain ? nil : page.value(at: path, of: paginator), atLeast: least,
            isBound: isBound(page, of: paginator),
            secrets: page.secrets)
    }

    /// True if the figure shows neither that all elements have arrived nor that some are missing.
    private var isUncertain: Bool { path.lastName.map { PagingNames.isUncertain(MemberName($0)) } ?? false }

    /// True if the total is only a lower bound or an estimate.
    private func isBound(_ page: PaginationInput, of paginator: some Paginator) -> Bool {
        if path.lastName.map({ PagingNames.isEstimate(MemberName($0)) }) == true { return true }
        guard let bound, let name = bound.lastName, let value = page.value(at: bound, of: paginator) else {
            return false
        }
        return Self.saysBound(MemberName(name).folded, value)
    }

    /// True if a member beside a total, its name folded, marks the total as a lower bound or an estimate.
    static func saysBound(_ name: String, _ value: JSONScalar) -> Bool {
        if saysAtLeast(name, value) { return true }
        return switch name {
        case "exhaustivenbhits": value == .boolean(false)
        case "isestimate", "isestimated", "totalisestimate", "isapproximate", "approximate", "estimated":
            value == .boolean(true)
        default: false
        }
    }

    /// True if a member beside a total, its name folded, says that there are at least as many.
    static func saysAtLeast(_ name: String, _ value: JSONScalar) -> Bool {
        switch name {
        case "relation": value == .text("gte")
        case "numfoundexact", "istotalexact", "totalisexact", "exact": value == .boolean(false)
        default: false
        }
    }

    /// True if all elements have arrived.
    func isReached(_ page: PaginationInput, of paginator: some Paginator) -> Bool {
        reported(page, of: paginator, atLeast: page.crawlElementCount).exact == page.crawlElementCount
    }

    /// The page's end with the figure, where it can be true.
    func added(to end: NextPage, after page: PaginationInput, of paginator: some Paginator) -> NextPage {
        var end = end
        end.total = reported(page, of: paginator, atLeast: page.crawlElementCount).total(at: end.next, page)
        return end
    }
}

extension Path {
    /// The name of the member that it leads to; nil where it leads elsewhere.
    package var lastName: String? {
        if case .member(let name)? = segments.last { name } else { nil }
    }
}

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
        notice = count >= least || isBound ? nil : "`\(path)` says \(count), but more were received; it is ignored"
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
