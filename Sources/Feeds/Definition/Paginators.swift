internal import YAML

/// A paginator that a configuration can name.
protocol ReadablePaginator: Paginator {
    /// Reads the style's members. Diagnostics go to the reader, and the style made then is never used.
    init(_ members: MappingDecoder)
}

/// The paginators there are.
enum Paginators {
    /// Every supported style, one line each.
    static let all: [any ReadablePaginator.Type] = [
        PageNumberPaginator.self,
        OffsetPaginator.self,
        CursorPaginator.self,
        NextURLPaginator.self,
        LinkPaginator.self,
        KeysetPaginator.self,
        SinglePagePaginator.self,
        AutoPaginator.self,
    ]

    /// Reads a feed's `pagination`: a mapping with a `style`, or the style's name alone.
    ///
    /// Without any it is `auto`.
    static func read(_ name: String, of members: MappingDecoder) -> any Paginator {
        let nothing = AutoPaginator()
        guard let node = members.node(name) else { return nothing }
        let subject = "`\(name)` of \(members.subject)"
        guard node.pairs != nil else {
            guard let word = members.string(name, node), let style = style(word, node, members, subject) else {
                return nothing
            }
            return style.init(MappingDecoder(Node(.mapping([]), mark: node.mark), of: subject, log: members.log))
        }
        let reader = MappingDecoder(node, of: subject, log: members.log)
        reader.require("style", "say how pages follow each other, as in `style: page`")
        guard let word = reader.string("style"), let place = reader.node("style"),
            let style = style(word, place, members, subject)
        else { return nothing }
        defer { reader.finish() }
        return style.init(reader)
    }

    private static func style(
        _ word: String, _ node: Node, _ members: MappingDecoder, _ subject: String
    ) -> (any ReadablePaginator.Type)? {
        if let style = all.first(where: { $0.name == word }) { return style }
        let supported = MappingDecoder.list(all.map { $0.name })
        let position = SourcePosition(node.mark)
        members.report(
            "unknown style `\(word)` in \(subject), which can be \(supported)", at: position, word: word,
            suggestion: NearestWord.suggestion(for: word, among: all.map { $0.name }))
        return nil
    }
}

extension PageNumberPaginator: ReadablePaginator {
    /// Reads `param` (default `page`), `first` (default 1), `size_param` and `size`, which go together, `prefetch`
    /// (default 1), the paths `total`, `pages`, `more` and `last`, and `header`, the name of one with the number of
    /// pages.
    init(_ members: MappingDecoder) {
        let parameter = members.string("param") ?? "page"
        if members.has("header"), members.has("pages") {
            members.report("`pages` and `header` cannot be used together", at: "header")
        }
        self.init(
            parameter: parameter, first: members.integer("first", in: 0...Int.max) ?? 1,
            size: PageSize(members, besides: [parameter]), total: StatedTotal(members), pages: members.path("pages"),
            pagesHeader: members.string("header"), flags: MoreFlag(members), prefetch: members.prefetch)
    }
}

extension OffsetPaginator: ReadablePaginator {
    /// Reads `param` (default `offset`), `first` (default 0), `base` (0 or 1), `limit` with `limit_param` (default
    /// `limit`), `prefetch` (default 1), and the paths `total`, `more` and `last`.
    init(_ members: MappingDecoder) {
        let parameter = members.string("param") ?? "offset"
        let limitParameter = members.string("limit_param") ?? "limit"
        let limit = members.integer("limit", in: PageSize.range).map { PageSize(parameter: limitParameter, count: $0) }
        if members.has("limit_param"), !members.has("limit") {
            members.report("`limit_param` needs a `limit`: the number to send", at: "limit_param")
        }
        if limitParameter == parameter {
            members.report("`limit_param` is the same parameter as `param`", at: "limit_param")
        }
        self.init(
            parameter: parameter, first: members.integer("first", in: 0...JSONScalar.mostCount),
            base: members.integer("base", in: 0...1) ?? 0, limit: limit,
            total: StatedTotal(members), flags: MoreFlag(members),
            prefetch: members.prefetch)
    }
}

