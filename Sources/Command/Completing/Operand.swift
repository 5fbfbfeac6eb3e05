/// A place among a command's operands, in the notation of its synopsis: `FEED...` is any number of feeds, `[COMMAND |
/// words]` a command or the word itself, `bash|zsh|fish` one of three words.
///
/// Help shows the synopsis, so that a command's operands are described once.
struct Operand: Sendable, Hashable {
    /// The permitted words: capitals for a kind of word, anything else for the word itself.
    let alternatives: [String]
    /// True if any number of them may follow.
    let isRepeated: Bool

    /// The operands of a synopsis, in order.
    static func list(_ synopsis: String) -> [Operand] {
        let plain = synopsis.replacing(" | ", with: "|").filter { $0 != "[" && $0 != "]" }
        return plain.split(separator: " ").map { word in
            let isRepeated = word.hasSuffix("...")
            let alternatives = word.dropLast(isRepeated ? 3 : 0).split(separator: "|").map(String.init)
            return Operand(alternatives: alternatives, isRepeated: isRepeated)
        }
    }

    /// The operand at a place; nil after the last one.
    static func at(_ index: Int, of synopsis: String) -> Operand? {
        let operands = list(synopsis)
        if index < operands.count { return operands[index] }
        return operands.last.flatMap { $0.isRepeated ? $0 : nil }
    }

    /// True if it takes words of the kind, as in `FEED`.
    func takes(_ kind: String) -> Bool { alternatives.contains(kind) }

    /// The words that may stand there as they are.
    var literals: [String] { alternatives.filter { $0.contains(where: \.isLowercase) } }
}
