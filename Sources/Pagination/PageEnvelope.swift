package import JSON
package import Text

/// The body without its items: each value with its place and its name.
package struct PageEnvelope: Sendable {
    /// The depth and the number of members up to which a body is searched.
    private static let deepest = 4
    private static let most = 2_000

    /// A value beside the items, with its way from the body.
    package struct Member: Sendable {
        package let path: Path
        /// The descriptive name: the member's own, or that of the enclosing member if it says more.
        package let name: MemberName
        /// The name as written.
        package let written: String
        /// True for the value of an object with a descriptive name: `total: {value: 9}`.
        fileprivate let isNested: Bool
        package let value: JSONValue
        /// True if its place may be another one on the next page.
        fileprivate(set) var mayMove = false

        /// The steps to the object that contains the name.
        package var parents: ArraySlice<Path.Segment> { path.segments.dropLast(isNested ? 2 : 1) }

        /// True if the member's object also contains the items.
        func isAround(_ items: Path) -> Bool { items.starts(with: Path(Array(parents))) }
    }

    /// The members, first those around the items, which describe them; members elsewhere may describe anything.
    package let members: [Member]
    /// The path of the items.
    package let items: Path

    /// The envelope of a body; empty where the body is the items.
    package init(of body: JSONValue, besides items: Path) {
        self.items = items
        var all: [Member] = []
        if !items.segments.isEmpty { Self.collect(body, Path([]), besides: items, into: &all) }
        members = all.filter { $0.isAround(items) } + all.filter { !$0.isAround(items) }
    }

    private init(_ members: [Member], _ items: Path) { (self.members, self.items) = (members, items) }

    /// The envelope with the members of the JSON documents in headers about pages, such as the `X-Pagination` of many
    /// services in ASP.NET.
    package func adding(_ headers: [NamedValue]) -> PageEnvelope {
        var all = members
        for field in headers where field.value.utf8.first == UInt8(ascii: "{") {
            guard MemberName(field.name).words.contains(where: ["pagination", "paging", "page", "pages"].contains),
                let document = try? JSONValue(parsing: field.value)
            else { continue }
            Self.collect(document, Path([.member(field.name)]), besides: items, into: &all)
        }
        return PageEnvelope(all, items)
    }

    /// The envelope without the members whose place may be another one on the next page.
    package var withoutMoving: PageEnvelope { PageEnvelope(members.filter { !$0.mayMove }, items) }

    /// The envelope without the value at a path, or of that name.
    package func without(_ path: Path) -> PageEnvelope {
        PageEnvelope(members.filter { $0.path != path && $0.written != path.description }, items)
    }

    /// The first member with one of these folded names and a suitable value.
    package func first(_ names: Set<String>, where isFit: (Member) -> Bool = { _ in true }) -> Member? {
        members.first { names.contains($0.name.folded) && isFit($0) }
    }

    /// True for members that describe the list: they are around the items, or in objects with names for that.
    package func isOfList(_ member: Member) -> Bool {
        let parents = member.parents
        return zip(parents.indices, parents).allSatisfy { index, segment in
            guard case .member(let name) = segment, index >= items.segments.count || items.segments[index] != segment
            else { return true }
            return !PagingNames.envelopes.isDisjoint(with: MemberName(name).words)
        }
    }

    /// True for an `end` beside a `start` that are the borders of a page, as Matrix calls its tokens, and not of a
    /// time.
    package func isBorder(_ end: Member) -> Bool {
        guard let text = end.value.text, !DateLike.holds(text) else { return false }
        return first(["start"]) { $0.parents == end.parents && $0.value.text.map { !DateLike.holds($0) } == true }
            != nil
    }

    /// True for an `after` beside a `before`: tokens for the borders of a page.
    package func isAfterBorder(_ member: Member) -> Bool {
        member.written == "after" && members.contains { $0.written == "before" && $0.parents == member.parents }
    }

    /// True for an `after` that the last page may have, too: `cursors` has a `before` on the first page, or a link
    /// `next` beside it is null. Where `before` is null on the first page, `after` leads on.
    func isBorderOfLast(_ member: Member) -> Bool {
        guard isAfterBorder(member) else { return false }
        let before = members.first { $0.written == "before" && $0.parents == member.parents }
        if member.parents.last == .member("cursors"), before?.value.text?.isEmpty == false { return true }
        return members.contains { other in
            other.written == "next" && other.value == .null
                && (other.parents == member.parents || other.parents == member.parents.dropLast())
        }
    }

    /// - Parameters:
    ///   - outer: The name of what the value is: that of its member, or the relation of a link.
    ///   - mayMove: True for a link whose place cannot be told by its relation.
    private static func collect(
        _ value: JSONValue, _ path: Path, of outer: String? = nil, mayMove: Bool = false, besides items: Path,
        into all: inout [Member]
    ) {
        guard path != items, path.segments.count <= deepest, all.count < most else { return }
        switch value {
        case .object(let members):
            // A link alone: `link: {rel: "next", href: …}`. An object of any kind may have a name.
            let outer = leadingRelation(of: members, in: ["rel", "@rel", "relation"])?.relation ?? outer
            for member in members.all {
                let place = path.appending(member.name)
                guard place != items else { continue }
                var found = self.member(member, at: place, in: outer)
                found.mayMove = mayMove
                all.append(found)
                collect(member.value, place, of: member.name, mayMove: mayMove, besides: items, into: &all)
            }
        case .array(let elements):
            for (index, element) in elements.prefix(20).enumerated() {
                guard let members = element.members else { continue }
                let place = path.appending(.index(index))
                if let (name, relation) = leadingRelation(of: members) {
                    // The place of a link in its array may change from page to page.
                    let isText = members[name]?.text != nil
                    collect(
                        element, isText ? path.appending(.first(where: name, equals: relation)) : place, of: relation,
                        mayMove: mayMove || !isText, besides: items, into: &all)
                } else if index == 0, let outer, linkNames.contains(MemberName(outer).folded) {
                    // A link of HAL may be an array: https://datatracker.ietf.org/doc/html/draft-kelly-json-hal
                    collect(element, place, of: outer, mayMove: mayMove, besides: items, into: &all)
                } else if items.starts(with: place) {
                    collect(element, place, mayMove: mayMove, besides: items, into: &all)
                }
            }
        default: return
        }
    }

    /// The member of a link that says that it leads to the next or the last page, and the relation. Siren has arrays of
    /// relations: https://github.com/kevinswiber/siren#links-1
    private static func leadingRelation(
        of link: JSONObject, in names: [String] = ["rel", "@rel", "relation", "name"]
    ) -> (member: String, relation: String)? {
        for name in names {
            let relations = link[name].map { $0.elements ?? [$0] } ?? []
            let leading = relations.lazy.compactMap(\.text).first { ["next", "last"].contains(MemberName($0).folded) }
            if let leading { return (name, leading) }
        }
        return nil
    }

    /// True for a name whose object may have a value of another name: a link, or a total.
    private static func mayHaveValue(_ name: String) -> Bool {
        leads(name) || PagingNames.total.contains(MemberName(name).folded)
    }

    /// Names of links that may be arrays.
    private static let linkNames: Set<String> = ["next", "nextpage", "last", "lastpage"]

    /// True for the name of a link to the next or the last page.
    private static func leads(_ name: String) -> Bool {
        !Set(["next", "last"]).isDisjoint(with: MemberName(name).words)
    }

    /// `next: {href: …}` and `total: {value: …}` have the meaning of the enclosing name, and `next: {page: 2}` of both.
    private static func member(_ member: JSONObject.Member, at place: Path, in outer: String?) -> Member {
        let own = MemberName(member.name)
        let isVague = ["href", "url", "link", "uri", "value", "count"].contains(own.folded)
        // The text of an element of XML that has attributes is its value.
        let isValue = member.name == "#text" || isVague && outer.map(mayHaveValue) ?? false
        if let outer, isValue {
            return Member(
                path: place, name: MemberName(outer), written: outer, isNested: outer != member.name,
                value: member.value)
        }
        if let outer, leads(outer), PagingNames.places.contains(own.folded) {
            let both = "\(MemberName(outer).words.contains("next") ? "next" : "last")_\(member.name)"
            return Member(path: place, name: MemberName(both), written: both, isNested: true, value: member.value)
        }
        return Member(path: place, name: own, written: member.name, isNested: false, value: member.value)
    }

    // MARK: - Counts

    /// True for a count of pages under another name: `pages: {current: 1, total: 3}`. A count of what has come may be one
    /// of items.
    func isPageCount(_ member: Member, after page: PaginationInput) -> Bool {
        guard ["total", "count"].contains(member.name.folded), case .member(let outer)? = member.parents.last,
            MemberName(outer).folded == "pages"
        else { return false }
        return member.value.count.map { $0 != page.seenCount && $0 != page.elementCount } ?? false
    }

    /// The counts of the whole list, as far as their names and the page show.
    package func totals(after page: PaginationInput) -> [Member] {
        members.filter { member in
            (PagingNames.isTotal(member.name, of: items) || isBitbucketsTotal(member)) && isOfList(member)
                && member.value.count != nil && !isSize(member, of: page)
        }
    }

    /// True for a `count` that is the most items of a page, and not their number: beside a total, as in
    /// `{count: 100, total: 5, page: 1}`, or beside the page's place where the first page is not full.
    ///
    /// Sources: `paging` of https://api.slack.com/methods/files.list, and of
    /// https://learn.microsoft.com/en-us/linkedin/shared/api-guide/concepts/pagination
    private func isSize(_ count: Member, of page: PaginationInput) -> Bool {
        guard count.name.folded == "count", let size = count.value.count, size > page.elementCount else { return false }
        let beside = members.filter { $0.parents == count.parents && $0.path != count.path }
        let isUsual = PaginationInput.usualSizes.contains(size)
        let total = beside.first { PagingNames.isTotal($0.name, of: items) && $0.value.count != nil && !isBound($0) }
        // A total that equals the page's own number may be just that, and `count` the list's.
        if let total = total?.value.count { return total > page.elementCount || total == page.elementCount && isUsual }
        // After a page that led on, a larger count is not the size.
        guard isUsual, page.crawlElementCount == page.elementCount else { return false }
        let saysPlace = beside.contains { other in
            (PagingNames.offset.contains(other.name.folded) || PagingNames.number.contains(other.name.folded))
                && other.value.count != nil
        }
        // The list of links to other pages is empty.
        let hasNoLinks = beside.contains { $0.name.folded == "links" && $0.value.elements?.isEmpty == true }
        return saysPlace && (hasNoLinks || !PaginationInput.usualSizes.contains(page.elementCount))
    }

    /// True for `size` beside `pagelen`: https://developer.atlassian.com/cloud/bitbucket/rest/intro/#pagination
    private func isBitbucketsTotal(_ member: Member) -> Bool {
        member.name.folded == "size"
            && members.contains { $0.name.folded == "pagelen" && $0.parents == member.parents }
    }

    /// True if a total is a lower bound or an estimate, which neither ends a list nor proves that all was read.
    ///
    /// Sources: `relation` of
    /// https://www.elastic.co/guide/en/elasticsearch/reference/current/search-your-data.html#track-total-hits,
    /// `numFoundExact` of
    /// https://solr.apache.org/guide/solr/latest/query-guide/common-query-parameters.html#minexactcount-parameter
    package func isBound(_ total: Member) -> Bool {
        PagingNames.isEstimate(total.name) || has(StatedTotal.saysBound, beside: total)
    }

    /// True if a total says that there are at least as many. An estimate that equals what has come is no sign of more.
    func isAtLeast(_ total: Member) -> Bool { has(StatedTotal.saysAtLeast, beside: total) }

    private func has(_ mark: (String, JSONScalar) -> Bool, beside total: Member) -> Bool {
        members.contains { other in
            other.path.segments.dropLast() == total.path.segments.dropLast()
                && mark(other.name.folded, other.value.scalar)
        }
    }
}
