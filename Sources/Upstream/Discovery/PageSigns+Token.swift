internal import HTTP

extension PageSigns {
    /// The number of parameters to try for one token.
    private static let mostParameters = 4

    /// The tokens to send back for the next page, although their parameter is unknown.
    var tokens: [PagingCandidate] {
        let inBody = signs.filter(isToken).sorted { one, other in
            one.name.words.contains("next") && !other.name.words.contains("next")
        }.flatMap { sign in
            parameters(for: sign.written, value: sign.value.scalar).map { parameter in
                PagingCandidate(
                    trial: .follow,
                    members: FlowMapping().with("style", "cursor").with("param", parameter).with("next", sign.path)
                        .with("more", moreFlag(beside: sign.path)).with("total", place(listTotal)),
                    certainty: .likely,
                    evidence: "`\(sign.path)` holds a token for the next page, sent as `\(parameter)`")
            }
        }
        return inBody + headerTokens
    }

    private var headerTokens: [PagingCandidate] {
        headers.fields.filter { field in
            let words = MemberName(field.name).words
            let speaks = words.contains("next") || words.contains("cursor") || words.contains("cursor")
            return speaks && !field.value.isEmpty && !Self.isURL(field.value)
        }.flatMap { field in
            // `X-` and a vendor's name are not sent back.
            let words = MemberName(field.name).words.filter { !["x", "ms"].contains($0) }
            let name = words.joined(separator: "_")
            return parameters(for: name, value: .text(field.value)).map { parameter in
                PagingCandidate(
                    trial: .follow,
                    members: FlowMapping().with("style", "cursor").with("param", parameter).with("header", field.name)
                        .with("total", place(listTotal)),
                    certainty: .likely,
                    evidence: "the header `\(field.name)` holds what comes next, sent as `\(parameter)`")
            }
        }
    }

    private func isToken(_ sign: Sign) -> Bool {
        guard PagingNames.token.contains(sign.name.folded), let text = sign.value.scalar.parameterText, !text.isEmpty,
            !Self.isURL(text)
        else { return false }
        // A number is a token only where its name says that it is the next one.
        return sign.value.text != nil && (sign.value.count == nil || sign.name.words.last == "cursor")
            || sign.name.words.contains("next")
    }

    /// The has-more flag in the same object.
    func moreFlag(beside path: Path) -> Path? {
        let parent = Array(path.segments.dropLast())
        return first(PagingNames.more) { sign in
            guard case .bool = sign.value else { return false }
            return Array(sign.path.segments.dropLast()) == parent
        }?.path
    }

    /// The parameters that may take a token of that name, likeliest first.
    private func parameters(for name: String, value: JSONScalar) -> [String] {
        let token = MemberName(name)
        let isCamel = !name.contains("_") && !name.contains("-")
        let plain = token.words.filter { !["next", "end"].contains($0) }
        var wishes: [String]
        switch token.folded {
        case "nextcursor", "cursor", "nextpagecursor": wishes = ["cursor", "after", "page_cursor"]
        case "endcursor": wishes = ["after", "cursor"]
        case "nextpagetoken", "pagetoken": wishes = [isCamel ? "pageToken" : "page_token", "page_token", "pageToken"]
        case "nexttoken", "paginationtoken":
            wishes = [isCamel ? "nextToken" : "next_token", "from", "token", "pagination_token"]
        case "nextpage": wishes = value.count == nil ? [name, "page", "cursor"] : ["page", "pageNo", "p"]
        case "next":
            switch value.count {
            case let count? where count >= max(itemCount, 3): wishes = ["offset", "start", "cursor"]
            case .some: wishes = ["page", "cursor", "offset"]
            case nil: wishes = ["cursor", "next", "after"]
            }
        case "nextresults", "nextrecord", "nextindex": wishes = ["start", "offset"]
        default: wishes = [Self.joined(plain, isCamel: isCamel), name]
        }
        // The upstream reads the parameters that the URL already has.
        let given = query.map(\.name).filter { name in
            wishes.contains(name) || PagingNames.token.contains(MemberName(name).folded)
        }
        var seen: Set<String> = [""]
        return Array((given + wishes).filter { seen.insert($0).inserted }.prefix(Self.mostParameters))
    }

    private static func joined(_ words: [String], isCamel: Bool) -> String {
        guard isCamel else { return words.joined(separator: "_") }
        return words.enumerated().map { index, word in
            index == 0 ? word : word.prefix(1).uppercased() + word.dropFirst()
        }.joined()
    }
}