extension CursorPaginator: ReadablePaginator {
    /// Reads `param`, `next` (the token's path) or `header` (the name of one that holds it), the paths `more`, `last`
    /// and `total`, `size_param` and `size`, which go together, `alone`, and `at`.
    init(_ members: MappingDecoder) {
        let parameter = members.string("param")
        let source = NextSource.read(members) ?? .body(Path([]))
        let flags = MoreFlag(members)
        let size = PageSize(members, besides: parameter.map { [$0] } ?? [])
        if members.has("header"), !members.has("param") {
            members.report("`header` needs a `param`: the query parameter that the token is sent in", at: "header")
        }
        self.init(
            parameter: parameter, source: source, flags: flags, total: StatedTotal(members), size: size,
            isAlone: members.boolean("alone") ?? false, address: members.address("at"))
    }
}

extension NextURLPaginator: ReadablePaginator {
    /// Reads `next`, the path of the URL, or `header`, the name of one that holds it, the paths `more`, `last` and
    /// `total`, and `size_param` and `size`, which go together.
    init(_ members: MappingDecoder) {
        self.init(
            source: NextSource.read(members) ?? .body(Path([])), flags: MoreFlag(members),
            total: StatedTotal(members), size: PageSize(members, besides: []))
    }
}

extension LinkPaginator: ReadablePaginator {
    /// Reads the paths `more`, `last` and `total`, and `size_param` and `size`, which go together.
    init(_ members: MappingDecoder) {
        self.init(
            flags: MoreFlag(members), total: StatedTotal(members), size: PageSize(members, besides: []))
    }
}

extension KeysetPaginator: ReadablePaginator {
    /// Reads `param`, one name or several, `from`, as many paths in an item, the paths `more`, `last` and `total`, and
    /// `size_param` and `size`, which go together.
    init(_ members: MappingDecoder) {
        members.require("param", "name the query parameter that takes the last item's value")
        members.require("from", "say where in an item that value is, as in `from: id`")
        let names = members.strings("param").map(\.text)
        let values = members.strings("from")
        let paths = values.compactMap { members.path("from", $0.node) }
        let size = PageSize(members, besides: names)
        if members.has("param"), members.has("from"), names.count != values.count || names.isEmpty {
            members.report("`param` and `from` go together: as many names as paths, and at least one", at: "from")
        }
        if Set(names).count < names.count {
            members.report("`param` has a name twice", at: "param")
        }
        self.init(
            parameters: names, paths: paths, flags: MoreFlag(members), total: StatedTotal(members), size: size)
    }
}

extension SinglePagePaginator: ReadablePaginator {
    /// Reads the paths `more`, `last` and `total`.
    init(_ members: MappingDecoder) { self.init(flags: MoreFlag(members), total: StatedTotal(members)) }
}

extension AutoPaginator: ReadablePaginator {
    /// Reads nothing: the style has no members.
    init(_ members: MappingDecoder) { self.init() }
}

extension StatedTotal {
    /// Reads the path `total`; nil where there is none.
    fileprivate init?(_ members: MappingDecoder) {
        guard let path = members.path("total") else { return nil }
        self.init(path)
    }
}

extension PageSize {
    /// Reads `size_param` and `size`, which go together; nil where they are absent.
    ///
    /// - Parameter cursorParameters: the parameters that say which page; the size must be none of them.
    init?(_ members: MappingDecoder, besides cursorParameters: [String]) {
        let name = members.string("size_param")
        let count = members.integer("size", in: Self.range)
        if members.has("size_param") != members.has("size") {
            members.report("`size_param` and `size` go together: the parameter's name and its value")
        }
        if let name, cursorParameters.contains(name) {
            members.report("`size_param` is the same parameter as `param`", at: "size_param")
        }
        guard let name, let count else { return nil }
        self.init(parameter: name, count: count)
    }
}

extension MoreFlag {
    /// Reads the paths `more` and `last`.
    init(_ members: MappingDecoder) { self.init(more: members.path("more"), last: members.path("last")) }
}

extension NextSource {
    /// Reads `next`, a path, or `header`, a name; nil, with a diagnostic, unless it is one of them.
    static func read(_ members: MappingDecoder) -> NextSource? {
        let path = members.path("next")
        let header = members.string("header")
        switch (members.has("next"), members.has("header")) {
        case (true, true):
            members.report("`next` and `header` cannot be used together", at: "header")
            return nil
        case (false, false):
            members.report("say what leads to the next page: `next`, a path in the body, or `header`, a name")
            return nil
        default:
            return path.map(Self.body) ?? header.map(Self.header)
        }
    }
}

extension MappingDecoder {
    /// The number of simultaneous requests of a feed whose pages can be computed: 1 if nothing is said. More than 16 is
    /// rude to any host, and gains nothing on any line.
    fileprivate var prefetch: Int { integer("prefetch", in: 1...16) ?? 1 }
}
