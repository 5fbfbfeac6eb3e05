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
            "unknown paginator `\(word)` in \(subject), which can be \(supported)", at: position, word: word,
            suggestion: NearestWord.suggestion(for: word, among: all.map { $0.name }))
        return nil
    }
}
