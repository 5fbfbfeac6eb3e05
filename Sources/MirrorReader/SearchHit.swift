package import Text

/// An item found by its words.
public struct SearchHit: Sendable, Hashable {
    /// The feed's name.
    public let feed: String
    /// The item's key as JSON: a value, or an array of several.
    public let key: String
    /// The item's title.
    public let title: MarkedText
    /// A part of its text, around the words of the search if they are in it.
    public let excerpt: MarkedText
    /// The item's address on the web; nil if no column has it.
    public let link: String?
}

/// A text with the matches of a search.
public struct MarkedText: Sendable, Hashable {
    /// A part of a text.
    public struct Piece: Sendable, Hashable {
        /// The characters.
        public let text: String
        /// True for a piece that matches.
        public let isMatch: Bool
    }

    /// The text in pieces, in order.
    public let pieces: [Piece]

    /// The whole text.
    public var text: String { pieces.map(\.text).joined() }

    /// A text with its matches marked.
    package init(_ text: String, _ search: SearchText) {
        var pieces: [Piece] = []
        var place = text.startIndex
        func add(_ range: Range<String.Index>, isMatch: Bool) {
            if !range.isEmpty { pieces.append(Piece(text: String(text[range]), isMatch: isMatch)) }
        }
        for match in search.matches(in: text) {
            add(place..<match.lowerBound, isMatch: false)
            add(match, isMatch: true)
            place = match.upperBound
        }
        add(place..<text.endIndex, isMatch: false)
        self.pieces = pieces
    }

    /// The matches in the text, each once.
    package var matches: [String] {
        pieces.reduce(into: []) { found, piece in
            if piece.isMatch, !found.contains(piece.text) { found.append(piece.text) }
        }
    }
}

extension MarkedText {
    /// The maximum number of characters of an excerpt, and of those before the match.
    private static let excerptLength = 160
    private static let lead = 40

    /// A part of a text around the first match.
    package static func excerpt(of text: String, _ search: SearchText) -> MarkedText {
        guard text.utf8.count > excerptLength else { return MarkedText(text, search) }
        var start = text.startIndex
        if let match = search.matches(in: text).first,
            let early = text.index(match.lowerBound, offsetBy: -lead, limitedBy: text.startIndex)
        {
            // Begins at a word's beginning.
            let space = text[early..<match.lowerBound].firstIndex(where: \.isWhitespace)
            start = space.map { text.index(after: $0) } ?? early
        }
        let end = text.index(start, offsetBy: excerptLength, limitedBy: text.endIndex) ?? text.endIndex
        let part = text[start..<end]
        return MarkedText(
            (start > text.startIndex ? "…" : "") + part + (end < text.endIndex ? "…" : ""), search)
    }
}
