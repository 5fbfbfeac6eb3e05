/// A fault in a YAML text, with its position.
package struct YAMLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The position of the fault.
    package let mark: Mark
    /// The error in plain words, without the position.
    package let problem: String

    /// The error as `file:line:column: problem`.
    package var description: String { "\(mark.source):\(mark.line):\(mark.column): \(problem)" }
}

/// A position in a YAML text.
package struct Mark: Sendable, Hashable {
    /// The name of the text in messages, usually its file.
    package let source: String
    /// The line, from 1.
    package let line: Int
    /// The column in Unicode scalars, from 1.
    package let column: Int

    /// A position in `source`; `line` and `column` count from 1.
    package init(source: String, line: Int, column: Int) {
        self.source = source
        self.line = line
        self.column = column
    }
}
