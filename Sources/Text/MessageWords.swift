// Words of messages.

extension Int {
    /// The number with what it counts: `1 item`, `2 items`.
    package func counted(_ one: String) -> String { "\(self) \(self == 1 ? one : one + "s")" }
}

extension Sequence where Element: CustomStringConvertible {
    /// The names in a sentence, each in backticks.
    package func inBackticks(joinedBy separator: String = " and ") -> String {
        map { "`\($0)`" }.joined(separator: separator)
    }
}
