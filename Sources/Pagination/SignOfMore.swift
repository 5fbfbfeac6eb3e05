internal import JSON
internal import Text

/// A sign in a page that the list continues after it.
///
/// | kind | examples | unless |
/// | --- | --- | --- |
/// | flag | `has_more: true`, `isLast: false`, `end_of_stream: false` | |
/// | partial | `truncated: true`, `incomplete_results: true`, `complete: false`, a total that is a lower bound | |
/// | partial | `errors: […]`, `failures: […]` or `error: "…"` beside items, `_shards: {failed: 1}` | |
/// | partial | `status: "timeout"`, `warning: {code: "UNREACHABLE"}`, `coverage: {full: false}` | the status is asked for, or a thing's |
/// | pages | `total_pages: 3` of page 1, `pages: {total: 3}`, a `Link` with `rel="last"` | a flag says no more, a total is reached |
/// | rest | `remainingItemCount: 40`, `pending: 40` | the same |
/// | lead | `next_cursor: "abc"`, `LastEvaluatedKey: {…}`, a `Link` with `rel="next"` | the same; it leads to this page or back; an empty page that is not the first |
/// | same token | a full page with the token that it was asked with | a flag says no more, a total is reached |
/// | total | `total: 60` where 20 have come | |
/// | cap | an error behind a full page: `Only the first 1000 results are available` | a total is reached |
///
/// The spelling of a name does not matter: case, `_`, `-` and a vendor's prefix are ignored. A JSON document in a header
/// such as `X-Pagination` says as much as one in the body.
package struct SignOfMore: Sendable, Hashable, CustomStringConvertible {
    /// The kind of sign.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A flag that there is more, or that this is not the last page.
        case flag
        /// A word that the upstream did not give all.
        case partial
        /// A count of pages, or a link to a later one.
        case pages
        /// A count of what remains.
        case rest
        /// A token or a URL of a next page.
        case lead
        /// The same token that the page was requested with.
        case sameToken
        /// A count of all items.
        case total
        /// Items of another page whose position in the list is unknown.
        case items
        /// Words that the upstream serves no more.
        case cap
        /// A way to a second page that could not be tried.
        case untried
    }

    /// The kind of sign.
    package let kind: Kind
    /// Its place and value, as part of a sentence; secrets masked.
    package let description: String
    /// True if an earlier page has it, not the last one.
    package var isOfEarlierPage = false
    /// True if a part of the request failed: no other page has what is missing.
    package var isOfFailure = false

    /// A sign.
    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// A sign at a path of the body, secrets masked.
    static func at(_ path: Path, _ value: JSONScalar, _ kind: Kind, _ secrets: Secrets) -> SignOfMore {
        SignOfMore(kind, "`\(path)` is \(value.shown(secrets))")
    }

    /// The first sign that a page has beside its items, if no further page was requested.
    ///
    /// - Parameters:
    ///   - envelope: The body outside its items.
    ///   - page: The page, with the state of the crawl before it.
    ///   - number: The page's number in the list, from 1; nil if it is unknown.
    ///   - isStated: True if the paginator found an explicit end.
    ///   - isLinked: True if URLs lead from page to page: tokens for the borders of a page lead nowhere then, as on the
    ///     last page of Facebook's lists (https://developers.facebook.com/docs/graph-api/results).
    ///   - isAlone: True if the definition says that there is one page.
    package static func first(
        in envelope: PageEnvelope, after page: PaginationInput, number: Int?, isStated: Bool = false,
        isLinked: Bool = false, isAlone: Bool = false
    ) -> SignOfMore? {
        let search = SignSearch(envelope, page, number, isStated: isStated, isLinked: isLinked, isAlone: isAlone)
        return search.flag ?? search.partial ?? search.pages ?? search.rest ?? search.lead ?? search.total
    }

    /// True if the page says that nothing follows, or completes the total. Its token then means nothing.
    package static func isDenied(by envelope: PageEnvelope, after page: PaginationInput) -> Bool {
        SignSearch(envelope, page, nil, isStated: false, isLinked: false).isOver
    }

    /// True if a page says that it is the last one, by more than a count: by a flag, or a next page that is null.
    package static func isLast(by envelope: PageEnvelope, after page: PaginationInput) -> Bool {
        let search = SignSearch(envelope, page, nil, isStated: false, isLinked: false)
        return search.isFlaggedAsLast
            || envelope.members.contains { member in
                member.name.words.contains("next") && [.null, .string("")].contains(member.value)
                    && envelope.isOfList(member)
            }
    }

    /// The sign in the words of an error that is the answer to a page that was worked out. Behind a page that is not
    /// full nothing is left, whatever limits the upstream speaks of.
    ///
    /// - Parameters:
    ///   - words: The upstream's words; nil if there are none.
    ///   - last: The elements of the page before; nil if that is unknown.
    ///   - full: The elements of a full page.
    ///   - pages: The number of pages.
    ///   - elements: The elements of all pages.
    ///   - total: The number of elements that the upstream reported.
    package static func cap(
        _ words: String?, behind last: Int?, full: Int, pages: Int, elements: Int, total: Int?
    ) -> SignOfMore? {
        guard let words, full > 0, elements > 0, total.map({ $0 > elements }) ?? true else { return nil }
        let isFull = last.map { $0 >= full } ?? elements.isMultiple(of: full)
        let refusal = RefusalWords(words)
        guard isFull, !PaginationInput.mayBeWholeList(elements, fullPage: full), refusal.sayCap else { return nil }
        // `page must be at most 3` behind three pages is the list's own end, and so is `page must be between 0 and 2`;
        // limits are round numbers.
        let numbers = refusal.numbers
        let isOwnEnd = numbers.contains(pages) || numbers.contains(0) && numbers.contains(pages - 1)
        guard pages.isMultiple(of: 10) || !isOwnEnd else { return nil }
        return SignOfMore(.cap, "the upstream says that it serves no more")
    }

    /// The sign on a page that leads on that the upstream left items out, which no later page brings.
    package static func partial(in envelope: PageEnvelope, after page: PaginationInput) -> SignOfMore? {
        SignSearch(envelope, page, nil, isStated: false, isLinked: false).leftOut
    }
}

