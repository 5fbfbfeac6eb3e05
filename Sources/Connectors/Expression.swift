/// An expression of a manifest, as in `{{ config['start_date'] }}`.
indirect enum Expression: Sendable, Hashable {
    case nothing
    case flag(Bool)
    case number(String)
    case text(String)
    case name(String)
    /// `a.b` and `a['b']`
    case member(Expression, String)
    /// `a[0]`, `a[-1]`
    case element(Expression, Int)
    /// `a[b]`
    case computed(Expression, Expression)
    case call(Expression, [Argument])
    case filter(Expression, String, [Argument])
    case list([Expression])
    case mapping([Pair])
    case not(Expression)
    case both(Expression, Expression)
    case either(Expression, Expression)
    case compared(Expression, Comparison, Expression)
    case computedNumber(Expression, String, Expression)
    case joined(Expression, Expression)
    case chosen(Expression, if: Expression, else: Expression)

    enum Comparison: String, Sendable, Hashable {
        case equal = "=="
        case unequal = "!="
        case less = "<"
        case greater = ">"
        case atMost = "<="
        case atLeast = ">="
        case contained = "in"
        case missing = "not in"
        case identical = "is"
        case distinct = "is not"
    }

    /// An argument of a call, perhaps with a name.
    struct Argument: Sendable, Hashable {
        let name: String?
        let value: Expression
    }

    /// A member of an object.
    struct Pair: Sendable, Hashable {
        let name: Expression
        let value: Expression
    }
}

/// A text of a manifest: literal pieces and expressions.
struct ExpressionText: Sendable, Hashable {
    enum Piece: Sendable, Hashable {
        case literal(String)
        case expression(Expression)
    }

    let pieces: [Piece]

    /// Reads a text.
    ///
    /// - Throws: `ExpressionFault` for an expression that is not understood.
    init(_ text: String) throws(ExpressionFault) {
        var reader = TemplateReader(text)
        pieces = try reader.whole()
    }

    /// The only expression, with nothing but spaces around it.
    var only: Expression? {
        let others = pieces.filter { piece in
            if case .literal(let text) = piece { text.contains { !$0.isWhitespace } } else { true }
        }
        guard others.count == 1, case .expression(let expression)? = others.first else { return nil }
        return expression
    }
}

/// An expression that is not understood.
struct ExpressionFault: Error, Sendable, Hashable {
    let problem: String
    /// The name of a setting that has to be given.
    var missing: String?
}
