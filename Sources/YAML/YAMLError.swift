/// What is wrong with a YAML text, and where.
public struct YAMLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where the text stops making sense.
    public let mark: Mark
    /// The error in plain words, without the position.
    public let problem: String

    /// An error at `mark`.
    public init(mark: Mark, problem: String) {
        self.mark = mark
        self.problem = problem
    }

    /// The error as `file:line:column: problem`.
    public var description: String { "\(mark.source):\(mark.line):\(mark.column): \(problem)" }
}