/// Looks for signs in one page.
private struct SignSearch {
    private let envelope: PageEnvelope
    private let page: PaginationInput
    private let number: Int?
    private let isStated: Bool
    /// True if URLs lead from page to page.
    private let isLinked: Bool
    /// True if the definition says that there is one page.
    private let isAlone: Bool

    init(
        _ envelope: PageEnvelope, _ page: PaginationInput, _ number: Int?, isStated: Bool, isLinked: Bool,
        isAlone: Bool = false
    ) {
        self.envelope = envelope
        self.isLinked = isLinked
        self.isAlone = isAlone
        self.page = page
        self.number = number
        self.isStated = isStated
    }

    /// True if only an explicit flag counts: the upstream states the end, or all elements have arrived.
    var isOver: Bool { isStated || isFlaggedAsLast || Self.isTotalReached(envelope, page) }

    var isFlaggedAsLast: Bool {
        envelope.first(PagingNames.more) { Self.says($0.value) == false } != nil
            || envelope.first(PagingNames.last) { Self.saysWord($0.value) == true } != nil
    }

    var flag: SignOfMore? {
        // A number under a name of such a flag is that of the rest.
        sign(.flag, PagingNames.more) { Self.says($0.value) == true || ($0.value.count ?? 0) > 1 }
            ?? sign(.flag, PagingNames.last) { Self.saysWord($0.value) == false }
            ?? header(.flag) { value in
                Self.says(value) == true ? PagingNames.more : Self.saysWord(value) == false ? PagingNames.last : nil
            }
    }

    var partial: SignOfMore? {
        flagged(PagingNames.partial)
            ?? sign(.partial, PagingNames.whole) { Self.says($0.value) == false }
            ?? trouble ?? report(isLast: true) ?? lowerBound
    }

    /// The sign that the page itself is not whole, whatever follows it.
    var leftOut: SignOfMore? { flagged(PagingNames.leftOut) ?? trouble }

    /// The sign that the upstream failed to get all items of the page.
    private var trouble: SignOfMore? {
        var sign = failure ?? report(isLast: false)
        sign?.isOfFailure = true
        return sign
    }

