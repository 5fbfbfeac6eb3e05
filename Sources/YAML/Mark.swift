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
