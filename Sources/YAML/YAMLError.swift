/// A fault in a YAML text, with its position.
public struct YAMLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The position of the fault.
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