    /// The sign in what the answer says of itself: in its status, in a warning, or in its coverage.
    ///
    /// Sources: `meta.status` of https://docs.datadoghq.com/api/latest/logs/#search-logs-post, `warning` of
    /// https://cloud.google.com/compute/docs/reference/rest/v1/instances/list, `coverage` of
    /// https://docs.vespa.ai/en/reference/default-result-format.html
    ///
    /// - Parameter isLast: True if no page follows: the next one may have what was cut off.
    private func report(isLast: Bool) -> SignOfMore? {
        func arePartial(_ text: String) -> Bool { RefusalWords(text).areOfPartialAnswer(isLast: isLast) }
        return envelope.members.first { member in
            guard envelope.isOfList(member) else { return false }
            let name = member.name.folded
            if PagingNames.statuses.contains(name) {
                return Self.texts(in: member.value).contains { arePartial($0) && !isAskedFor($0) } && !isOfOther(member)
            }
            if ["warning", "warnings"].contains(name) {
                return Self.texts(in: member.value).contains { text in
                    // A single word is a code. It may be one for a limit: `LIST_OVERHEAD_QUOTA_EXCEED`.
                    text.contains(" ")
                        ? RefusalWords(text).sayPartial(isLast: isLast)
                        : arePartial(text) || RefusalWords(text).sayTooOften
                }
            }
            return name == "coverage" && member.value.members?["full"].flatMap(Self.says) == false
        }.map(sign(.partial))
    }

    /// True for the status of a thing that has the items, or of the things that the request asks for.
    private func isOfOther(_ status: PageEnvelope.Member) -> Bool {
        if case .member(let outer)? = status.parents.last, PagingNames.requests.contains(MemberName(outer).folded) {
            return true
        }
        return envelope.members.contains { $0.parents == status.parents && PagingNames.identifiesThing($0.name) }
    }

    /// True if the URL has the text as a value. Upstreams repeat it: `status=partial` lists what is partial.
    private func isAskedFor(_ text: String) -> Bool {
        page.parameters.contains { $0.value.lowercasedASCII == text.lowercasedASCII }
    }

    /// The first 20 texts in a value.
    private static func texts(in value: JSONValue) -> [String] {
        var texts: [String] = []
        func read(_ value: JSONValue, _ depth: Int) {
            guard texts.count < 20, depth < 4 else { return }
            switch value {
            case .string(let text): texts.append(text)
            case .array(let elements): for element in elements.prefix(20) { read(element, depth + 1) }
            case .object(let members): for member in members.all.prefix(20) { read(member.value, depth + 1) }
            default: break
            }
        }
        read(value, 0)
        return texts
    }

    /// The sign that a part of the request failed: the items of that part are missing.
    ///
    /// Of a page without items, only counts are looked at: its errors are those of the whole request.
    ///
    /// Sources: `errors` of https://spec.graphql.org/October2021/#sec-Errors, `_shards` and `_clusters` of
    /// https://www.elastic.co/guide/en/elasticsearch/reference/current/search-search.html#search-api-response-body
    private var failure: SignOfMore? {
        envelope.members.first { member in
            envelope.isOfList(member) && page.elementCount > 0 && Self.saysErrors(member) || countsFailures(member)
        }.map(sign(.partial))
    }

    private static func saysErrors(_ member: PageEnvelope.Member) -> Bool {
        let name = member.name.folded
        return switch member.value {
        case .array(let elements): !elements.isEmpty && PagingNames.failures.contains(name)
        case .object(let members):
            // Elsewhere, numbers of errors are statistics.
            ["error", "errors"].contains(name)
                && members.all.contains {
                    (member.parents.isEmpty || $0.value.text != nil || $0.value.elements != nil)
                        && !PagingNames.saysNothing($0.value)
                }
        case .string(let text):
            // `remark: "runtime error: Query timed out"`: https://wiki.openstreetmap.org/wiki/Overpass_API
            name == "error" && !PagingNames.saysNothing(member.value)
                || name == "remark" && RefusalWords(text).sayTrouble
        default: false
        }
    }

