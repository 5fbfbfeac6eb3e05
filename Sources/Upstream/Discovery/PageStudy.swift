package import HTTP

/// The settings of a feed as its pages show them, without a request.
///
/// The pages were recorded, or made up after a description.
package struct PageStudy {
    /// A page, with the request for it.
    package struct Page: Sendable {
        package let request: Request
        package let headers: Headers
        package let body: JSONValue

        package init(request: Request, headers: Headers, body: JSONValue) {
            (self.request, self.headers, self.body) = (request, headers, body)
        }
    }

    /// A way to the next page.
    package struct Way {
        /// The `pagination` member, as YAML text in one line.
        package let pagination: String
        /// True if the page itself says it.
        package let isCertain: Bool
        /// True if there is a further page, as far as the way shows.
        package let leadsOn: Bool
    }

    /// The place of the items, the key and the columns.
    package let findings: Findings
    /// The certainty of the key.
    package let keyCertainty: Evidence.Certainty
    /// The number of items on the first page.
    package let itemCount: Int
    /// True if the items are an array; false for a single object, and for one whose members are the items.
    package let isArray: Bool
    /// True if the items' place has a name that is usual for them, or is the body itself.
    package let isNamed: Bool
    /// True if an object around the items has an id, so that they are its own.
    package let isInsideItem: Bool
    /// The ways that the page suggests, best first; none that nothing speaks of.
    package let ways: [Way]

    private let definition: FeedDefinition
    private let structure: StructureSearch
    private let first: Page

    /// Studies the first page of a feed.
    ///
    /// - Parameters:
    ///   - definition: The known settings.
    ///   - others: Bodies of other pages, whose items the key must distinguish, too.
    ///   - isOrdered: True if the order of an item's members is the upstream's own; a description may have sorted them.
    /// - Throws: `FeedSyncError` of kind `configuration` if the page has no items, or no key.
    package init(
        _ definition: FeedDefinition, first: Page, others: [JSONValue] = [], isOrdered: Bool = true
    ) throws(FeedSyncError) {
        self.definition = definition
        self.first = first
        let alone = try StructureSearch(definition, body: first.body, url: first.request.url, isOrdered: isOrdered)
        let rule = alone.items
        let further = others.compactMap { PageReading($0, items: rule)?.items }.joined()
        structure =
            further.isEmpty
            ? alone
            : try StructureSearch(
                definition, body: first.body, url: first.request.url, others: Array(further), isOrdered: isOrdered)
        findings = structure.findings
        keyCertainty = structure.evidence.first { $0.subject == .key }?.certainty ?? .certain
        let reading = structure.reading
        itemCount = reading.items.count
        isArray = reading.isList && !structure.isSingle
        isNamed = structure.isNamed
        isInsideItem = rule.path.segments.indices.contains { index in
            let around = first.body.value(at: Path(Array(rule.path.segments[..<index])))?.members
            return around.map(ItemsNames.isItemLike) ?? false
        }
        let signs = PageSigns(
            body: reading.body, items: rule.path, itemCount: reading.elementCount, key: structure.singleKey,
            headers: first.headers, request: first.request)
        ways = PagingSearch(signs).candidates.filter { $0.certainty != .guess }.map { candidate in
            Way(
                pagination: candidate.yaml(), isCertain: candidate.certainty == .certain,
                leadsOn: candidate.leadsOn)
        }
    }

    /// The request for the page after the first one, by a pagination; nil where it leads to none.
    package func secondRequest(by pagination: String) -> Request? {
        var findings = findings
        findings.pagination = pagination
        guard let settled = try? definition.settled(by: findings) else { return nil }
        let style = settled.pagination
        let input = structure.reading.input(
            for: style, headers: first.headers, url: first.request.url, secrets: Secrets())
        guard let next = try? style.next(after: input).next else { return nil }
        let plan = RequestPlan(settled, environment: [:], folder: "", salt: "")
        return try? plan.page(for: PageCursor(next.text)).request
    }
}
