internal import YAML

/// The pagination styles there are.
public enum PaginationStyles {
    /// Every supported style, one line each.
    public static let all: [any PaginationStyle.Type] = [
        PageStyle.self,
        OffsetStyle.self,
        CursorStyle.self,
        NextURLStyle.self,
        LinkStyle.self,
        KeysetStyle.self,
        NoPagination.self,
        AutoPagination.self,
    ]

    /// Reads a feed's `pagination`: a mapping with a `style`, or the style's name alone.
    ///
    /// Without any it is `auto`.
    static func read(_ name: String, of members: MappingReader) -> any PaginationStyle {
        let nothing = AutoPagination()
        guard let node = members.node(name) else { return nothing }
        let subject = "`\(name)` of \(members.subject)"
        guard node.pairs != nil else {
            guard let word = members.string(name, node), let style = style(word, node, members, subject) else {
                return nothing
            }
            return style.init(MappingReader(Node(.mapping([]), mark: node.mark), of: subject, log: members.log))
        }
        let reader = MappingReader(node, of: subject, log: members.log)
        reader.require("style", "say how pages follow each other, as in `style: page`")
        guard let word = reader.string("style"), let place = reader.node("style"),
            let style = style(word, place, members, subject)
        else { return nothing }
        defer { reader.finish() }
        return style.init(reader)
    }

    private static func style(
        _ word: String, _ node: Node, _ members: MappingReader, _ subject: String
    ) -> (any PaginationStyle.Type)? {
        if let style = all.first(where: { $0.name == word }) { return style }
        let supported = MappingReader.list(all.map { $0.name })
        let position = SourcePosition(node.mark)
        members.mistake(
            "unknown pagination style `\(word)` in \(subject), which can be \(supported)", at: position, word: word,
            suggestion: NearestWord.suggestion(for: word, among: all.map { $0.name }))
        return nil
    }
}