    /// True for a count of the parts of a search that failed. A part of a cluster that is skipped is missing; a skipped
    /// shard has no matches.
    private func countsFailures(_ member: PageEnvelope.Member) -> Bool {
        guard case .number = member.value, (member.value.count ?? 0) > 0 else { return false }
        // Elsewhere, clusters may be what the list is about.
        guard
            envelope.isOfList(member)
                || ["_shards", "_clusters"].map(Path.Segment.member).contains(member.parents.last)
        else { return false }
        let name = member.name.folded
        if ["failedshards", "failedclusters", "skippedclusters"].contains(name) { return true }
        guard case .member(let parent)? = member.parents.last else { return false }
        switch MemberName(parent).folded {
        case "shards": return name == "failed"
        case "clusters": return ["failed", "skipped", "partial"].contains(name)
        default: return false
        }
    }

    private func flagged(_ names: Set<String>) -> SignOfMore? {
        sign(.partial, names) { Self.says($0.value) == true && !Self.isCount($0) }
            ?? header(.partial) { value in Self.says(value) == true ? names : nil }
    }

    /// True for a number in an object of counts: `counts: {partial: 1}`.
    private static func isCount(_ member: PageEnvelope.Member) -> Bool {
        guard case .number = member.value, case .member(let outer)? = member.parents.last else { return false }
        return MemberName(outer).words.contains { ["count", "counts", "total", "totals"].contains($0) }
    }

    /// A total that says of itself that there are at least as many, where the list stops there.
    private var lowerBound: SignOfMore? {
        guard page.elementCount > 0 else { return nil }
        return envelope.totals(after: page).first { total in
            total.value.count == page.seenCount && envelope.isAtLeast(total)
        }.map { SignOfMore(.partial, "`\($0.path)` is a lower bound, \($0.value.scalar.shown(page.secrets))") }
    }

    var pages: SignOfMore? {
        guard !isOver else { return nil }
        return countedPages ?? lastLink
    }

    private var countedPages: SignOfMore? {
        guard let read else { return nil }
        return envelope.members.first { member in
            envelope.isOfList(member) && isMore(member.value.count, than: read)
                && (PagingNames.pages.contains(member.name.folded) || envelope.isPageCount(member, after: page))
        }.map(sign(.pages)) ?? header(.pages) { value in isMore(value.count, than: read) ? PagingNames.pages : nil }
    }

    /// The number of pages read up to this one; nil if it is unknown.
    private var read: Int? { (number ?? (page.cursor == nil ? 1 : nil)).map(page.pagesRead) }

    private func isMore(_ count: Int?, than read: Int) -> Bool {
        guard let count, count > read else { return false }
        // Of pages numbered from 0 the last one says one less than there are.
        guard number == nil, let said = envelope.first(PagingNames.number)?.value.count else { return true }
        return said + 1 < count || said == read
    }

    private var lastLink: SignOfMore? {
        let own = PageNumber.inQuery(of: page.url) ?? number ?? (page.cursor == nil ? 1 : nil)
        guard let own else { return nil }
        let isLater = { (target: String) in PageNumber.inQuery(of: target).map { $0 > own } ?? false }
        if let target = LinkHeader(page.values(ofHeader: "Link")).target(of: "last"), isLater(target) {
            return SignOfMore(.pages, "the header `Link` has a later last page")
        }
        return sign(.pages, ["last", "lasturl", "lastlink", "lastpageurl"]) { $0.value.text.map(isLater) ?? false }
    }

    var rest: SignOfMore? {
        guard !isOver else { return nil }
        return sign(.rest, PagingNames.rest) { ($0.value.count ?? 0) > 0 && !isOfQuota($0) }
    }

    /// True for the requests that are left of a limit, as in `{limit: 5000, remaining: 4999}` and beside a `reset`.
    private func isOfQuota(_ member: PageEnvelope.Member) -> Bool {
        guard member.name.folded == "remaining" else { return false }
        return envelope.members.contains { other in
            guard other.parents == member.parents else { return false }
            if other.name.words.first == "reset" { return true }
            return other.name.folded == "limit"
                && other.value.count.map { $0 >= member.value.count ?? 0 && $0 > page.elementCount } ?? false
        }
    }

    var lead: SignOfMore? {
        // A page behind the last one may have the same links as the others.
        guard !isOver, page.elementCount > 0 || page.cursor == nil else { return nil }
        return envelope.members.first { envelope.isOfList($0) && leads($0) }.map(sign(.lead))
            ?? nextLink ?? leadingHeader
    }

