/// A token of HTML, without comments and declarations.
package enum HTMLToken: Sendable, Hashable {
    /// A text with its character references resolved.
    case text(String)
    /// The beginning of an element. The name is in lower case.
    case start(String, [String: String])
    /// The end of an element.
    case end(String)
}

/// The tokens of an HTML text, in order, read in one pass: no byte is read more than a few times.
///
/// Comments are left out, and so are opaque elements, with their content.
package struct HTMLTokens: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private let opaque: Set<String>
    private var place = 0

    private static let mostBytes = 256 << 10
    private static let mostAttributes = 30
    private static let unreadable: Set<String> = [
        "script", "style", "template", "iframe", "object", "svg", "math", "noscript", "noembed", "noframes", "textarea",
        "title", "select", "xmp", "audio", "video", "canvas", "head",
    ]

    /// The tokens of the first 256 KiB of a text; elements without readable text are opaque.
    package init(_ text: String) {
        self.init(Array(text.utf8.prefix(Self.mostBytes)), opaque: Self.unreadable)
    }

    /// The tokens of UTF-8.
    ///
    /// - Parameter opaque: The names of the elements to leave out.
    package init(_ bytes: [UInt8], opaque: Set<String>) {
        self.bytes = bytes
        self.opaque = opaque
    }

    package mutating func next() -> HTMLToken? {
        while place < bytes.count {
            guard bytes[place] == UInt8(ascii: "<"), let following = byte(1) else { return .text(text()) }
            switch following {
            case UInt8(ascii: "!"), UInt8(ascii: "?"): skipComment()
            case UInt8(ascii: "/") where byte(2).map(Self.isLetter) ?? false:
                place += 2
                let name = name()
                skip(past: UInt8(ascii: ">"))
                return .end(name)
            case _ where Self.isLetter(following):
                place += 1
                let name = name()
                let attributes = attributes()
                guard opaque.contains(name) else { return .start(name, attributes) }
                skipElement(name)
            default: return .text(text())
            }
        }
        return nil
    }

    private func byte(_ ahead: Int) -> UInt8? { place + ahead < bytes.count ? bytes[place + ahead] : nil }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A }
    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }

    private mutating func skip(past mark: UInt8) {
        while place < bytes.count, bytes[place] != mark { place += 1 }
        place += 1
    }

    private mutating func skipComment() {
        guard bytes[place...].starts(with: "<!--".utf8) else { return skip(past: UInt8(ascii: ">")) }
        // `<!-->` is a whole comment: https://html.spec.whatwg.org/multipage/parsing.html#comment-start-state
        place += 2
        while place < bytes.count, !bytes[place...].starts(with: "-->".utf8) { place += 1 }
        place += 3
    }

    /// Skips to the end of an element, or of the text if the element does not end.
    private mutating func skipElement(_ name: String) {
        while place < bytes.count {
            skip(past: UInt8(ascii: "<"))
            guard byte(0) == UInt8(ascii: "/") else { continue }
            place += 1
            guard self.name() == name else { continue }
            return skip(past: UInt8(ascii: ">"))
        }
    }

    private mutating func name() -> String {
        let start = place
        while place < bytes.count, !Self.isSpace(bytes[place]), bytes[place] != UInt8(ascii: ">"),
            bytes[place] != UInt8(ascii: "/"), bytes[place] != UInt8(ascii: "<")
        { place += 1 }
        return String(decoding: bytes[start..<Swift.min(place, start + 40)], as: UTF8.self).lowercased()
    }

    /// The attributes up to the end of a tag. If a name is repeated, the first one counts.
    private mutating func attributes() -> [String: String] {
        var attributes: [String: String] = [:]
        while let next = byte(0), next != UInt8(ascii: ">") {
            guard !Self.isSpace(next), next != UInt8(ascii: "/") else {
                place += 1
                continue
            }
            let start = place
            while let next = byte(0), !Self.isSpace(next), next != UInt8(ascii: "="), next != UInt8(ascii: ">") {
                place += 1
            }
            let name = String(decoding: bytes[start..<Swift.min(place, start + 40)], as: UTF8.self).lowercased()
            while let next = byte(0), Self.isSpace(next) { place += 1 }
            var value = ""
            if byte(0) == UInt8(ascii: "=") {
                place += 1
                value = attributeValue()
            } else if place == start {
                place += 1
            }
            if attributes.count < Self.mostAttributes, attributes[name] == nil { attributes[name] = value }
        }
        place += 1
        return attributes
    }

    private mutating func attributeValue() -> String {
        while let next = byte(0), Self.isSpace(next) { place += 1 }
        let start: Int
        let end: Int
        if let quote = byte(0), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            start = place + 1
            place = start
            skip(past: quote)
            end = Swift.min(place - 1, bytes.count)
        } else {
            start = place
            while let next = byte(0), !Self.isSpace(next), next != UInt8(ascii: ">") { place += 1 }
            end = place
        }
        return start <= end ? Self.resolved(bytes[start..<end]) : ""
    }

    /// The text up to the next possible tag.
    private mutating func text() -> String {
        let start = place
        place += 1
        while place < bytes.count, bytes[place] != UInt8(ascii: "<") { place += 1 }
        return Self.resolved(bytes[start..<place])
    }

    /// Text with its character references resolved.
    ///
    /// Source: <https://html.spec.whatwg.org/multipage/parsing.html#character-reference-state>
    private static func resolved(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
        var result: [UInt8] = []
        var place = bytes.startIndex
        while place < bytes.endIndex {
            let window = bytes[place..<Swift.min(place + 32, bytes.endIndex)]
            if bytes[place] == UInt8(ascii: "&"), let end = window.firstIndex(of: UInt8(ascii: ";")),
                let text = character(String(decoding: bytes[(place + 1)..<end], as: UTF8.self))
            {
                result += Array(text.utf8)
                place = end + 1
            } else {
                result.append(bytes[place])
                place += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func character(_ name: String) -> String? {
        guard name.hasPrefix("#") else {
            return ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"][name]
                ?? HTMLEntities.text(of: name)
        }
        let digits = name.dropFirst()
        let isHex = digits.first == "x" || digits.first == "X"
        let number = isHex ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        guard let number, number > 0 else { return nil }
        return Unicode.Scalar(number).map { String($0) } ?? "\u{FFFD}"
    }
}
