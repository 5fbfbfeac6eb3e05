/// libyaml's messages, in words for the author of a configuration.
enum Problem {
    /// The fault of bytes that are not text.
    static func unreadable(_ words: String) -> String {
        words == "control characters are not allowed"
            ? "a control character; YAML allows only tab and line breaks" : "not valid UTF-8 (\(words))"
    }

    /// The fault of the text, from libyaml's message, its context and the character at which it stopped.
    static func plain(_ words: String, _ context: String?, at character: Unicode.Scalar?) -> String {
        switch words {
        case "found character that cannot start any token" where character == "\t",
            "found a tab character that violates indentation",
            "found a tab character where an indentation space is expected":
            return "a tab cannot indent; use spaces"
        case "found character that cannot start any token":
            return "a value cannot start with `\(character.map(String.init) ?? "")`; put it in quotes"
        case "mapping values are not allowed in this context":
            return "a second `: ` on one line; put the value in quotes, or the member on a line of its own"
        case "could not find expected ':'":
            return "a name without `:` after it"
        case "did not find expected key":
            return "expected `name: value` here; the indentation may be off by a space"
        case "did not find expected node content":
            return "expected a value here"
        case "did not find expected <document start>":
            return "there is more text after the end; the indentation may be off, or a bracket closed too early"
        case "did not find expected '-' indicator":
            return "expected `- ` here; the indentation may be off by a space"
        case "did not find expected ',' or '}'":
            return "expected `,` or `}` here"
        case "did not find expected ',' or ']'":
            return "expected `,` or `]` here"
        case "found unexpected end of stream" where context == "while scanning a quoted scalar":
            return "the text ends inside quotes"
        case "found invalid Unicode character escape code":
            return "an escape that is not a character on its own; write the character itself"
        default:
            return context.map { "\(words) (\($0))" } ?? words
        }
    }
}