    /// True for a URL without a host, or with that of the page: pages for people are often elsewhere.
    private func isOfThisHost(_ url: String) -> Bool {
        !url.contains("://") || url.split(separator: "/").prefix(2) == page.url.split(separator: "/").prefix(2)
    }

    private func leads(_ member: PageEnvelope.Member) -> Bool {
        if case .string(let text) = member.value {
            if PagingNames.leadsToMore(member.name) {
                return !PagingNames.isNothing(text) && !isBack(text, in: member.name) && isOfThisHost(text)
            }
            // Airtable's token; an offset of another kind is short: https://airtable.com/developers/web/api/list-records
            if member.name.folded == "offset" {
                // `UTC+02:00` is an offset, too.
                return text.utf8.count >= 8 && !text.contains(":") && member.value.count == nil
                    && !DateLike.holds(text) && !isBack(text, in: member.name) && !PagingNames.isNothing(text)
            }
        }
        guard PagingNames.leadsOn(member.name), !isLinked || !envelope.isAfterBorder(member),
            !isAlone || !envelope.isBorderOfLast(member)
        else { return false }
        let isNext = member.name.words.contains("next")
        switch member.value {
        case .string(let text):
            let isDate = ["next", "end", "after"].contains(member.name.folded) && DateLike.holds(text)
            return !PagingNames.isNothing(text) && !PagingNames.isBorder(text) && !text.contains("{") && !isDate
                && !isBack(text, in: member.name)
                && (member.name.folded != "end" || envelope.isBorder(member))
                // It may be that of a session, and is one of the list only where a page could be full.
                && (member.name.folded != "token" || PaginationInput.usualSizes.contains(page.elementCount))
        case .number: return isNext && (member.value.count ?? 0) > 0 && !isBack(member.value.json, in: member.name)
        case .object(let members):
            // `next: {page: 2, limit: 10}`
            let isPage =
                member.name.folded == "next"
                && ["page", "offset", "skip"].contains { name in
                    guard let value = members[name], (value.count ?? 0) > 0 else { return false }
                    return !isBack(value.json, in: MemberName(name))
                }
            return isPage || !members.isEmpty && PagingNames.cursorObjects.contains(member.name.folded)
        case .array(let elements): return !elements.isEmpty && PagingNames.cursorObjects.contains(member.name.folded)
        case .bool(let says): return says && isNext
        case .null: return false
        }
    }

    private var nextLink: SignOfMore? {
        guard let target = LinkHeader(page.values(ofHeader: "Link")).target(of: "next"), !isBack(target) else {
            return nil
        }
        return SignOfMore(.lead, "the header `Link` has a next page")
    }

    private var leadingHeader: SignOfMore? {
        page.headers.first { field in
            PagingNames.leadsOn(inHeader: MemberName(field.name)) && !PagingNames.isNothing(field.value)
                && !isBack(field.value, in: MemberName(field.name))
        }.map(sign(.lead))
    }

    /// True if a token or URL is this page's own: the page was asked for with it.
    ///
    /// - Parameter name: The name of its member or header; nil for a link.
    private func isBack(_ text: String, in name: MemberName? = nil) -> Bool {
        if text == page.cursor?.text || text == page.url { return true }
        if let name, isRepeated(text, in: name) { return true }
        guard let own = try? PageURL(page.url), let next = try? own.resolving(text) else { return false }
        return next == own && !text.isEmpty
    }

    /// True if a token repeats a parameter of the page's URL: one of the same name, or any one if the token is long.
    /// The offset of the next page may equal the size of this one.
    private func isRepeated(_ token: String, in name: MemberName) -> Bool {
        let isLong = token.utf8.count >= 8 && JSONScalar.text(token).count == nil
        return page.parameters.contains { parameter in
            parameter.value == token && (isLong || MemberName(parameter.name).folded == name.folded)
        }
    }

    var total: SignOfMore? {
        envelope.totals(after: page).first { total in
            guard let count = total.value.count, count > page.seenCount else { return false }
            return page.elementCount > 0 || !envelope.isBound(total)
        }.map(sign(.total))
    }

