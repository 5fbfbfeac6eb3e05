internal import Text

/// Reads the text of a path.
struct PathParser {
    private let scalars: [Unicode.Scalar]
    private var offset = 0
    private var allowsWildcards = false

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    /// True if a name may contain the character without quotes.
    static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case ".", "[", "]", "\"", "=", "\\": false
        // Most names: Unicode's tables need not be asked.
        case "!"..."~": true
        default: !scalar.properties.isWhitespace && scalar.properties.generalCategory != .control
        }
    }

    mutating func path() throws(PathError) -> [Path.Segment] { try steps()[0] }

    /// The steps before the first `*`, and those behind each.
    mutating func groups() throws(PathError) -> [[Path.Segment]] {
        allowsWildcards = true
        return try steps()
    }

    private mutating func steps() throws(PathError) -> [[Path.Segment]] {
        guard !scalars.isEmpty else { throw failure("a path cannot be empty") }
        if scalars == ["~"] { return [[.memberName]] }
        if scalars.elementsEqual("$hash".unicodeScalars) { return [[.itemHash]] }
        var groups: [[Path.Segment]] = [[]]
        func append(_ segment: Path.Segment?) {
            if let segment { groups[groups.count - 1].append(segment) } else { groups.append([]) }
        }
        if peek == "$", scalars.count == 1 || scalars[1] == "." || scalars[1] == "[" {
            offset += 1
            if peek == "." {
                offset += 1
                append(try member())
            }
        } else if peek != "[" {
            append(try member())
        }
        while let next = peek {
            switch next {
            case "[": append(try bracket())
            case ".":
                offset += 1
                append(try member())
            default: throw failure("expected `.` or `[` here, not `\(next)`")
            }
        }
        return groups
    }

    private var peek: Unicode.Scalar? { offset < scalars.count ? scalars[offset] : nil }

    /// The member of the next name; nil for a `*`.
    private mutating func member() throws(PathError) -> Path.Segment? {
        let start = offset
        let isQuoted = peek == "\""
        let name = try name()
        guard name == "*", !isQuoted else { return .member(name) }
        guard allowsWildcards else {
            throw failure("a wildcard is for `items` only; put the name in quotes if it is `*`", at: start)
        }
        return nil
    }

    private mutating func name() throws(PathError) -> String {
        if peek == "\"" { return try quoted() }
        let start = offset
        var text = String.UnicodeScalarView()
        while let next = peek, Self.isPlain(next) {
            text.append(next)
            offset += 1
        }
        if offset == start {
            throw failure(peek.map { "expected a name here, not `\($0)`" } ?? "expected a name at the end")
        }
        if let next = peek, next.properties.isWhitespace || next == "\\" {
            throw failure("a name with a space or a backslash needs quotes of its own, as in '\"a b\"'")
        }
        return String(text)
    }

    private mutating func quoted() throws(PathError) -> String {
        let start = offset
        offset += 1
        var text = String.UnicodeScalarView()
        while let next = peek {
            offset += 1
            if next == "\"" { return String(text) }
            if next != "\\" {
                text.append(next)
            } else if let escaped = peek, escaped == "\"" || escaped == "\\" {
                text.append(escaped)
                offset += 1
            } else {
                throw failure("`\\` is allowed only before `\"` or `\\`", at: offset - 1)
            }
        }
        throw failure("the quotes are not closed", at: start)
    }

    private mutating func bracket() throws(PathError) -> Path.Segment {
        let start = offset
        offset += 1
        let isQuoted = peek == "\""
        let name = try name()
        if peek == "=" {
            offset += 1
            let value = try comparedValue()
            try close(from: start)
            return .first(where: name, equals: value)
        }
        try close(from: start)
        guard !isQuoted else { return .member(name) }
        guard name.utf8.allSatisfy(\.isASCIIDigit) else {
            throw failure("expected a number from 0, or `name=value`, in the brackets", at: start + 1)
        }
        guard let index = Int(name) else { throw failure("the index is too large", at: start + 1) }
        return .index(index)
    }

    private mutating func comparedValue() throws(PathError) -> String {
        // A value may hold dots, as in `[version=1.0]`.
        if peek == "\"" { return try quoted() }
        var text = String.UnicodeScalarView()
        while let next = peek, next != "]", Self.isPlain(next) || next == "." {
            text.append(next)
            offset += 1
        }
        guard !text.isEmpty else { throw failure("expected a value after `=`") }
        return String(text)
    }

    private mutating func close(from start: Int) throws(PathError) {
        guard peek == "]" else {
            throw peek == nil ? failure("the bracket is not closed", at: start) : failure("expected `]` here")
        }
        offset += 1
    }

    private func failure(_ problem: String, at place: Int? = nil) -> PathError {
        PathError(problem: problem, offset: place ?? offset)
    }
}
