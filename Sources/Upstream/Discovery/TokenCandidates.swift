internal import HTTP

/// The candidates from tokens to send back.
struct TokenCandidates {
    typealias Sign = PageSigns.Sign

    let page: PageSigns

    /// The most parameters that are tried for one token.
    private static let mostParameters = 5

    /// The tokens that may get the next page, though nothing says as which parameter.
    var all: [PagingCandidate] {
        let inBody = inOrder.flatMap { sign in
            parameters(for: sign.written, in: sign.parents, value: sign.value.scalar).map { parameter in
                cursor(parameter, from: sign, more: page.flag(PagingNames.more, beside: sign))
            }
        }
        return inBody + lastItems + headerTokens
    }

    private func cursor(_ parameter: String, from sign: Sign, more: Path?) -> PagingCandidate {
        PagingCandidate(
            trial: .follow,
            members: FlowMapping().with("style", "cursor").with("param", parameter).with("next", sign.path)
                .with("more", more).with("last", more == nil ? page.flag(PagingNames.last, beside: sign) : nil)
                .with("total", page.exactTotal?.path),
            certainty: .likely, evidence: "`\(sign.path)` holds a token for the next page, sent as `\(parameter)`")
    }

    /// The id of the last item where a flag says that there is more, by that name or by its own, such as `last_appid`
    /// of https://partner.steamgames.com/doc/webapi/IStoreService; and CouchDB's last change:
    /// https://docs.couchdb.org/en/stable/api/database/changes.html
    private var lastItems: [PagingCandidate] {
        let ids = page.more.map { more in
            page.signs.filter { $0.value.scalar.parameterText != nil }.flatMap { sign in
                lastItemParameters(for: sign).map { cursor($0, from: sign, more: more.path) }
            }
        }
        let pending = page.first(["pending"]) { $0.value.count ?? 0 > 0 }
        let change = pending.flatMap { pending in
            page.first(["lastseq"]) { $0.value.scalar.parameterText != nil }.map {
                cursor("since", from: $0, more: pending.path)
            }
        }
        return (ids ?? []) + [change].compactMap(\.self)
    }

    /// The parameters that may take the id of the last item; empty if the member is none.
    private func lastItemParameters(for sign: Sign) -> [String] {
        if ["lastid", "lastitemid"].contains(sign.name.folded) {
            return ["after", "after_id", sign.written, "starting_after"]
        }
        guard case .member(let own)? = page.key?.segments.last, sign.name.folded == "last" + MemberName(own).folded
        else {
            return []
        }
        return [sign.written, "after"]
    }

    private var headerTokens: [PagingCandidate] {
        page.headers.fields.filter { field in
            PagingNames.leadsOn(inHeader: MemberName(field.name)) && !PagingNames.isNothing(field.value)
                && !StatedCandidates.isURL(field.value)
        }.flatMap { field in
            // `X-` and a vendor's name are no part of what is sent.
            let name = PagingNames.withoutPrefix(MemberName(field.name)).joined(separator: "_")
            return parameters(for: name, in: [], value: .text(field.value)).map { parameter in
                PagingCandidate(
                    trial: .follow,
                    members: FlowMapping().with("style", "cursor").with("param", parameter).with("header", field.name)
                        .with("total", page.exactTotal?.path),
                    certainty: .likely,
                    evidence: "the header `\(field.name)` holds what comes next, sent as `\(parameter)`")
            }
        }
    }

    private func isToken(_ sign: Sign) -> Bool {
        let name = sign.name.folded
        guard PagingNames.token.contains(name) || PagingNames.leadsOn(sign.name) && page.isOfList(sign) else {
            return false
        }
        guard sign.value.members == nil, sign.value.elements == nil else {
            // An object of scalars, each of them a parameter, has been tried by then.
            return PagingNames.cursorObjects.contains(name) && sign.value.scalar.tokenText != nil
                && !StatedCandidates(page: page).nextObjects.contains { $0.evidence.contains("`\(sign.path)`") }
        }
        guard let text = sign.value.scalar.parameterText, !PagingNames.isNothing(text), !PagingNames.isBorder(text),
            !StatedCandidates.isTarget(sign)
        else {
            return false
        }
        if name == "end" { return page.envelope.isBorder(sign) }
        // A number is a token only where its name, or that of its object, says that it is the next one.
        return sign.value.text != nil && (sign.value.count == nil || sign.name.words.last == "cursor")
            || sign.name.words.contains("next") || isOfNext(sign)
    }

    /// True for a member of `next`: `paging: {next: {after: "10"}}`.
    private func isOfNext(_ sign: Sign) -> Bool {
        guard case .member(let outer)? = sign.parents.last else { return false }
        return MemberName(outer).folded == "next"
    }

