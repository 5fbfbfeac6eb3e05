/// The words of a search; an item must have all of them.
///
/// A word matches if a word of the text begins with it, regardless of case and accents, as in the full-text index. In
/// scripts that are written without spaces, such as Chinese, a match may begin anywhere.
package struct SearchText: Sendable, Hashable {
    /// The words as they were typed.
    package let words: [String]
    /// The words without case, accents and punctuation.
    private let terms: [[UInt64]]

    /// The most characters and words that count: more can only have been pasted.
    private static let mostCharacters = 1_000
    private static let mostWords = 20

    package init(_ text: String) {
        words = text.prefix(Self.mostCharacters).split(whereSeparator: \.isWhitespace).prefix(Self.mostWords).map {
            String($0.filter { $0 != "\0" })
        }.filter { !$0.isEmpty }
        var terms: [[UInt64]] = []
        for letters in words.map(Letters.init) {
            let parts = letters.list.split { !$0.isOfWord }.map { $0.map(\.folded) }
            for part in parts where !terms.contains(part) { terms.append(part) }
        }
        self.terms = terms
    }

    /// True if the search has no words.
    package var isEmpty: Bool { words.isEmpty }

    /// The words as a query of SQLite's FTS5; nil where none has a letter or a digit.
    ///
    /// Source: <https://sqlite.org/fts5.html#full_text_query_syntax>
    package var fullTextQuery: String? {
        let parts = words.compactMap { Self.fullTextQuery($0) }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    /// The words as a query of some columns; nil if none has a letter or a digit.
    ///
    /// - Parameters:
    ///   - column: The columns' names in quotes, separated by spaces.
    ///   - isWhole: True if the last word is complete; it is a prefix otherwise, as while the user types.
    package func fullTextQuery(in column: String, isWhole: Bool) -> String? {
        let last = isWhole ? nil : words.indices.last
        let parts = words.indices.compactMap { Self.fullTextQuery(words[$0], isWhole: $0 != last) }
        return parts.isEmpty ? nil : "{\(column)} : (\(parts.joined(separator: " ")))"
    }

    /// One word as an FTS5 query; nil if it has no letter and no digit.
    package static func fullTextQuery(_ word: String, isWhole: Bool = false) -> String? {
        let letters = Letters(word).list
        guard letters.contains(where: \.isOfWord) else { return nil }
        // `c++` is complete; `swi` may be a prefix.
        let goesOn = !isWhole && (letters.last?.isOfWord ?? false)
        return "\"\(putting(UInt8(ascii: "\""), before: "\"", in: word))\"\(goesOn ? "*" : "")"
    }

    /// A word with a mark before each of some ASCII characters, also where an accent follows them.
    private static func putting(_ mark: UInt8, before characters: String, in word: String) -> String {
        guard word.utf8.contains(where: characters.utf8.contains) else { return word }
        return String(
            decoding: word.utf8.flatMap { characters.utf8.contains($0) ? [mark, $0] : [$0] }, as: UTF8.self)
    }

    /// The ranges at which the words occur in a text, in order and without overlaps.
    package func matches(in text: String) -> [Range<String.Index>] {
        guard !terms.isEmpty else { return [] }
        let letters = Letters(text)
        var ranges: [Range<Int>] = []
        for term in terms {
            let all = letters.places(of: term)
            let beginnings = all.filter { letters.mayBegin(at: $0) }
            // A term that begins no word was found inside words, so these places count.
            for place in beginnings.isEmpty ? all : beginnings { ranges.append(place..<place + term.count) }
        }
        ranges.sort { $0.lowerBound < $1.lowerBound }
        var merged: [Range<Int>] = []
        for range in ranges {
            if let last = merged.last, range.lowerBound <= last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        return merged.map { letters.start(of: $0.lowerBound)..<letters.start(of: $0.upperBound) }
    }
}

/// A text as letters without case and accents, with their places.
private struct Letters {
    struct Letter {
        let folded: UInt64
        let start: String.Index
        let isOfWord: Bool
        let isSpaceless: Bool
    }

    private(set) var list: [Letter] = []
    private let end: String.Index

    init(_ text: String) {
        end = text.endIndex
        list.reserveCapacity(text.utf8.count)
        for index in text.unicodeScalars.indices {
            let scalar = text.unicodeScalars[index]
            guard !scalar.isMark else { continue }
            list.append(
                Letter(
                    folded: scalar.folded, start: index, isOfWord: scalar.isOfWord, isSpaceless: scalar.isSpaceless))
        }
    }

    func start(of place: Int) -> String.Index { place < list.count ? list[place].start : end }

    func places(of term: [UInt64]) -> [Int] {
        guard let first = term.first, term.count <= list.count else { return [] }
        return (0...list.count - term.count).filter { place in
            list[place].folded == first && list[place..<place + term.count].lazy.map(\.folded).elementsEqual(term)
        }
    }

    /// True if a word may begin here.
    func mayBegin(at place: Int) -> Bool {
        guard place > 0 else { return true }
        let before = list[place - 1]
        return !before.isOfWord || before.isSpaceless || list[place].isSpaceless
    }
}

extension Unicode.Scalar {
    /// True if the character belongs to the letter before it.
    fileprivate var isMark: Bool {
        guard value >= 0x300 else { return false }
        return properties.generalCategory == .nonspacingMark
    }

    /// True if the index takes the character as part of a word: https://sqlite.org/fts5.html#unicode61_tokenizer
    fileprivate var isOfWord: Bool {
        if value < 0x80 { return (48...57).contains(value) || (97...122).contains(value | 0x20) }
        return switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .privateUse:
            true
        default: false
        }
    }

    /// True if the character's script is written without spaces between words or between a word and its particles.
    fileprivate var isSpaceless: Bool {
        switch value {
        // Thai to Myanmar, Hangul, Khmer, Chinese and Japanese.
        case 0x0E00...0x0EFF, 0x1000...0x11FF, 0x1780...0x17FF, 0x2E80...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7FF,
            0xF900...0xFAFF, 0xFF66...0xFFDC, 0x20000...0x3FFFD:
            true
        default: false
        }
    }

    /// The same number for letters that differ only in case and accents.
    ///
    /// Accents are found by Unicode's name of a letter: "LATIN SMALL LETTER E WITH ACUTE".
    fileprivate var folded: UInt64 {
        if value < 0x80 { return UInt64((65...90).contains(value) ? value | 0x20 : value) }
        let small = properties.lowercaseMapping.unicodeScalars.first ?? self
        // Beyond Latin, Greek and Cyrillic, and the Latin letters with two accents, no letter is written so.
        guard small.value < 0x530 || (0x1E00...0x1FFF).contains(small.value), let name = small.properties.name else {
            return UInt64(small.value)
        }
        let base = name.firstRange(of: " WITH ").map { name[..<$0.lowerBound] } ?? name[...]
        if base.hasPrefix("LATIN SMALL LETTER "), base.utf8.count == 20, let letter = base.utf8.last {
            return UInt64(letter | 0x20)
        }
        return FNV1a(String(base)).hash | 1 << 63
    }
}
