internal import Text

/// The words by which an upstream refuses a parameter that it does not know, as in `Received unknown parameter: page`.
/// No other value of that parameter is of use then.
///
/// Sources: https://docs.stripe.com/error-codes, https://docs.ckan.org/en/latest/api/, https://dev.socrata.com/docs/
enum UnknownParameter {
    private static let unknown: Set<String> = [
        "unknown", "unrecognized", "unrecognised", "unexpected", "unsupported", "undefined", "extra", "additional",
        "extraneous",
    ]
    private static let denied: Set<String> = [
        "supported", "allowed", "permitted", "expected", "recognized", "recognised", "known", "defined", "exist",
    ]
    /// The words that speak of what the parameter says, and not of the parameter.
    private static let ofValues: Set<String> = ["value", "values", "range", "must", "type"]

    /// True if a message names the parameter, and calls it unknown.
    static func isNamed(_ parameter: String, in message: String) -> Bool {
        guard names(parameter, message) else { return false }
        let words = message.lowercasedASCII.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "$") }
            .map(String.init)
        guard ofValues.isDisjoint(with: words) else { return false }
        if !unknown.isDisjoint(with: words) { return true }
        let pairs = zip(words, words.dropFirst())
        if pairs.contains(where: { $0 == "no" && $1 == "such" }) { return true }
        // "Invalid parameter" may mean its value; several invalid ones are a list of names.
        if words.contains("invalid"), ["parameters", "arguments"].contains(where: words.contains) { return true }
        return words.indices.contains { index in
            denied.contains(words[index]) && words[..<index].suffix(3).contains { ["not", "t"].contains($0) }
        }
    }

    /// True if the message has the name as a word of its own.
    private static func names(_ parameter: String, _ message: String) -> Bool {
        let isPart = { (character: Character) in character.isLetter || character.isNumber || "_$-".contains(character) }
        return message.ranges(of: parameter).contains { range in
            let before = message[..<range.lowerBound].last
            let after = message[range.upperBound...].first
            return !(before.map(isPart) ?? false) && !(after.map(isPart) ?? false)
        }
    }
}
