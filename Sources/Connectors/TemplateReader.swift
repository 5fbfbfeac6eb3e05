internal import Feeds

/// Reads a text of a manifest: literal text, expressions, and `{% if %}`, which chooses between texts.
///
/// Source: https://jinja.palletsprojects.com/en/stable/templates/
struct TemplateReader {
    private var rest: Substring
    /// The number of choices that the current one is in, or is another branch of.
    private var depth = 0
    private static let mostDepth = 48

    init(_ text: String) { rest = text[...] }

    /// The pieces of the whole text.
    ///
    /// - Throws: `ExpressionFault` for what is not understood.
    mutating func whole() throws(ExpressionFault) -> [ExpressionText.Piece] {
        let (pieces, end) = try branch()
        if let end { throw ExpressionFault(problem: "`{% \(end) %}` without `{% if … %}`") }
        return pieces
    }

    /// The pieces up to the statement that ends a branch, which is nil at the end of the text.
    private mutating func branch() throws(ExpressionFault) -> (pieces: [ExpressionText.Piece], end: String?) {
        var pieces: [ExpressionText.Piece] = []
        while let open = rest.firstIndex(where: { $0 == "{" }) {
            let next = rest.index(after: open)
            guard next < rest.endIndex, ["{", "%"].contains(rest[next]) else {
                pieces.append(.literal(String(rest[..<next])))
                rest = rest[next...]
                continue
            }
            var literal = rest[..<open]
            let isExpression = rest[next] == "{"
            rest = rest[rest.index(after: next)...]
            let content = try isExpression ? expression() : statement(&literal)
            if !literal.isEmpty { pieces.append(.literal(String(literal))) }
            if isExpression {
                pieces.append(.expression(try Self.parsed(content)))
                continue
            }
            let word = content.prefix { !$0.isWhitespace }
            switch word {
            case "if": pieces.append(.expression(try choice(content.dropFirst(word.count))))
            case "elif", "else", "endif": return (pieces, content)
            default: throw ExpressionFault(problem: "`{% \(word) … %}` is a program, not a value")
            }
        }
        if !rest.isEmpty { pieces.append(.literal(String(rest))) }
        rest = ""
        return (pieces, nil)
    }

    /// The choice whose condition this is, up to its `{% endif %}`.
    private mutating func choice(_ condition: Substring) throws(ExpressionFault) -> Expression {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.mostDepth else {
            throw ExpressionFault(problem: "more than \(Self.mostDepth) nested choices")
        }
        let condition = try Self.parsed(String(condition))
        let (pieces, end) = try branch()
        let other: Expression
        switch end?.prefix(while: { !$0.isWhitespace }) {
        case "elif": other = try choice(end?.dropFirst(4) ?? "")
        case "else":
            let (pieces, end) = try branch()
            guard end == "endif" else { throw Self.open }
            other = Self.joined(pieces)
        case "endif": other = .text("")
        default: throw Self.open
        }
        return .chosen(Self.joined(pieces), if: condition, else: other)
    }

    private static let open = ExpressionFault(problem: "`{% if … %}` is not closed")

    private static func parsed(_ text: String) throws(ExpressionFault) -> Expression {
        var parser = try ExpressionParser(text)
        return try parser.whole()
    }

    /// One expression for the text of several pieces.
    private static func joined(_ pieces: [ExpressionText.Piece]) -> Expression {
        let expressions = pieces.map { piece in
            switch piece {
            case .literal(let text): Expression.text(text)
            case .expression(let expression): expression
            }
        }
        return expressions.dropFirst().reduce(expressions.first ?? .text("")) { .joined($0, $1) }
    }

    /// The text of a statement, without the signs that drop the spaces beside it.
    private mutating func statement(_ before: inout Substring) throws(ExpressionFault) -> String {
        guard let close = rest.firstRange(of: "%}") else { throw ExpressionFault(problem: "`{%` is not closed") }
        var content = rest[..<close.lowerBound]
        rest = rest[close.upperBound...]
        if content.first == "-" {
            content.removeFirst()
            while before.last?.isWhitespace == true { before.removeLast() }
        }
        if content.last == "-" {
            content.removeLast()
            rest = rest.drop { $0.isWhitespace }
        }
        return content.onOneLine
    }

    /// The text of an expression, up to the `}}` that closes it: not one in quotes, nor the end of an object in
    /// another.
    private mutating func expression() throws(ExpressionFault) -> String {
        var quote: Character?
        var depth = 0
        var place = rest.startIndex
        while place < rest.endIndex {
            let character = rest[place]
            if let open = quote {
                if character == open { quote = nil }
                // A quote after a backslash is a part of the text.
                if character == "\\", rest.index(after: place) < rest.endIndex { place = rest.index(after: place) }
            } else if character == "'" || character == "\"" {
                quote = character
            } else if character == "{" {
                depth += 1
            } else if character == "}" {
                if depth == 0 {
                    guard rest[place...].hasPrefix("}}") else { break }
                    defer { rest = rest[rest.index(place, offsetBy: 2)...] }
                    return String(rest[..<place])
                }
                depth -= 1
            }
            place = rest.index(after: place)
        }
        throw ExpressionFault(problem: "`{{` is not closed")
    }
}