    /// The place of the likeliest token; nil if there is none.
    var place: Path? { inOrder.first?.path }

    private var inOrder: [Sign] {
        page.signs.filter(isToken).sorted { rank($0) < rank($1) }
    }

    /// The place of a token among others: the next page's own first, a number after any other of them, for it may only
    /// count pages: `next: {page: 2, starting_after: "abc"}`.
    private func rank(_ sign: Sign) -> Int {
        guard sign.name.words.contains("next") || isOfNext(sign) else { return 2 }
        return sign.value.count == nil ? 0 : 1
    }

    /// The parameters that may take a token of that name, likeliest first.
    private func parameters(for name: String, in parents: ArraySlice<Path.Segment>, value: JSONScalar) -> [String] {
        let token = MemberName(name)
        let spelled = { (words: [String]) in Self.joined(words, like: name) }
        let plain = token.words.filter { !["next", "end"].contains($0) }
        var wishes: [String]
        switch token.folded {
        case "nextcursor", "nextpagecursor":
            wishes = ["cursor", name, spelled(["start", "cursor"]), "after", spelled(["page", "cursor"])]
        case "cursor": wishes = ["cursor", "after", spelled(["page", "cursor"])]
        case "endcursor": wishes = ["after", "cursor", name]
        case "aftercursor": wishes = ["cursor", "after", "page[after]", name]
        case "after":
            let isInPage = parents.last == .member("page")
            wishes = isInPage ? ["page[cursor]", "page[after]", "after"] : ["after", "cursor", "page[after]"]
        case "nextpagetoken", "pagetoken":
            wishes = [spelled(["page", "token"]), name, "page_token", "pageToken"]
            // https://circleci.com/docs/api/v2/
            if name.contains("_") { wishes.insert("page-token", at: usesHyphens ? 0 : 2) }
        case "nexttoken": wishes = [name, "from", spelled(["token"]), spelled(["pagination", "token"])]
        case "paginationtoken": wishes = [name, spelled(["next", "token"]), spelled(["token"])]
        case "nextcontinuationtoken":
            wishes = [spelled(["continuation", "token"]), "continuation-token", "continuationToken", name]
        case "continuationtoken": wishes = ["continuationToken", name, "continuation_token", "continuation-token"]
        case "lastevaluatedkey", "lastkey":
            let keys = [spelled(["exclusive", "start", "key"]), spelled(["start", "key"])]
            wishes = (token.folded == "lastkey" ? keys.reversed() : keys) + [name]
        case "token": wishes = [name, spelled(["page", "token"]), spelled(["next", "token"])]
        case "nextbatch": wishes = ["since", "from", name]
        case "end": wishes = ["from"]
        case "nextid": wishes = ["from", "after", name, spelled(["start", "id"]), "id"]
        case "nextpage": wishes = value.count == nil ? [name, "page", "cursor"] : ["page", "pageNo", "p"]
        case "next":
            switch value.count {
            case let count? where count >= max(page.itemCount, 3): wishes = ["offset", "start", "cursor", "next"]
            case .some: wishes = ["page", "cursor", "offset", "next"]
            case nil: wishes = ["cursor", "next", "after", "token"]
            }
        case "nextresults", "nextrecord", "nextindex": wishes = ["start", "offset"]
        default: wishes = [spelled(plain), name]
        }
        // A parameter that the URL has already is one that the upstream reads.
        let given = page.query.filter { item in
            page.mayReplace(item.name)
                && (wishes.contains(item.name) || PagingNames.token.contains(MemberName(item.name).folded)
                    || Self.isStart(item))
        }.map(\.name)
        var seen: Set<String> = [""]
        return Array((given + wishes).filter { seen.insert($0).inserted }.prefix(Self.mostParameters))
    }

    /// True if the request has a parameter with a hyphen in its name, and none with `_`.
    private var usesHyphens: Bool {
        page.query.contains { $0.name.contains("-") } && !page.query.contains { $0.name.contains("_") }
    }

    /// True for a parameter that asks for the beginning of a list by a token: `cursorMark=*`, `start_cursor=-1`.
    private static func isStart(_ item: NamedValue) -> Bool {
        PagingNames.isBorder(item.value)
            && MemberName(item.name).words.contains { ["cursor", "mark", "marker", "token", "scroll"].contains($0) }
    }

    /// Words spelled as a name is: `page_token`, `pageToken` or `PageToken`.
    private static func joined(_ words: [String], like name: String) -> String {
        guard !name.contains("_"), !name.contains("-") else { return words.joined(separator: "_") }
        let isUpper = name.first.map { ("A"..."Z").contains($0) } ?? false
        return words.enumerated().map { index, word in
            index == 0 && !isUpper ? word : word.prefix(1).uppercased() + word.dropFirst()
        }.joined()
    }
}
