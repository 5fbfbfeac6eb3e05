/// A position in a YAML text.
public struct Mark: Sendable, Hashable {
    /// What the text is called in messages: mostly its file.
    public let source: String
    /// The line, from 1.
    public let line: Int
    /// The column in Unicode scalars, from 1.
    public let column: Int

    /// A position in `source`; `line` and `column` count from 1.
    public init(source: String, line: Int, column: Int) {
        self.source = source
        self.line = line
        self.column = column
    }
}
