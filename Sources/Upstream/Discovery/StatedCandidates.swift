internal import HTTP

/// The candidates that a page states itself: `Link`, a URL in the body or a header, an object to send back.
struct StatedCandidates {
    typealias Sign = PageSigns.Sign

    let page: PageSigns

    /// Members that lead on by a URL where they lead anywhere, folded.
    private static let nextURLNames: Set<String> = [
        "next", "nexturl", "nextpageurl", "nextlink", "nexthref", "nextpagelink", "nexturi", "nextpageuri",
        "nextrecordsurl", "nextpagepath", "nextpage", "nextresults", "afterurl",
    ]

    private static let urlEndings = ["url", "uri", "link", "href", "path"]

    /// All of them, likeliest first.
    var all: [PagingCandidate] { [link].compactMap(\.self) + nextURLs + nextURLHeaders + nextObjects }

    private var link: PagingCandidate? {
        let links = LinkHeader(page.headers.values(of: "Link"))
        let style = FlowMapping().with("style", "link").with("total", page.exactTotal?.path)
        if links.target(of: "next") != nil {
            return PagingCandidate(
                trial: .follow, members: style, certainty: .certain,
                evidence: "the header `Link` leads to the next page")
        }
        let other = ["prev", "previous", "first", "last"].first { links.target(of: $0) != nil }
        return other.map { relation in
            PagingCandidate(
                trial: .follow, members: style, certainty: .certain,
                evidence: "the header `Link` has `rel=\"\(relation)\"` and no `next`: this is the last page",
                leadsOn: false)
        }
    }

    private var nextURLs: [PagingCandidate] {
        let named = page.signs.filter(Self.isNamedNext)
        let leading = named.filter { Self.isTarget($0) && !isBelowBase($0) }.sorted { one, other in
            Self.nextURLNames.contains(one.name.folded) && !Self.nextURLNames.contains(other.name.folded)
        }
        let candidates = leading.map { sign in
            PagingCandidate(
                trial: .follow,
                members: FlowMapping().with("style", "next_url").with("next", sign.path)
                    .with("last", page.flag(PagingNames.last, beside: sign)).with("total", page.exactTotal?.path),
                certainty: Self.nextURLNames.contains(sign.name.folded) && !isMeantForPeople(sign.value.text ?? "")
                    ? .certain : .likely,
                evidence: "`\(sign.path)` leads to the next page")
        }
        if !candidates.isEmpty { return candidates }
        let empty = named.filter { $0.value == .null && Self.nextURLNames.contains($0.name.folded) }
        // Beside a `next_url`, `next` is a token.
        return [empty.first { $0.name.folded != "next" } ?? empty.first].compactMap(\.self).map { sign in
            PagingCandidate(
                trial: .follow,
                members: FlowMapping().with("style", "next_url").with("next", sign.path)
                    .with("total", page.exactTotal?.path),
                certainty: .certain, evidence: "`\(sign.path)` is null: this is the last page", leadsOn: false,
                isOpen: !page.isWebFeed && !isPlaceOfURL(sign))
        }
    }

    /// True for a member that can only be a URL, by its own name, by that of the links that it is among, or by the
    /// members beside it: https://www.django-rest-framework.org/api-guide/pagination/#pagenumberpagination
    private func isPlaceOfURL(_ sign: Sign) -> Bool {
        let beside = Set(page.signs.filter { $0.parents == sign.parents }.map(\.name.folded))
        if beside.isSuperset(of: ["next", "previous", "count"]) { return true }
        let own = [sign.written, sign.path.lastName ?? ""].map { MemberName($0).folded }
        if own.contains(where: { name in Self.urlEndings.contains { name.hasSuffix($0) } }) { return true }
        guard case .member(let outer)? = sign.parents.last else { return false }
        return ["link", "links"].contains(MemberName(outer).folded)
    }

    private var nextURLHeaders: [PagingCandidate] {
        page.headers.fields.filter { field in
            let name = MemberName(field.name)
            return name.words.contains("next") && field.value.contains("/") && Self.isURL(field.value)
        }.map { field in
            PagingCandidate(
                trial: .follow,
                members: FlowMapping().with("style", "next_url").with("header", field.name)
                    .with("total", page.exactTotal?.path),
                certainty: .certain, evidence: "the header `\(field.name)` leads to the next page")
        }
    }

    /// MediaWiki's `continue`: https://www.mediawiki.org/wiki/API:Continue
    var nextObjects: [PagingCandidate] {
        page.signs.filter { sign in
            guard ["continue", "querycontinue", "nextparams", "nextquery"].contains(sign.name.folded),
                let members = sign.value.members
            else { return false }
            return !members.all.isEmpty && members.all.allSatisfy { $0.value.isScalar }
        }.map { sign in
            PagingCandidate(
                trial: .follow,
                members: FlowMapping().with("style", "cursor").with("next", sign.path)
                    .with("total", page.exactTotal?.path),
                certainty: .certain, evidence: "`\(sign.path)` holds the parameters of the next page")
        }
    }

    /// True if a URL may be that of a web page: `/latest?page=1` in the answer to `/latest.json`.
    private func isMeantForPeople(_ target: String) -> Bool {
        page.url.path.hasSuffix(".json") && !target.prefix { $0 != "?" }.hasSuffix(".json") && !target.hasPrefix("?")
    }

    /// True for a path that the client has to append to a `base` in the same object, as in Confluence's `_links`. The
    /// path alone leads elsewhere.
    ///
    /// Source: https://developer.atlassian.com/server/confluence/pagination-in-the-rest-api/
    private func isBelowBase(_ sign: Sign) -> Bool {
        let isBeside = { (other: Sign) in other.written == "base" && other.parents == sign.parents }
        guard let target = sign.value.text, target.hasPrefix("/"),
            let base = page.signs.first(where: isBeside)?.value.text.flatMap({ try? WebURL($0) })
        else { return false }
        let path = String(target.prefix { $0 != "?" })
        let start = base.path.hasSuffix("/") ? String(base.path.dropLast()) : base.path
        return !start.isEmpty && page.url.path != path && page.url.path.hasSuffix(start + path)
    }

    private static func isNamedNext(_ sign: Sign) -> Bool {
        let words = sign.name.words
        guard
            words.contains("next") || words.contains("more") || words == ["nextpage"] || words == ["nexturl"]
                || words == ["after", "url"]
        else {
            return false
        }
        return Set(words).isDisjoint(with: [
            "previous", "prev", "last", "first", "learn", "read", "info", "event", "run",
        ])
    }

    /// True if a member holds a URL: one that can be nothing else, or a relative one where its name says so.
    static func isTarget(_ sign: Sign) -> Bool {
        guard let text = sign.value.text, isNamedNext(sign) else { return false }
        if isURL(text) { return true }
        guard !PagingNames.isNothing(text), !text.contains("{"), !text.contains(" ") else { return false }
        let saysURL = sign.name.words.contains { ["url", "uri", "link", "href", "path"].contains($0) }
        return saysURL || text.contains("?") && text.contains("=")
    }

    /// True if a text is an absolute URL, or a relative one that cannot be anything else.
    static func isURL(_ text: String) -> Bool {
        guard !text.contains("{"), !text.contains(" ") else { return false }
        return ["http://", "https://", "HTTP://", "HTTPS://", "/", "?"].contains { text.hasPrefix($0) }
            && text.utf8.count > 1
    }
}