    /// True if several pages had as many items as the total. A total equal to one page's count may be just that.
    private static func isTotalReached(_ envelope: PageEnvelope, _ page: PaginationInput) -> Bool {
        guard page.crawlElementCount > page.elementCount else { return false }
        return envelope.totals(after: page).contains { $0.value.count == page.seenCount && !envelope.isBound($0) }
    }

    private func sign(
        _ kind: SignOfMore.Kind, _ names: Set<String>, where isFit: (PageEnvelope.Member) -> Bool
    ) -> SignOfMore? {
        // ArcGIS writes it in the properties of GeoJSON, and it speaks of nothing else.
        let isPlain = { (member: PageEnvelope.Member) in member.name.folded == "exceededtransferlimit" }
        return envelope.first(names) { (envelope.isOfList($0) || isPlain($0)) && isFit($0) }.map(sign(kind))
    }

    private func sign(_ kind: SignOfMore.Kind) -> (PageEnvelope.Member) -> SignOfMore {
        { .at($0.path, $0.value.scalar, kind, page.secrets) }
    }

    private func sign(_ kind: SignOfMore.Kind) -> (NamedValue) -> SignOfMore {
        { SignOfMore(kind, "the header `\($0.name)` is \(JSONScalar.text($0.value).shown(page.secrets))") }
    }

    /// A header with a suitable folded name, with or without `X-` and a vendor's prefix.
    ///
    /// - Parameter names: The names under which a value is a sign; nil if it is none under any name.
    private func header(_ kind: SignOfMore.Kind, names: (JSONValue) -> Set<String>?) -> SignOfMore? {
        page.headers.first { field in
            // Few values say anything, and a name takes longer to read.
            guard let names = names(.string(field.value)) else { return false }
            let words = MemberName(field.name).words
            return (0...2).contains { drop in drop < words.count && names.contains(words.dropFirst(drop).joined()) }
        }.map(sign(kind))
    }

    /// The meaning of a flag in any notation; nil for other values.
    static func says(_ value: JSONValue) -> Bool? {
        switch value {
        case .bool(let says): return says
        case .number("1"): return true
        case .number("0"): return false
        // A longer text is not a flag: the values of all headers come here.
        case .string(let text) where text.utf8.count <= 5:
            switch text.lowercasedASCII {
            case "true", "yes", "y", "1": return true
            case "false", "no", "n", "0": return false
            default: return nil
            }
        default: return nil
        }
    }

    /// The same of a name that may be a number's: `last_page: 1`.
    private static func saysWord(_ value: JSONValue) -> Bool? {
        switch value {
        case .number, .string("0"), .string("1"): nil
        default: says(value)
        }
    }
}

/// Texts that are a day, a time or a month: a calendar's `next` is no page of a list.
enum DateLike {
    /// True if the text is such a one.
    static func holds(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count >= 7, bytes.count <= 35, bytes[4] == UInt8(ascii: "-") else { return false }
        return bytes.prefix(4).allSatisfy(\.isASCIIDigit)
            && bytes.allSatisfy { "0123456789-:.TZ+ ".utf8.contains($0) }
    }
}

extension PaginationInput {
    /// The elements of the list up to the end of this page.
    package var seenCount: Int { crawlElementCount + passedOver }

    /// The pages of the list that were read, with this one as the one of that number, from 1. An empty page comes
    /// behind the last one, but for the first: it is the one page of an empty list, and a total says if there is more.
    func pagesRead(_ number: Int) -> Int { elementCount == 0 && number > 1 ? number - 1 : number }
}

/// The number of a page in its URL.
enum PageNumber {
    private static let parameters: Set<String> = [
        "page", "p", "pageno", "pagenumber", "pagenum", "paged", "pn", "pageindex", "currentpage",
    ]

    /// The number that the query of a URL asks for.
    static func inQuery(of url: String) -> Int? {
        guard let start = url.firstIndex(of: "?") else { return nil }
        for pair in url[url.index(after: start)...].split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            // `page%5Bnumber%5D`
            let name = parts[0].uppercased().replacing("%5B", with: "[").replacing("%5D", with: "]").lowercased()
            guard parameters.contains(MemberName(String(name)).folded) else { continue }
            return JSONScalar.text(String(parts[1])).count
        }
        return nil
    }
}
