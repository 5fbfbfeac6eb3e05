internal import Text

/// The way from a JSON value to one inside it: `data.list`, `a[0].b`, `links[rel=next].href`.
package struct Path: Sendable, Hashable, CustomStringConvertible {
    /// One step of a path.
    package enum Segment: Sendable, Hashable {
        /// Into the member of this name.
        case member(String)
        /// To the element at this index, from 0.
        case index(Int)
        /// To the name of the member that the item is, where items are the members of an object.
        case memberName
        /// To the hash of the whole item's content.
        case itemHash
        /// To no part of the item: the definition has the value.
        case given
        /// Selects the first element whose member `name` is a scalar that is written `value`.
        case first(where: String, equals: String)
    }

    /// The steps; none leads to the value itself.
    package let segments: [Segment]

    /// A path of these steps.
    package init(_ segments: [Segment]) {
        self.segments = segments
    }

    /// The name of the member that the item is; written `~`.
    package static let memberName = Path([.memberName])

    /// The hash of the item's content; written `$hash`.
    package static let itemHash = Path([.itemHash])

    /// The place of a value that the definition has; no path is written so.
    package static let given = Path([.given])

    /// True if it leads through the first element that meets a condition.
    package var hasCondition: Bool { segments.contains { if case .first = $0 { true } else { false } } }

    /// The names on the way, if it leads through members alone; nil otherwise.
    package var memberNames: [String]? {
        var names: [String] = []
        for segment in segments {
            guard case .member(let name) = segment else { return nil }
            names.append(name)
        }
        return names
    }

    /// The name of the column that the path becomes: its words joined by `_`.
    package var columnName: String {
        segments.map { segment in
            switch segment {
            case .member(let name): name
            case .index(let index): "\(index)"
            case .memberName: "key"
            case .itemHash: "hash"
            case .given: "value"
            case .first(_, let value): value
            }
        }.joined(separator: "_")
    }

    /// Reads a path as a person writes it.
    ///
    /// Names and `[n]` joined by dots, `$` or `$.` before them if one likes, names with dots, brackets, quotes, spaces
    /// or `=` in quotes (`"a.b"`, with `\"` and `\\`), `[name=value]` for the first element with that member.
    ///
    /// - Throws: `PathError` with the place where it is wrong.
    package init(_ text: String) throws(PathError) {
        if Self.isWord(text) {
            segments = [.member(text)]
            return
        }
        var parser = PathParser(text)
        segments = try parser.path()
    }

    /// Reads a path in which `*` stands for every member of an object, or element of an array.
    ///
    /// - Returns: The steps before the first `*`, and those behind each.
    /// - Throws: `PathError` with the place where it is wrong.
    package static func groups(_ text: String) throws(PathError) -> [[Segment]] {
        var parser = PathParser(text)
        return try parser.groups()
    }

    /// The path in its plainest form; reading it gives the same path.
    package var description: String {
        guard !segments.isEmpty else { return "$" }
        var text = ""
        for segment in segments {
            switch segment {
            case .member(let name): text += (text.isEmpty ? "" : ".") + Self.written(name)
            case .index(let index): text += "[\(index)]"
            case .memberName: text += "~"
            case .itemHash: text += "$hash"
            case .given: text += "$value"
            case .first(let name, let value): text += "[\(Self.written(name))=\(Self.written(value))]"
            }
        }
        return text
    }

    /// True for letters of ASCII, digits and `_`, which most paths consist of, and which mean nothing but themselves.
    private static func isWord(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") }
    }

    /// A name, in quotes where it needs them.
    private static func written(_ name: String) -> String {
        guard !isWord(name) else { return name }
        let scalars = name.unicodeScalars
        // `$` alone is the root, `~` a member's name; `*` alone is kept free for wildcards.
        guard scalars.isEmpty || ["$", "*", "~", "$hash"].contains(name) || !scalars.allSatisfy(PathParser.isPlain)
        else {
            return name
        }
        var text = "\""
        for scalar in scalars {
            if scalar == "\"" || scalar == "\\" { text.unicodeScalars.append("\\") }
            text.unicodeScalars.append(scalar)
        }
        return text + "\""
    }
}

extension Path.Segment {
    /// True if two steps are the same, names compared by their code points.
    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.member(let one), .member(let other)): ExactText(one) == ExactText(other)
        case (.index(let one), .index(let other)): one == other
        case (.memberName, .memberName), (.itemHash, .itemHash), (.given, .given): true
        case (.first(let name, let value), .first(let otherName, let otherValue)):
            ExactText(name) == ExactText(otherName) && ExactText(value) == ExactText(otherValue)
        default: false
        }
    }
}

/// A fault in the text of a path.
package struct PathError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The fault, in plain words.
    package let problem: String
    /// The number of Unicode scalars before the fault.
    package let offset: Int

    /// The fault and its column, counted from 1.
    package var description: String { "\(problem), at column \(offset + 1) of the path" }
}
