/// Reads the expressions of manifests: those of Jinja without its statements.
///
/// Source: https://jinja.palletsprojects.com/en/stable/templates/#expressions
struct ExpressionParser {
    private enum Token: Equatable {
        case word(String)
        case number(String)
        case text(String)
        case sign(String)
    }

    private var tokens: [Token] = []
    private var place = 0
    private var depth = 0
    /// The deepest nesting.
    private static let mostDepth = 48
    /// The longest expression, in words and signs.
    private static let mostTokens = 1_000

    init(_ text: String) throws(ExpressionFault) {
        let characters = Array(text)
        var index = 0
        func run(while isPart: (Character) -> Bool) -> String {
            let start = index
            while index < characters.count, isPart(characters[index]) { index += 1 }
            return String(characters[start..<index])
        }
        while index < characters.count {
            let character = characters[index]
            if character.isWhitespace {
                index += 1
            } else if character == "'" || character == "\"" {
                index += 1
                var value = ""
                while index < characters.count, characters[index] != character {
                    if characters[index] == "\\", index + 1 < characters.count { index += 1 }
                    value.append(characters[index])
                    index += 1
                }
                guard index < characters.count else { throw ExpressionFault(problem: "a quote is not closed") }
                index += 1
                tokens.append(.text(value))
            } else if character.isASCII, character.isNumber {
                tokens.append(.number(run { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "_") }))
            } else if character.isLetter || character == "_" {
                tokens.append(.word(run { $0.isLetter || $0.isNumber || $0 == "_" }))
            } else {
                let two = String(characters[index..<min(index + 2, characters.count)])
                let sign = ["==", "!=", "<=", ">=", "//", "**"].contains(two) ? two : String(character)
                tokens.append(.sign(sign))
                index += sign.count
            }
        }
        guard tokens.count <= Self.mostTokens else { throw ExpressionFault(problem: "it is too long") }
    }

    /// The expression that the whole text is.
    mutating func whole() throws(ExpressionFault) -> Expression {
        let expression = try choice()
        guard place == tokens.count else { throw ExpressionFault(problem: "`\(shown)` is not understood") }
        return expression
    }

    private var shown: String {
        guard place < tokens.count else { return "its end" }
        return switch tokens[place] {
        case .word(let text), .number(let text), .text(let text), .sign(let text): String(text.prefix(40))
        }
    }

    private mutating func take(_ token: Token) -> Bool {
        guard place < tokens.count, tokens[place] == token else { return false }
        place += 1
        return true
    }

    private mutating func expect(_ sign: String) throws(ExpressionFault) {
        guard take(.sign(sign)) else { throw ExpressionFault(problem: "`\(sign)` is missing before `\(shown)`") }
    }

    private mutating func choice() throws(ExpressionFault) -> Expression {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.mostDepth else { throw ExpressionFault(problem: "it is nested too deeply") }
        let value = try either()
        guard take(.word("if")) else { return value }
        let condition = try either()
        return .chosen(value, if: condition, else: take(.word("else")) ? try choice() : .nothing)
    }

    private mutating func either() throws(ExpressionFault) -> Expression {
        var value = try both()
        while take(.word("or")) { value = .either(value, try both()) }
        return value
    }

    private mutating func both() throws(ExpressionFault) -> Expression {
        var value = try negation()
        while take(.word("and")) { value = .both(value, try negation()) }
        return value
    }

    private mutating func negation() throws(ExpressionFault) -> Expression {
        var count = 0
        while take(.word("not")) { count += 1 }
        let value = try comparison()
        return (0..<count).reduce(value) { value, _ in .not(value) }
    }

    private mutating func comparison() throws(ExpressionFault) -> Expression {
        var value = try sum()
        while let comparison = comparisonSign() { value = .compared(value, comparison, try sum()) }
        return value
    }

    private mutating func comparisonSign() -> Expression.Comparison? {
        guard place < tokens.count else { return nil }
        switch tokens[place] {
        case .sign(let sign):
            guard ["==", "!=", "<", ">", "<=", ">="].contains(sign) else { return nil }
            place += 1
            return Expression.Comparison(rawValue: sign)
        case .word("in"):
            place += 1
            return .contained
        case .word("is"):
            place += 1
            return take(.word("not")) ? .distinct : .identical
        case .word("not"):
            guard place + 1 < tokens.count, tokens[place + 1] == .word("in") else { return nil }
            place += 2
            return .missing
        default: return nil
        }
    }

    private mutating func sum() throws(ExpressionFault) -> Expression {
        var value = try joining()
        while let sign = ["+", "-"].first(where: { take(.sign($0)) }) {
            value = .computedNumber(value, sign, try joining())
        }
        return value
    }

    private mutating func joining() throws(ExpressionFault) -> Expression {
        var value = try product()
        while take(.sign("~")) { value = .joined(value, try product()) }
        return value
    }

    private mutating func product() throws(ExpressionFault) -> Expression {
        var value = try filtered()
        while let sign = ["*", "/", "//", "%"].first(where: { take(.sign($0)) }) {
            value = .computedNumber(value, sign, try filtered())
        }
        return value
    }

    private mutating func filtered() throws(ExpressionFault) -> Expression {
        if take(.sign("-")) {
            let value = try postfix()
            if case .number(let digits) = value { return .number("-" + digits) }
            return .computedNumber(.number("0"), "-", value)
        }
        var value = try postfix()
        while take(.sign("|")) {
            let name = try word()
            value = .filter(value, name, take(.sign("(")) ? try arguments() : [])
        }
        return value
    }

    private mutating func word() throws(ExpressionFault) -> String {
        guard place < tokens.count, case .word(let name) = tokens[place] else {
            throw ExpressionFault(problem: "a name is missing before `\(shown)`")
        }
        place += 1
        return name
    }

    private mutating func postfix() throws(ExpressionFault) -> Expression {
        var value = try primary()
        while true {
            if take(.sign(".")) {
                value = .member(value, try word())
            } else if take(.sign("[")) {
                let index = try choice()
                guard take(.sign("]")) else {
                    throw ExpressionFault(problem: "a part of a list, as in `[1:]`, is not understood")
                }
                switch index {
                case .text(let name): value = .member(value, name)
                case .number(let digits): value = Int(digits).map { .element(value, $0) } ?? .computed(value, index)
                default: value = .computed(value, index)
                }
            } else if take(.sign("(")) {
                value = .call(value, try arguments())
            } else {
                return value
            }
        }
    }

    private mutating func arguments() throws(ExpressionFault) -> [Expression.Argument] {
        try list(until: ")") { parser throws(ExpressionFault) in try parser.argument() }
    }

    private mutating func argument() throws(ExpressionFault) -> Expression.Argument {
        var name: String?
        if place + 1 < tokens.count, case .word(let word) = tokens[place], tokens[place + 1] == .sign("=") {
            name = word
            place += 2
        }
        return Expression.Argument(name: name, value: try choice())
    }

    private mutating func primary() throws(ExpressionFault) -> Expression {
        guard place < tokens.count else { throw ExpressionFault(problem: "it ends too early") }
        let token = tokens[place]
        place += 1
        switch token {
        case .text(let text): return .text(text)
        case .number(let digits): return .number(digits.replacing("_", with: ""))
        case .word("none"), .word("None"), .word("null"): return .nothing
        case .word("true"), .word("True"): return .flag(true)
        case .word("false"), .word("False"): return .flag(false)
        case .word(let name): return .name(name)
        case .sign("("):
            let value = try choice()
            try expect(")")
            return value
        case .sign("["): return .list(try list(until: "]") { parser throws(ExpressionFault) in try parser.choice() })
        case .sign("{"):
            return .mapping(
                try list(until: "}") { parser throws(ExpressionFault) in
                    let name = try parser.choice()
                    try parser.expect(":")
                    return Expression.Pair(name: name, value: try parser.choice())
                })
        case .sign(let sign): throw ExpressionFault(problem: "`\(sign)` is not understood")
        }
    }

    private mutating func list<Element>(
        until end: String, _ element: (inout ExpressionParser) throws(ExpressionFault) -> Element
    ) throws(ExpressionFault) -> [Element] {
        var elements: [Element] = []
        while !take(.sign(end)) {
            elements.append(try element(&self))
            if !take(.sign(",")) {
                try expect(end)
                break
            }
        }
        return elements
    }
}
