/// A fault in a YAML text, with its position.
package struct YAMLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The position of the fault.
    package let mark: Mark
    /// The error in plain words, without the position.
    package let problem: String

    /// The error as `file:line:column: problem`.
    package var description: String { "\(mark.source):\(mark.line):\(mark.column): \(problem)" }
}
