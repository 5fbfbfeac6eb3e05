internal import SQLite

/// Distinguishes triggers that maintain a full-text index, ours and a user's own, from all others: they only write to
/// an index, and read nothing.
struct FullTextTrigger {
    /// The names of the FTS5 tables, in small letters.
    private let indexes: Set<String>

    init(on connection: Connection) throws {
        let names = try connection.all(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage = 0 AND sql LIKE 'create virtual table%using fts5%'"
        ) { $0.text(at: 0)?.lowercased() ?? "" }
        indexes = Set(names)
    }

    /// True if a trigger is certainly of this kind.
    func isKept(by sql: String) -> Bool {
        guard let tokens = Self.tokens(sql), tokens.last == .word("end"),
            let begin = tokens.firstIndex(of: .word("begin")),
            Self.isPlain(tokens[..<begin])
        else { return false }
        var statements = tokens[(begin + 1)...].dropLast().split(
            separator: .mark(";"), omittingEmptySubsequences: false)
        guard statements.popLast()?.isEmpty == true, !statements.isEmpty else { return false }
        return statements.allSatisfy(isInsertion)
    }

    /// True if the text before the body has neither queries nor functions in its condition, apart from `typeof`.
    private static func isPlain(_ head: ArraySlice<Token>) -> Bool {
        let mayComeBefore: [Token] = ["typeof", "when", "and", "or", "not"].map(Token.word)
        return !head.contains(.word("select"))
            && zip(head, head.dropFirst()).allSatisfy { token, next in
                next != .mark("(") || mayComeBefore.contains(token) || token == .mark("(")
            }
    }

    /// `INSERT INTO index (columns) VALUES (values)`, where each value is a column of the row or a text.
    private func isInsertion(_ statement: ArraySlice<Token>) -> Bool {
        var rest = statement
        guard rest.popFirst() == .word("insert"), rest.popFirst() == .word("into"),
            let name = rest.popFirst()?.name, indexes.contains(name)
        else { return false }
        let parts = rest.split(separator: .word("values"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { return false }
        return parts.allSatisfy { part in
            guard part.first == .mark("("), part.last == .mark(")") else { return false }
            return part.dropFirst().dropLast().allSatisfy { token in
                switch token {
                case .word(let word): word != "select"
                case .name, .text: true
                case .mark(let mark): mark == "," || mark == "."
                }
            }
        }
    }

    private enum Token: Equatable {
        /// A word without quotes, in small letters.
        case word(String)
        /// A name in quotes, in small letters.
        case name(String)
        case text
        case mark(Character)

        var name: String? {
            switch self {
            case .word(let name), .name(let name): name
            case .text, .mark: nil
            }
        }
    }

    /// The tokens of an SQL text; nil if it has a comment or an unclosed quote.
    private static func tokens(_ sql: String) -> [Token]? {
        var tokens: [Token] = []
        var rest = sql[...]
        while let first = rest.first {
            if first.isWhitespace {
                rest = rest.dropFirst()
            } else if first.isLetter || first == "_" {
                let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
                tokens.append(.word(word.lowercased()))
                rest = rest.dropFirst(word.count)
            } else if let close: Character = ["\"": "\"", "`": "`", "[": "]", "'": "'"][first] {
                let body = rest.dropFirst()
                guard let end = body.firstIndex(of: close) else { return nil }
                let after = body[body.index(after: end)...]
                // Quoted names with doubled quotes are not supported.
                guard close == "]" || after.first != close else { return nil }
                tokens.append(first == "'" ? .text : .name(body[..<end].lowercased()))
                rest = after
            } else {
                guard !rest.hasPrefix("--"), !rest.hasPrefix("/*") else { return nil }
                tokens.append(.mark(first))
                rest = rest.dropFirst()
            }
        }
        return tokens
    }
}
